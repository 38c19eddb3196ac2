/** Cooperative scheduling: long synchronous work yields to the event loop between small steps, so that other requests do not wait. */

/** Work that has run this long in one turn of the event loop yields. Milliseconds. */
const turnMillisecondsMax = 1

/** Start time of the first call in this turn; undefined before it. */
let began: number | undefined

/** Await this between two steps. Returns undefined while this turn is short, else a promise for the next turn. */
export function giveWay(): Promise<void> | undefined {
  if (began === undefined) {
    began = performance.now()
    setImmediate(endTurn)
    return undefined
  }
  if (performance.now() - began < turnMillisecondsMax) return undefined
  return new Promise((resolve) => setImmediate(resolve))
}

function endTurn(): void {
  began = undefined
}
