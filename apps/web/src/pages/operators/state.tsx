/** `/admin/state`: failed jobs with their actions, load and disk space, for operators. */
import { retriedQueues } from '@ulmus/registry'
import { Refusal } from '../../components/form.tsx'
import { pictureIslands } from '../../components/save-picture.tsx'
import { Again, type FormState, formPage, refusedField } from '../../form.ts'
import type { Form, View, Visit } from '../../page.ts'
import { DiskSpace } from './disk.tsx'
import { Failed } from './failed-jobs.tsx'
import { LoadCharts } from './load.tsx'
import { RefusedNote } from './refused-writes.tsx'

interface Retried {
  readonly note: string
}

export const adminState = formPage(retry, statePage)

async function retry({ registry, who }: Visit, form: Form): Promise<Again<Retried>> {
  const queue = retriedQueues.find((one) => one === form['queue'])
  if (queue === undefined) throw refusedField('queue', 'Use the button of a failed job.')
  const isDue = await registry.operatorState.retry(who, { queue, id: form['id'] ?? '' })
  return new Again({
    note: isDue
      ? 'The job is due now. Load the page again to see how it ended.'
      : 'The job does not wait any more.',
  })
}

async function statePage(
  { registry: { operatorState }, who }: Visit,
  { error, note }: FormState<Retried>,
): Promise<View> {
  const [refused, jobs, samples, usage] = await Promise.all([
    operatorState.refusedWrites(who),
    operatorState.failed(who),
    operatorState.load(who),
    operatorState.disk(who),
  ])
  return {
    title: 'State of the registry',
    islands: pictureIslands,
    body: (
      <div class="wide content managed">
        <p>
          <a href="/admin">This registry</a>
        </p>
        <h1>Jobs, load and disk</h1>
        <RefusedNote refused={refused} />
        <Refusal error={error} />
        {note !== undefined && (
          <p class="note" role="status">
            {note}
          </p>
        )}
        <Failed jobs={jobs} />
        <LoadCharts samples={samples} />
        <DiskSpace usage={usage} />
      </div>
    ),
  }
}
