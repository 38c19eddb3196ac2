/** Commands for API keys. */
import { buildRouteMap } from '@stricli/core'
import type { Client } from '@ulmus/client'
import type { Key } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import { required, scope, several, text } from '../parameters.ts'
import { parseReference, pathOf } from '../reference.ts'
import { usageError } from '../terminal/failure.ts'
import { table, timeText } from '../terminal/table.ts'

/** `ulmus keys list` */
const list = command<Record<never, never>>({
  brief: 'List your keys',
  run: async (call, flags) => {
    const { client } = await call.connect()
    const keys: Key[] = []
    for await (const key of client.keys.list()) keys.push(key)
    if (flags.json) return call.json(keys)
    const rows = keys.map((key) => [
      key.id,
      key.scope,
      key.start,
      key.expiresAt === null ? 'never' : timeText(key.expiresAt),
      key.lastUsedAt === null ? 'never' : timeText(key.lastUsedAt),
      key.label,
      limitText(key),
    ])
    await table(call, ['id', 'scope', 'begins', 'ends', 'used', 'label', 'for'], rows)
  },
})

/** A registry of 0.1 names the collections of no key. */
const limitText = ({ limited, collections, collectionId }: Key): string =>
  limited === true || collectionId !== null ? (collections?.join(' ') ?? 'one collection') : 'all'

type CreateFlags = {
  readonly label: string
  readonly scope: 'read' | 'write' | 'admin'
  readonly collection?: readonly string[]
  readonly expires?: string
}

/** `ulmus keys create`: prints only the key on standard output, for scripts. The registry never returns it again. */
const create = command<CreateFlags>({
  brief: 'Create a key',
  flags: {
    label: { kind: 'parsed', parse: String, placeholder: 'text', brief: 'Label of the key' },
    scope,
    collection: several('owner/slug', 'Limit the key to this collection; repeat for up to 50'),
    expires: text('90d', 'Expire after 90d, 2w or 1y, or on a date (default: together with the key in use)'),
  },
  run: async (call, flags) => {
    const { client } = await call.connect()
    const { label, scope, collection, expires } = flags
    const limits = await limitsOf(client, collection ?? [])
    const expiresAt = expires === undefined ? undefined : endOf(expires)
    // As on the page of keys: only the scope `admin` manages and deletes.
    const roleCap = scope === 'admin' ? null : 'member'
    const made = await client.keys.create({ label, scope, ...limits, roleCap, expiresAt })
    if (flags.json) return call.json(made)
    await call.line(made.key)
    call.say(
      `The key is not shown again. ${made.expiresAt === null ? 'It does not expire.' : `It expires ${timeText(made.expiresAt)}.`}`,
    )
  },
})

/** One collection goes by its id, which registries of 0.1 know, too. */
async function limitsOf(
  client: Client,
  names: readonly string[],
): Promise<{ collectionId?: string; collections?: string[] }> {
  const collections = names.map((name) => pathOf(parseReference(name)))
  if (collections.length === 0) return {}
  if (collections.length > 1) return { collections }
  return { collectionId: (await client.collections.get(collections[0]!)).id }
}

const dayMs = 86_400_000
const units: Readonly<Record<string, number>> = { d: dayMs, w: 7 * dayMs, y: 365 * dayMs }

/** Parses `90d`, `2w`, `1y`, or a date. */
function endOf(text: string): string {
  const [, count, unit] = /^(\d{1,4})([dwy])$/.exec(text) ?? []
  const at = count === undefined ? Date.parse(text) : Date.now() + Number(count) * units[unit!]!
  if (Number.isNaN(at)) throw usageError(`\`${text}\` is not a valid expiry. Use 90d, 2w, 1y or 2027-01-31.`)
  return new Date(at).toISOString()
}

/** `ulmus keys revoke ID` */
const revoke = command<Record<never, never>, [id: string]>({
  brief: 'Revoke a key',
  positional: { kind: 'tuple', parameters: [required('id', 'Id from `ulmus keys list`')] },
  run: async (call, flags, id) => {
    const { client } = await call.connect()
    const done = await client.keys.revoke(id)
    if (flags.json) return call.json(done)
    call.say('The key is revoked.')
  },
})

const keys = buildRouteMap({
  docs: { brief: 'API keys: list, create, revoke' },
  routes: { list, create, revoke },
})

export default noun({
  section: 'Accounts, organizations, keys',
  words: {
    keys: { command: keys, group: 'Manage', place: 30 },
  },
})
