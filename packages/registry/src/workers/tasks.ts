/** What a worker thread can be asked to do. */
import { constants, setPriority } from 'node:os'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type BatchOutcome, type BatchTask, checkBatch as batchChecked } from './check-batch.ts'
import {
  type ManifestOutcome,
  type ManifestTask,
  checkManifest as manifestChecked,
  type OpeningOutcome,
  type OpeningTask,
  checkOpening as openingChecked,
} from './check-manifest.ts'

// On Linux a priority is a thread's own: whoever waits for an answer comes before whoever pushes.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

export { acceptSchemas } from './accept-schemas.ts'

export function checkBatch(task: BatchTask): BatchOutcome {
  const outcome = batchChecked(task)
  return outcome.kind === 'run' ? moved(outcome, outcome.run.buffer) : outcome
}

export function checkManifest(task: ManifestTask): ManifestOutcome {
  const outcome = manifestChecked(task)
  return outcome.kind === 'run' ? moved(outcome, outcome.run.buffer) : outcome
}

export function checkOpening(task: OpeningTask): OpeningOutcome {
  const outcome = openingChecked(task)
  const manifest = outcome.kind === 'opening' ? outcome.manifest : undefined
  return manifest?.kind === 'run' ? moved(outcome, manifest.run.buffer) : outcome
}

/** A result whose buffer is handed to the asking thread rather than copied. */
function moved<T extends object>(result: T, buffer: ArrayBuffer): T {
  return move({ [transferableSymbol]: [buffer], [valueSymbol]: result }) as T
}
