/** Table of a webhook's deliveries, with a filter, and buttons that send them again. */
import { type Delivery, deliveryStates, eventLabels, resultText, type Webhook } from '@ulmus/wire'
import { DataTable } from '../../components/data-table.tsx'
import { Badge, Empty, Pager, Time } from '../../components/small.tsx'
import { durationText } from '../../format.ts'
import type { Visit } from '../../page.ts'
import { collectionPath, versionPath, withQuery } from '../../paths.ts'
import { webhookPath } from './webhook-form.tsx'

const stateNames: Readonly<Record<Delivery['state'], string>> = {
  waiting: 'Waiting',
  done: 'Delivered',
  failed: 'Failed',
}
const nameOf = (state: Delivery['state'] | undefined) => (state === undefined ? 'All' : stateNames[state])
/** Rows of a full page of the registry. */
const pageRows = 100

/** Filter and page in the query; values that mean nothing are left out. */
export function filterIn({ searchParams }: Visit['url']) {
  const before = searchParams.get('before') ?? ''
  return {
    state: deliveryStates.find((state) => state === searchParams.get('state')),
    before: /^[1-9]\d{0,14}$/.test(before) ? Number(before) : undefined,
  }
}

interface Props {
  readonly webhook: Webhook
  readonly items: readonly Delivery[]
  readonly filter: ReturnType<typeof filterIn>
}

export function Deliveries({ webhook, items, filter: { state, before } }: Props) {
  const here = webhookPath(webhook)
  const to = (query: Parameters<typeof withQuery>[1]) => `${withQuery(here, query)}#deliveries`
  const last = items.length === pageRows ? items.at(-1) : undefined
  return (
    <section id="deliveries">
      <div class="section-head">
        <h2>Deliveries</h2>
        <nav class="switch" aria-label="Deliveries by state">
          {[undefined, ...deliveryStates].map((one, index) => (
            <span key={one}>
              {index > 0 && ' · '}
              {one === state ? (
                <strong aria-current="page">{nameOf(one)}</strong>
              ) : (
                <a href={to({ state: one })}>{nameOf(one)}</a>
              )}
            </span>
          ))}
        </nav>
      </div>
      {items.length === 0 ? (
        <Empty title={state === undefined ? 'Nothing was sent yet.' : 'There are none in this state.'} />
      ) : (
        <List items={items} enabled={webhook.enabled} />
      )}
      <Pager
        first={before === undefined ? undefined : to({ state })}
        next={last && to({ state, before: last.seq })}
      />
    </section>
  )
}

const List = ({ items, enabled }: Pick<Props, 'items'> & { enabled: boolean }) => (
  <DataTable
    class="data stacked"
    label="Deliveries"
    items={items}
    keyOf={({ seq }) => seq}
    columns={[
      { header: 'Event', cell: ({ kind }) => eventLabels[kind] },
      { header: 'Collection', cell: (item) => <Subject item={item} /> },
      { label: 'Number', cell: ({ seq }) => seq },
      { label: 'When', cell: ({ at }) => <Time at={at} /> },
      {
        label: 'State',
        cell: ({ state }) => (
          <Badge {...(state === 'failed' ? { tone: 'warn' } : {})}>{stateNames[state]}</Badge>
        ),
      },
      {
        label: 'Result',
        class: 'whole',
        cell: (item) => (
          <>
            {resultText(item) || <span class="quiet">none yet</span>}
            {item.milliseconds !== null && <span class="quiet"> in {durationText(item.milliseconds)}</span>}
          </>
        ),
      },
      {
        label: 'Attempts',
        cell: ({ attempts, nextAt }) => (
          <span>
            {attempts}
            {nextAt !== null && (
              <span class="quiet">
                , next: <Next at={nextAt} enabled={enabled} />
              </span>
            )}
          </span>
        ),
      },
      {
        action: 'Send again',
        cell: ({ seq }) => (
          <form method="post">
            <button type="submit" name="retry" value={seq} aria-label={`Send again: event ${seq}`}>
              Send again
            </button>
          </form>
        ),
      },
    ]}
  />
)

const Next = ({ at, enabled }: { at: string; enabled: boolean }) => {
  if (!enabled) return <>when enabled</>
  return Date.parse(at) <= Date.now() ? <>now</> : <Time at={at} />
}

/** The collection with the names that it had at the time of the event. */
const Subject = ({ item: { collection, semver: version } }: { item: Delivery }) => (
  <a href={version === undefined ? collectionPath(collection) : versionPath({ ...collection, version })}>
    {collection.owner}/{collection.slug}
    {version !== undefined && ` ${version}`}
  </a>
)
