/** Background work that failed, on `/admin/state`: what, since when, why, its next try, and the action that helps in its row. */
import type { FailedJobs } from '@ulmus/registry'
import { type Delivery, disabledText, resultText } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty, Name, Time } from '../../components/small.tsx'
import { counted, cutText, withoutUnseen } from '../../format.ts'
import { accountPath } from '../../paths.ts'

interface Row {
  readonly key: string
  readonly what: ComponentChildren
  readonly at: Date | null
  readonly times?: number
  /** Null: there is none. Default: unknown. */
  readonly nextAt?: Date | null
  readonly why: ComponentChildren
  /** A button of the row, or what else helps. */
  readonly cure: { readonly queue: string; readonly id: string; readonly label: string } | string
}

/** Longest text of an error on the page. Characters. */
const errorMax = 400

export function Failed({ jobs }: { jobs: FailedJobs }) {
  const rows = rowsOf(jobs).sort((a, b) => (b.at?.getTime() ?? 0) - (a.at?.getTime() ?? 0))
  return (
    <>
      <h2 id="failed">Failed jobs</h2>
      <p>
        Of the whole registry, also those that are tried again by themselves. Tables and tasks are those of
        the server that answered; the log has more about each. A task that failed runs again within seconds or
        at its usual time, and leaves the list with its next success on that server.
      </p>
      {rows.length === 0 ? (
        <Empty title="Nothing failed." />
      ) : (
        <DataTable
          class="data stacked"
          label="Failed jobs"
          items={rows}
          keyOf={({ key }) => key}
          columns={columns}
        />
      )}
    </>
  )
}

const columns: readonly Column<Row>[] = [
  { header: 'Job', cell: ({ what }) => what },
  { label: 'Since', cell: ({ at }) => (at === null ? '–' : <Time at={at.toISOString()} />) },
  { label: 'Attempts', cell: ({ times }) => times ?? '–' },
  { label: 'Next try', cell: nextTry },
  { label: 'Error', class: 'whole', cell: ({ why }) => <span>{why}</span> },
  { action: 'Action', cell: ({ cure }) => (typeof cure === 'string' ? cure : <Retry {...cure} />) },
]

function nextTry({ nextAt }: Row): ComponentChildren {
  if (nextAt === null) return 'none'
  if (nextAt === undefined) return '–'
  return nextAt.getTime() <= Date.now() ? 'now' : <Time at={nextAt.toISOString()} />
}

const Retry = ({ queue, id, label }: { queue: string; id: string; label: string }) => (
  <form method="post">
    <input type="hidden" name="queue" value={queue} />
    <input type="hidden" name="id" value={id} />
    <button type="submit">{label}</button>
  </form>
)

const errorText = (text: string | null): string => withoutUnseen(cutText(text ?? '–', errorMax))

const Place = ({ owner, slug }: { owner: string; slug: string }) => (
  <bdi>
    {owner}/{slug}
  </bdi>
)

const Account = ({ slug }: { slug: string }) => (
  <a href={accountPath(slug)}>
    <Name of={slug} />
  </a>
)

const mailSubjects = { invitation: 'an invitation', key_expiry: 'an expiring key', report: 'a report' }

const rowsOf = (jobs: FailedJobs): Row[] => [
  ...jobs.deliveries.map(deliveriesRow),
  ...jobs.writes.map(writeRow),
  ...jobs.deletions.map(
    ({ id, at, attempts, error, nextAt }): Row => ({
      ...{ key: id, at, times: attempts, why: errorText(error), nextAt },
      what: 'Data of a deleted collection, to be removed',
      cure: { queue: 'deletion', id, label: 'Remove now' },
    }),
  ),
  ...jobs.strips.map(
    ({ id, owner, slug, at, attempts }): Row => ({
      ...{ key: id, at, times: attempts },
      what: (
        <>
          Changes of a version of <Place owner={owner} slug={slug} />
        </>
      ),
      why: 'The comparison with the version before failed, or ended its server.',
      cure: { queue: 'strip', id, label: 'Compare again' },
    }),
  ),
  ...jobs.mails.map(
    ({ id, kind, account, at, attempts, error, nextAt }): Row => ({
      ...{ key: id, at, times: attempts, why: errorText(error), nextAt },
      what: (
        <>
          Mail about {mailSubjects[kind]}
          {account !== null && (
            <>
              {' to '}
              <Account slug={account} />
            </>
          )}
        </>
      ),
      cure: { queue: 'mail', id, label: 'Send again' },
    }),
  ),
  ...(jobs.sweep === undefined ? [] : [sweepRow(jobs.sweep)]),
  ...jobs.tasks.map(
    ({ name, since, times, error }): Row => ({
      ...{ key: name, at: since, times, why: errorText(error) },
      what: `Task of this server: ${name}`,
      cure: { queue: 'task', id: name, label: 'Run now' },
    }),
  ),
  ...jobs.tables.map(tableRow),
]

const deliveriesRow = ({
  id,
  host,
  account,
  deliveries,
  enabled,
  disabledWhy,
  at,
  status,
  why,
  nextAt,
}: FailedJobs['deliveries'][number]): Row => ({
  ...{ key: id, at, nextAt },
  what: (
    <>
      {counted(deliveries, 'request')} to <bdi>{host}</bdi>, a webhook of <Account slug={account} />
    </>
  ),
  why: [
    resultText({ status, why: why as Delivery['why'] }),
    disabledWhy === null ? '' : disabledText(disabledWhy),
  ]
    .filter((text) => text !== '')
    .join('. '),
  cure: enabled
    ? { queue: 'delivery', id, label: 'Send again' }
    : 'The webhook is disabled: an admin of its account enables it and sends them again.',
})

const writeRow = ({ id, queue, owner, slug, at, error }: FailedJobs['writes'][number]): Row => ({
  ...{ key: id, at, why: errorText(error) },
  what: (
    <>
      {queue === 'commit' ? 'Push to' : 'Change of metadata of'} <Place owner={owner} slug={slug} />
    </>
  ),
  cure: queue === 'commit' ? 'Its author commits it again.' : 'Its author sends it again.',
})

const sweepRow = (at: Date): Row => ({
  ...{ key: 'sweep', at },
  what: 'Daily sweep',
  why: 'It did not remove all that it should. The log of the server that ran it has the reason.',
  cure: { queue: 'sweep', id: 'sweep', label: 'Sweep now' },
})

const tableRow = ({ id, account, records, at, kind }: FailedJobs['tables'][number]): Row => ({
  ...{ key: id, at },
  what: (
    <>
      Table of {counted(records, 'record')}
      {account !== undefined && (
        <>
          {' of '}
          <Account slug={account} />
        </>
      )}
    </>
  ),
  why:
    kind === 'too_costly'
      ? 'It takes more memory or time than this server allows.'
      : 'The engine could not read the records.',
  cure: { queue: 'table', id, label: 'Build again' },
})
