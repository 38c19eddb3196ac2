/** Cooperative scheduling: long synchronous work yields to the event loop between small steps, so that other requests do not wait. */

/** Work that has run this long in one turn of the event loop yields. Milliseconds. */
const turnMillisecondsMax = 1

/** Start time of the first call in this turn; undefined before it. */
let began: number | undefined
/** Continue the work that yielded, in its order. */
const waiting: (() => void)[] = []

/** Await this between two steps. Returns undefined while this turn is short, else a promise for a later turn. */
export function giveWay(): Promise<void> | undefined {
  if (began === undefined) {
    began = performance.now()
    setImmediate(endTurn)
    return undefined
  }
  if (performance.now() - began < turnMillisecondsMax) return undefined
  return new Promise((resolve) => waiting.push(resolve))
}

/** Continues one waiting work per turn: sixty requests would take sixty steps in one. */
function endTurn(): void {
  const next = waiting.shift()
  began = next && performance.now()
  if (next === undefined) return
  setImmediate(endTurn)
  next()
}
