/** Cooperative scheduling: long synchronous work yields to the event loop between small steps, so that other requests do not wait. */

/** Work that has run this long in one turn of the event loop yields. Milliseconds. */
const turnMillisecondsMax = 1

/** When this turn's first call was made; undefined before it. */
let began: number | undefined

/** To await between two steps: undefined while this turn of the loop is short, else a promise of the next turn. */
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
