/** Tasks of a worker thread. */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import {
  type MetadataOutcome,
  type MetadataTask,
  fitMetadata as metadataFitted,
  type PatchOutcome,
  type PatchTask,
  readPatch as patchRead,
} from '../metadata/tasks.ts'
import {
  type CarriedFault,
  type CarriedTask,
  checkCarried as carriedChecked,
} from '../pushes/commit/check-carried.ts'
import {
  type LeavesOutcome,
  type LeavesTask,
  editLeaves as leavesEdited,
} from '../pushes/leaves/edit-leaves.ts'
import {
  type OpeningOutcome,
  type OpeningTask,
  checkOpening as openingChecked,
} from '../pushes/opening/check-opening.ts'
import {
  type BatchOutcome,
  type BatchTask,
  checkBatch as batchChecked,
} from '../pushes/receiving/check-batch.ts'
import {
  type ManifestOutcome,
  type ManifestTask,
  checkManifest as manifestChecked,
} from '../pushes/receiving/check-manifest.ts'
import {
  type ReferencesFound,
  type ReferencesTask,
  findReferences as referencesFound,
} from '../pushes/references/find-references.ts'
import {
  type SchemasOutcome,
  type SchemaTexts,
  acceptSchemas as schemasAccepted,
} from '../pushes/schemas/accept-schemas.ts'
import {
  type Privacy,
  type PrivacyTask,
  comparePrivacy as privacyCompared,
} from '../pushes/schemas/compare-privacy.ts'
import { type InPieces, joined } from '../threads/pieces.ts'

export const acceptSchemas = ({ texts }: { texts: SchemaTexts }): SchemasOutcome => schemasAccepted(texts)
export const checkCarried = (task: CarriedTask): CarriedFault[] => carriedChecked(task)
export const comparePrivacy = (task: PrivacyTask): Privacy => privacyCompared(task)
export const findReferences = (task: ReferencesTask): ReferencesFound => referencesFound(task)
export const fitMetadata = (task: MetadataTask): MetadataOutcome => metadataFitted(task)

export const checkBatch = whole<BatchTask, BatchOutcome>((task) => {
  const outcome = batchChecked(task)
  return outcome.kind === 'spill' ? moved(outcome, outcome.spill.buffer) : outcome
})

export const checkManifest = whole<ManifestTask, ManifestOutcome>((task) => {
  const outcome = manifestChecked(task)
  return outcome.kind === 'spill' ? moved(outcome, outcome.spill.buffer) : outcome
})

export const checkOpening = whole<OpeningTask, OpeningOutcome>((task) => {
  const outcome = openingChecked(task)
  if (outcome.kind !== 'opening' || outcome.manifest?.kind !== 'spill') return outcome
  return moved(outcome, outcome.manifest.spill.buffer)
})

export const readPatch = whole<PatchTask, PatchOutcome>((task) => patchRead(task))

/** Joins the pieces in which a task's bytes come. */
function whole<Task extends { bytes: Uint8Array }, Outcome>(
  work: (task: Task) => Outcome,
): (task: InPieces<Task>) => Outcome {
  return (task) => work({ ...task, bytes: joined(task.bytes) } as unknown as Task)
}

export async function editLeaves(task: LeavesTask): Promise<LeavesOutcome> {
  const outcome = await leavesEdited(task)
  return outcome.kind === 'edited' ? moved(outcome, outcome.buffer) : outcome
}

/** A result whose buffers are handed to the asking thread rather than copied. */
function moved<T extends object>(result: T, ...buffers: ArrayBuffer[]): T {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: result }) as T
}
