/** One line on standard error that says how far a long command is. Nothing where no line can be redrawn. */
import type { Call } from '../context.ts'

/** Between two redrawings. Milliseconds. */
const everyMs = 80

export interface Progress {
  show(text: string): void
  end(): void
}

export function openProgress({ terminal }: Call, isQuiet: boolean): Progress {
  let last = 0
  return {
    show(text) {
      const now = performance.now()
      if (isQuiet || now - last < everyMs) return
      last = now
      terminal.redraw(text)
    },
    end: () => terminal.redraw(''),
  }
}
