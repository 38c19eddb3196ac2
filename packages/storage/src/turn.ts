/** Turns of the event loop: long synchronous work in small steps yields between them. */

/** Work that has had the loop for so long gives way. Milliseconds. */
const turnMillisecondsMax = 1

/** When this turn's work began, as far as anybody asked; undefined before the first asks. */
let began: number | undefined

/** To be awaited between two steps: undefined while this turn of the loop is young, else a promise of the next one. */
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
