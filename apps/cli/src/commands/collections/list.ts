import type { Command } from '../../context.ts'
import { table } from '../../terminal/table.ts'
import { limited } from '../limited.ts'

type ListFlags = {
  readonly search?: string
  readonly topic?: readonly string[]
  readonly license?: string
  readonly type?: readonly string[]
  readonly size?: 'small' | 'medium' | 'large'
  readonly limit?: number
}

interface Listed {
  readonly owner: string
  readonly slug: string
  readonly name: string
  readonly public?: boolean
  readonly fork: boolean
}

/** `ulmus collections list [OWNER]`: lists the user's own collections, those of an account, or with a flag of a search public ones. */
const list: Command<ListFlags, [owner?: string]> = async (call, flags, owner) => {
  const { client } = await call.connect()
  const { search, topic, license, type, size } = flags
  const asked = { search, topic: topic && [...topic], license, type: type && [...type], size }
  const source = Object.values(asked).some((value) => value !== undefined)
    ? client.collections.browseAll({ ...asked, owner })
    : owner !== undefined
      ? client.collections.listAll(owner)
      : client.accounts.collections()
  const rows: string[][] = []
  const found = await limited<ListedItem>(call, source, flags.limit)
  for (const one of found) {
    const { owner: by, slug, name, public: isPublic, fork } = shown(one, owner)
    rows.push([`${by}/${slug}`, isPublic === false ? 'private' : 'public', fork ? 'fork' : '', name])
  }
  if (flags.json) return call.json(found)
  await table(call, ['collection', 'visible', '', 'name'], rows)
}

interface ListedItem {
  readonly slug: string
  readonly name: string
  readonly ownerSlug?: string
  readonly public?: boolean
  readonly fork: boolean
}

const shown = (one: ListedItem, owner = ''): Listed => ({
  owner: one.ownerSlug ?? owner,
  slug: one.slug,
  name: one.name,
  public: one.public,
  fork: one.fork,
})

export default list
