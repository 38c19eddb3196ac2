/**
 * Shifts the clock of a server. Loaded by `node --require` in all its threads (`--import` omits threads made from a text). The file named
 * by `CLOCK_SHIFT_FILE` contains the offset in milliseconds; it applies as soon as the file is written. The embedded database uses the same
 * clock. Timers use a monotonic clock, as they do when an operator sets the machine's clock.
 */
import { readFileSync } from 'node:fs'

const lookMilliseconds = 50

const file = process.env['CLOCK_SHIFT_FILE']
if (file !== undefined) {
  const trueNow = Date.now
  const TrueDate = Date
  let shift = 0
  const read = () => {
    const text = readFileSync(file, 'utf8')
    // Empty while it is being written.
    if (/^-?\d+$/.test(text)) shift = Number(text)
  }
  read()
  setInterval(read, lookMilliseconds).unref()
  class ShiftedDate extends TrueDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(trueNow() + shift)
      else super(...(given as [number]))
    }
    static override now(): number {
      return trueNow() + shift
    }
  }
  // `Date()` without `new`, which returns text, still works.
  globalThis.Date = new Proxy(ShiftedDate, {
    apply: () => new ShiftedDate().toString(),
  }) as unknown as DateConstructor
}
