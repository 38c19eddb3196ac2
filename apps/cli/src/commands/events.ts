import type { Client, EventsOptions } from '@ulmus/client'
import type { RegistryEvent } from '@ulmus/wire'
import { eventKinds } from '@ulmus/wire/names'
import { command, noun } from '../command.ts'
import { flag, limit, optional, text } from '../parameters.ts'
import { parseReference } from '../reference.ts'
import { usageError } from '../terminal/failure.ts'
import { jsonText } from '../terminal/harmless.ts'
import { table, timeText } from '../terminal/table.ts'
import { limited } from './limited.ts'

type EventsFlags = {
  readonly owner?: string
  readonly kind?: string
  readonly after?: string
  readonly follow: boolean
  readonly ndjson: boolean
  readonly limit?: number
}

/** `ulmus events [REF]`: shows new versions and other changes, the oldest first. `--follow` waits for the next ones. */
const events = command<EventsFlags, [reference?: string]>({
  brief: 'Show new versions and other changes',
  description:
    'The registry keeps events for 30 days by default. --follow begins with the next event, or after --after.',
  examples: [
    'ulmus events --owner mercator --kind version.made',
    'ulmus events mercator/cities --after 4711 --json',
    'ulmus events mercator/cities --follow --ndjson',
  ],
  page: 'Show [new versions and other changes](events.md), the oldest first; default: of all collections that you may see. `--owner`, `--kind version.made`, `--after 4711` (the number of an event, or `latest`) filter them; `--limit` (default: 50). `--follow` waits for further ones and prints each as it comes; `--ndjson` prints JSON objects, one per line',
  flags: {
    owner: text('slug', 'Only collections of this account'),
    kind: text('kind', 'Only this kind, such as version.made'),
    after: text('number', 'Only events after this number; latest: from now on'),
    follow: flag('Wait for further events, and print each as it comes'),
    ndjson: flag('Print one JSON object per line'),
    limit,
  },
  positional: {
    kind: 'tuple',
    parameters: [optional('reference', 'owner/slug (default: all that you may see)')],
  },
  run: async (call, flags, text) => {
    if (flags.json && (flags.ndjson || flags.follow))
      throw usageError('--json needs the end of the list. Use --ndjson, also with --follow.')
    const reference = text === undefined ? undefined : parseReference(text)
    const { client } = await call.connect({ host: reference?.host })
    const after = placeOf(flags.after) ?? (flags.follow ? 'latest' : undefined)
    const filters = {
      collection: reference && `${reference.owner}/${reference.slug}`,
      owner: flags.owner,
      kind: kindOf(flags.kind),
      ...(after !== undefined && { after }),
    }
    if (flags.follow) {
      for await (const event of client.events.follow({ ...filters, signal: call.signal }))
        await call.line(flags.ndjson ? jsonText(event) : rowOf(event).join('  ').trimEnd())
      return
    }
    const events = await limited(call, listed(client, filters, call.signal), flags.limit)
    if (flags.json) return call.json(events)
    if (flags.ndjson) for (const event of events) await call.line(jsonText(event))
    else await table(call, ['number', 'when', 'what', 'collection', 'version', 'details'], events.map(rowOf))
  },
})

/** The events that the registry has now. */
async function* listed(
  client: Client,
  filters: EventsOptions,
  signal: AbortSignal,
): AsyncGenerator<RegistryEvent> {
  for (let place = filters.after; ; ) {
    const { events: found, next } = await client.events.list({
      ...filters,
      ...(place !== undefined && { after: place }),
      signal,
    })
    yield* found
    if (next === place || (found.length === 0 && place === undefined)) return
    place = next
  }
}

const rowOf = ({ seq, at, kind, collection, semver, bump, formerly, ...event }: RegistryEvent): string[] => [
  String(seq),
  timeText(at),
  kind,
  `${collection.owner}/${collection.slug}`,
  semver ?? '',
  detailsText({ bump, formerly, ...event }),
]

function detailsText({ bump, formerly, public: isPublic, deprecated }: Partial<RegistryEvent>): string {
  if (formerly !== undefined) return `formerly ${formerly}`
  if (isPublic !== undefined) return isPublic ? 'public' : 'private'
  return bump ?? (deprecated === false ? 'no longer' : '')
}

function placeOf(text: string | undefined): number | 'latest' | undefined {
  if (text === undefined || text === 'latest') return text
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw usageError(`\`${text}\` is not a valid place. Use the number of an event, or latest.`)
}

function kindOf(text: string | undefined): RegistryEvent['kind'] | undefined {
  const name = text?.replace(/\.created$/, '.made')
  const kind = eventKinds.find((one) => one === name)
  if (text === undefined || kind !== undefined) return kind
  throw usageError(`\`${text}\` is not a kind of event. Use one of ${eventKinds.join(', ')}.`)
}

export default noun({
  section: 'Collections and versions',
  words: {
    events: { command: events, group: 'Read', place: 60, line: ['events --follow', 'follow new versions'] },
  },
})
