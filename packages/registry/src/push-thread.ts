/** Entry point of threads for pushes and metadata updates. Imports every module that defines a task for them. */
import './versions/metadata-tasks.ts'
import './pushes/commit/check-carried.ts'
import './pushes/leaves/edit-leaves.ts'
import './pushes/opening/check-opening.ts'
import './pushes/receiving/check-batch.ts'
import './pushes/receiving/check-manifest.ts'
import './pushes/references/find-references.ts'
import './pushes/schemas/accept-schemas.ts'
import './pushes/schemas/compare-privacy.ts'

export { runTask } from './work/run-task.ts'
