/**
 * Loaded into a server by `node --require`, in every thread of it (`--import` leaves out threads that are made of a text): its clock is off by as many milliseconds as the file says that
 * `CLOCK_SHIFT_FILE` names, from the moment that the file is written. The embedded database has its time from the same clock; timers run on
 * another, which never turns back, as they do where an operator sets the machine's.
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
    // Empty: it is being written just now.
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
  // `Date()` without `new`, which gives text, works on.
  globalThis.Date = new Proxy(ShiftedDate, {
    apply: () => new ShiftedDate().toString(),
  }) as unknown as DateConstructor
}
