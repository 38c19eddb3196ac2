/** Two concurrent writers: exactly one of their changes to a version succeeds. */
import type { CollectionModel } from '../model.ts'
import type { Fate } from '../requests.ts'
import type { Turn } from '../turn.ts'
import { updateAsJob, updateMetadata } from './metadata.ts'
import { delta } from './pushes.ts'

/** The base version is no longer the latest, or another update is running. */
const conflict = [409]

export async function race(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const rivals = [
    () => delta(turn, collection, { asJob: false, mayRefuse: conflict }),
    turn.random.pick([
      () => delta(turn, collection, { asJob: false, mayRefuse: conflict }),
      () => delta(turn, collection, { asJob: true, mayRefuse: conflict }),
      () => updateMetadata(turn, collection, conflict),
      () => updateAsJob(turn, collection, conflict),
    ]),
  ]
  const fates = await Promise.all(rivals.map((run) => run()))
  for (const wrong of await collection.settleAcknowledged()) turn.report.violation(wrong)
  if (fates.includes('open')) return 'open'
  return fates.includes('done') ? 'done' : 'refused'
}
