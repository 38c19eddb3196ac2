/** Turns of long work: gives way to requests after each so many steps. */
import { giveWay } from '@ulmus/registry'

/** @param steps of a turn @returns called with the number of steps that were made */
export function paceOf(steps: number): (made: number) => Promise<void> {
  let count = 0
  return async (made) => {
    count += made
    if (count < steps) return
    count = 0
    await giveWay()
  }
}
