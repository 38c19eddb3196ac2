/** Progress of a long command in one line on standard error. Prints nothing if lines cannot be redrawn. */

import { countText } from '@ulmus/content/quantities'
import type { WithTerminal } from './terminal.ts'

/** Interval between redraws. Milliseconds. */
const everyMs = 80
const barLength = 20

export interface Progress {
  /** @param share completed part and total, shown as a bar with its rate */
  show(text: string, share?: Share): void
  end(): void
}

export interface Share {
  readonly done: number
  readonly total: number
}

/** Call `end` before printing the result: it removes the line. */
export function openProgress({ terminal }: WithTerminal, isQuiet: boolean): Progress {
  let last = 0
  const start = performance.now()
  return {
    show(text, share) {
      const now = performance.now()
      if (isQuiet || now - last < everyMs) return
      last = now
      terminal.redraw(share === undefined ? text : `${barText(share, now - start)}  ${text}`)
    },
    end: () => terminal.redraw(''),
  }
}

/** `██████░░░░  60 %  1,200/s  7 s left`. The rate appears after a second. */
export function barText({ done, total }: Share, elapsedMs: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const full = Math.floor(part * barLength)
  const bar = `${'█'.repeat(full)}${'░'.repeat(barLength - full)} ${String(Math.floor(part * 100)).padStart(3)} %`
  if (elapsedMs < 1_000 || done === 0) return bar
  const rate = (done * 1_000) / elapsedMs
  const left = Math.ceil(Math.max(0, total - done) / rate)
  return `${bar}  ${countText(Math.round(rate))}/s  ${left < 120 ? `${left} s` : `${Math.ceil(left / 60)} min`} left`
}
