/** On `/admin`: reports about collections, and the forms that close them. */
import { CloseReport, type Report, reportReasons } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Name, Pager, Time, Visibility } from '../../components/small.tsx'
import { checked, typed } from '../../form.ts'
import type { Form, Visit } from '../../page.ts'
import { accountPath, collectionPath, withQuery } from '../../paths.ts'
import type { Done } from './admin-people.tsx'

export async function closeReport({ registry, who }: Visit, form: Form): Promise<Done> {
  const outcome = form['do'] === 'acted' ? 'acted' : 'dismissed'
  await registry.reports.close(
    who,
    form['report'] ?? '',
    checked(CloseReport, { outcome, note: typed(form, 'note') }),
  )
  return { note: outcome === 'acted' ? 'The report is closed: you acted.' : 'The report is dismissed.' }
}

/** A page of reports. */
interface Page {
  readonly items: readonly Report[]
  /** Number of open ones. */
  readonly open: number
  readonly next: string | undefined
  readonly prev: string | undefined
}

interface ReportsProps extends Page {
  /** Result of closing one. */
  readonly done: ComponentChildren
}

/** Reports on a page. */
const shown = 20

export async function reportsOf({
  registry,
  who,
  url,
}: Pick<Visit, 'registry' | 'who' | 'url'>): Promise<Page> {
  const cursor = url.searchParams.get('reports')
  const [open, { items, links }] = await Promise.all([
    registry.reports.countOpen(who),
    registry.reports.list(who, { limit: shown, ...(cursor !== null && { cursor }) }),
  ])
  const to = (link: string | undefined) =>
    link === undefined
      ? undefined
      : `${withQuery('/admin', { reports: new URLSearchParams(link).get('cursor') ?? '' })}#reports`
  return { items, open, next: to(links.next), prev: to(links.prev) }
}

export const Reports = ({ items, next, prev, done }: ReportsProps) => (
  <>
    <h2 id="reports">Reports</h2>
    <p>
      What readers say is wrong with a collection. Its owner does not see reports. Hide the collection or
      suspend its owner first if need be, then close the report.
    </p>
    {done}
    {items.length === 0 ? (
      <p class="quiet">There are none.</p>
    ) : (
      <DataTable class="data stacked reports" items={items} keyOf={({ id }) => id} columns={columns} />
    )}
    <Pager next={next} prev={prev} />
  </>
)

const nameOf = ({ collection: { owner, slug } }: Report) => `${owner}/${slug}`

const columns: readonly Column<Report>[] = [
  {
    header: 'Collection',
    cell: ({ collection }) => (
      <>
        <a href={collectionPath(collection)}>
          <Name of={`${collection.owner}/${collection.slug}`} />
        </a>{' '}
        {(collection.hidden || !collection.public) && (
          <Visibility isPublic={false} isHidden={collection.hidden} />
        )}
      </>
    ),
  },
  {
    header: 'Report',
    class: 'whole',
    cell: ({ reason, text }) => (
      <>
        <strong>{reportReasons[reason]}.</strong>
        <div class="reported" dir="auto">
          {text}
        </div>
      </>
    ),
  },
  { label: 'By', cell: (report) => <Reporter of={report} /> },
  { label: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    action: 'Decide',
    class: 'whole',
    cell: (report) => (report.closed === null ? <Decide on={report} /> : <Decided of={report.closed} />),
  },
]

const Reporter = ({ of: { reporter, network, contact } }: { of: Report }) => (
  <>
    {reporter === null ? (
      <span class="quiet">{network ?? 'Not signed in'}</span>
    ) : (
      <a href={accountPath(reporter)}>{reporter}</a>
    )}
    {contact !== null && (
      <div>
        <Name of={contact} most={200} />
      </div>
    )}
  </>
)

const Decide = ({ on }: { on: Report }) => (
  <>
    <ul class="facts">
      {on.collection.public ? (
        <li>
          <a href={`${withQuery('/admin', { hide: nameOf(on) })}#field-reason`}>
            Hide<span class="sr-only"> {nameOf(on)}</span>
          </a>
        </li>
      ) : (
        <li>
          <a href={`${withQuery('/admin', { open: nameOf(on) })}#field-openReason`}>
            Open<span class="sr-only"> {nameOf(on)}</span>
          </a>
        </li>
      )}
      <li>
        <a href={`${withQuery('/admin', { q: on.collection.owner })}#accounts`}>
          Account<span class="sr-only"> of {nameOf(on)}</span>
        </a>
      </li>
    </ul>
    <form method="post" action="#done">
      <input type="hidden" name="report" value={on.id} />
      <label class="note-field">
        Note <input type="text" name="note" maxLength={1_000} autocomplete="off" />
      </label>
      <button type="submit" name="do" value="dismissed">
        Dismiss<span class="sr-only"> the report about {nameOf(on)}</span>
      </button>{' '}
      <button type="submit" name="do" value="acted">
        Acted on<span class="sr-only"> the report about {nameOf(on)}</span>
      </button>
    </form>
  </>
)

const Decided = ({ of: { at, by, outcome, note } }: { of: NonNullable<Report['closed']> }) => (
  <>
    {outcome === 'acted' ? 'Acted' : 'Dismissed'} <Time at={at} />
    {by !== null && <> by {by}</>}
    {note !== null && (
      <>
        : <q dir="auto">{note}</q>
      </>
    )}
  </>
)
