/** Entry point of threads for readers. Imports every module that defines a task for them, and no other, to save memory. */
import './stored-leaves/changed-lines.ts'
import './stored-leaves/compare-leaves.ts'
import './stored-leaves/find-record.ts'
import './stored-leaves/write-leaf.ts'
import './tables/choose-fields.ts'
import './versions/differences/column-changes.ts'

export { runTask } from './work/run-task.ts'

/** Resolves once the thread has started. */
export const begin = (): void => undefined
