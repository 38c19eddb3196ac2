import type { Command } from '../../context.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'
import { timeText } from '../../terminal/table.ts'

type CreateFlags = {
  readonly label: string
  readonly scope: 'read' | 'write' | 'admin'
  readonly collection?: string
  readonly expires?: string
}

/** `ulmus keys create`: prints only the key on standard output, for scripts. The registry never returns it again. */
const create: Command<CreateFlags> = async (call, flags) => {
  const { client } = await call.connect()
  const { label, scope, collection, expires } = flags
  const collectionId =
    collection === undefined
      ? undefined
      : (await client.collections.get(pathOf(parseReference(collection)))).id
  const expiresAt = expires === undefined ? undefined : endOf(expires)
  // As on the page of keys: only the scope `admin` manages and deletes.
  const roleCap = scope === 'admin' ? null : 'member'
  const made = await client.keys.create({ label, scope, collectionId, roleCap, expiresAt })
  if (flags.json) return call.json(made)
  await call.line(made.key)
  call.say(
    `The key is not shown again. ${made.expiresAt === null ? 'It does not expire.' : `It expires ${timeText(made.expiresAt)}.`}`,
  )
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

export default create
