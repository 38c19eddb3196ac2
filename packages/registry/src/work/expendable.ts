import { writeFileSync } from 'node:fs'

/** Makes this process the first that the kernel ends when memory is short, instead of the server. Linux only. */
export function becomeExpendable(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Another system.
  }
}
