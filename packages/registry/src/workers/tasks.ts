/** What a worker thread can be asked to do. */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type BatchOutcome, type BatchTask, checkBatch as check } from './check-batch.ts'

export { acceptSchemas } from './accept-schemas.ts'

export function checkBatch(task: BatchTask): BatchOutcome {
  const outcome = check(task)
  return outcome.kind === 'run' ? moved(outcome, outcome.run.buffer) : outcome
}

/** A result whose buffer is handed to the asking thread rather than copied. */
function moved<T extends object>(result: T, buffer: ArrayBuffer): T {
  return move({ [transferableSymbol]: [buffer], [valueSymbol]: result }) as T
}
