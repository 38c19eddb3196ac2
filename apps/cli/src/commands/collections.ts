/** Commands that list, create, change, transfer, delete and fork collections. */
import { buildRouteMap } from '@stricli/core'
import type { UpdatedCollection } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import type { Call } from '../context.ts'
import { referenceHere } from '../folder/base/here.ts'
import { flag, limit, optional, required, several, text } from '../parameters.ts'
import { parseReference, pathOf } from '../reference.ts'
import { askYes, confirmTyped } from '../terminal/ask.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { CommandError, usageError } from '../terminal/failure.ts'
import { shellWord } from '../terminal/shell-word.ts'
import { table } from '../terminal/table.ts'
import { type VisibilityFlags, visibilityIn, visibilityMade } from '../visibility.ts'
import { limited } from './limited.ts'

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
const list = command<ListFlags, [owner?: string]>({
  brief: 'List your collections, or those of an account',
  page: 'List your collections, or those of an account; `--search words` searches public ones, `--topic birds` those with a topic (repeat it for several), `--license CC0-1.0`, `--type Country` (repeat it for several) and `--size` (`small`, `medium`, `large`) those whose latest version has them; `--limit`',
  flags: {
    search: text('words', 'Search public collections'),
    topic: several('topic', 'List public collections with the topic'),
    license: text('license', 'List public collections with the license'),
    type: several('type', 'List public collections with the type'),
    size: {
      kind: 'enum',
      values: ['small', 'medium', 'large'],
      optional: true,
      brief: 'List public collections of at most 1,000, at most 100,000 or more records',
    },
    limit,
  },
  positional: {
    kind: 'tuple',
    parameters: [optional('owner', 'Account (default: yours and your organizations)')],
  },
  run: async (call, flags, owner) => {
    const { client } = await call.connect()
    const { search, topic, license, type, size } = flags
    const filters = { search, topic: topic && [...topic], license, type: type && [...type], size }
    const source = Object.values(filters).some((value) => value !== undefined)
      ? client.collections.browseAll({ ...filters, owner })
      : owner !== undefined
        ? client.collections.listAll(owner)
        : client.accounts.collections()
    const rows: string[][] = []
    const found = await limited<ListedItem>(call, source, flags.limit)
    for (const one of found) {
      const { owner: by, slug, name, public: isPublic, fork } = listedOf(one, owner)
      rows.push([`${by}/${slug}`, isPublic === false ? 'private' : 'public', fork ? 'fork' : '', name])
    }
    if (flags.json) return call.json(found)
    await table(call, ['collection', 'visible', '', 'name'], rows)
  },
})

interface ListedItem {
  readonly slug: string
  readonly name: string
  readonly ownerSlug?: string
  readonly public?: boolean
  readonly fork: boolean
}

const listedOf = (one: ListedItem, owner = ''): Listed => ({
  owner: one.ownerSlug ?? owner,
  slug: one.slug,
  name: one.name,
  public: one.public,
  fork: one.fork,
})

type CreateFlags = VisibilityFlags & { readonly name?: string; readonly description?: string }

/** `ulmus collections create owner/slug`: creates a collection without versions, and prints its path. */
const create = command<CreateFlags, [reference: string]>({
  brief: 'Create a collection',
  description: 'Visibility defaults to the setting of the organization, else private.',
  page: 'Create a collection: `--name`, `--description`, `--public`, `--private` (default: the setting of its organization, else private)',
  takesNewCollection: true,
  flags: {
    name: text('text', 'Display name (default: the slug)'),
    description: text('text', 'Short description'),
    public: flag('Make it public'),
    private: flag('Make it private'),
  },
  positional: { kind: 'tuple', parameters: [required('owner/slug', 'Path of the new collection')] },
  run: async (call, flags, text) => {
    const wanted = visibilityIn(flags)
    const { host: named, owner, slug } = parseReference(text)
    const { client, host } = await call.connect({ host: named })
    const { name, description } = flags
    const made = await client.collections.create(owner, { slug, name, description, ...wanted })
    if (flags.json) return call.json(made)
    const collection = `${made.owner}/${made.slug}`
    await call.line(collection)
    call.say(`Created the collection ${collection}, ${await visibilityMade(client, collection, wanted)}.`)
    call.say(`${host}/${collection}`)
  },
})

type EditFlags = VisibilityFlags & {
  readonly name?: string
  readonly description?: string
  readonly slug?: string
  readonly openOlder: boolean
}

/** `ulmus collections edit REF`: changes name, description, slug or visibility; fields without a flag stay. */
const edit = command<EditFlags, [reference: string]>({
  brief: 'Change a collection',
  page: 'Change `--name`, `--description`, `--slug`, `--public`, `--private`. `--public` names what older versions would show that the latest one does not, and asks; in scripts it is refused (exit code 6) unless `--open-older` is given',
  flags: {
    name: text('text', 'Display name'),
    description: text('text', 'Short description'),
    slug: text('slug', 'New slug (the old one redirects)'),
    public: flag('Make it public'),
    private: flag('Make it private'),
    openOlder: flag('With --public: open older versions that show more than the latest one'),
  },
  positional: { kind: 'tuple', parameters: [required('owner/slug', 'Collection')] },
  run: async (call, flags, text) => {
    const { name, description, slug } = flags
    const changes = { name, description, slug, ...visibilityIn(flags) }
    if (Object.values(changes).every((value) => value === undefined))
      throw usageError('Nothing to change. Use --name, --description, --slug, --public or --private.')
    const reference = referenceHere(call.terminal.cwd, text)
    const { client } = await call.connect({ host: reference.host })
    if (changes.public === true && !flags.openOlder)
      await confirmOlder(
        call,
        pathOf(reference),
        await client.collections.update(pathOf(reference), changes, { dryRun: true }),
      )
    const done = await client.collections.update(pathOf(reference), changes)
    if (flags.json) return call.json(done)
    call.say(`${pathOf(reference)} is changed.`)
  },
})

/** Names what older versions would show. Asks on a terminal; elsewhere `--open-older` answers. @throws CommandError (cancelled, refused) */
async function confirmOlder(
  { terminal }: Call,
  collection: string,
  { warnings = [] }: UpdatedCollection,
): Promise<void> {
  if (warnings.length === 0) return
  const what = [
    `Older versions of ${collection} would become public, too, and show more than the latest one:`,
    ...warnings.map(({ message }) => `- ${message}`),
  ].join('\n')
  if (terminal.canAsk && (await askYes(`${what}\nMake them public as they are?`, false))) return
  const versions = [...new Set(warnings.flatMap((warning) => warning.versions))]
  throw new CommandError(
    `${what}\nNothing was changed. Withdraw these versions first, or open them with --open-older.`,
    {
      ...{ exitCode: terminal.canAsk ? exitCodes.cancelled : exitCodes.refused, code: 'older_versions' },
      next: versions
        .slice(0, 5)
        .map((version) => `ulmus withdraw ${shellWord(`${collection}@${version}`)} --reason '…'`),
      body: { warnings },
    },
  )
}

/** `ulmus collections transfer owner/slug TO`: moves a collection to another account; the old path redirects. */
const transfer = command<Record<never, never>, [reference: string, to: string]>({
  brief: 'Transfer a collection to another account',
  page: 'Transfer it to a user, or to an organization of which you are an admin; the former address redirects',
  positional: {
    kind: 'tuple',
    parameters: [required('owner/slug', 'Collection'), required('to', 'Slug of a user or an organization')],
  },
  run: async (call, flags, text, to) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const { client, host } = await call.connect({ host: reference.host })
    const moved = await client.collections.transfer(pathOf(reference), to)
    if (flags.json) return call.json(moved)
    await call.line(pathOf(moved))
    call.say(`${host}/${pathOf(moved)}; the former address redirects there.`)
  },
})

type DeleteFlags = { readonly yes: boolean }

/** `ulmus collections delete REF`: deletes a collection with all versions. The user types its path, or gives `--yes`. */
const remove = command<DeleteFlags, [reference: string]>({
  brief: 'Delete a collection and all its versions',
  page: 'Delete a collection; asks you to type its name, unless `--yes`',
  flags: { yes: flag('Skip the confirmation') },
  positional: { kind: 'tuple', parameters: [required('owner/slug', 'Collection')] },
  run: async (call, flags, text) => {
    const reference = parseReference(text)
    const collection = pathOf(reference)
    const { client } = await call.connect({ host: reference.host })
    if (!flags.yes) {
      const loss = `All versions of ${collection} would be deleted.`
      await confirmTyped(call.terminal, loss, collection, 'Nothing was deleted.')
    }
    const done = await client.collections.remove(collection)
    if (flags.json) return call.json(done)
    call.say(`${collection} is deleted.`)
  },
})

type ForkFlags = { readonly slug?: string; readonly private: boolean; readonly publicView: boolean }

/** `ulmus fork REF [ORG]`: forks a collection within its registry, and prints the path of the fork. */
const fork = command<ForkFlags, [reference: string, org?: string]>({
  brief: 'Fork a collection',
  page: 'Fork a collection without copying data, into your account or an organization; `--slug`, `--private`. `--public-view` leaves out private content',
  flags: {
    slug: text('slug', 'Slug of the fork (default: the slug of the source)'),
    private: flag('Make the fork private (default: the visibility of the source)'),
    publicView: flag('Fork the public view alone, without private content'),
  },
  positional: {
    kind: 'tuple',
    parameters: [
      required('owner/slug', 'Collection to fork'),
      optional('org', 'Organization to fork into (default: your account)'),
    ],
  },
  run: async (call, flags, text, targetOrg) => {
    const reference = parseReference(text)
    const { client, host } = await call.connect({ host: reference.host })
    const what = {
      ...{ targetOrg, slug: flags.slug },
      ...(flags.private ? { public: false } : {}),
      ...(flags.publicView ? { view: 'public' as const } : {}),
    }
    const made = await client.collections.fork(pathOf(reference), what)
    if (flags.json) return call.json(made)
    await call.line(`${made.owner}/${made.slug}`)
    call.say(`${host}/${made.owner}/${made.slug}`)
  },
})

const collections = buildRouteMap({
  docs: { brief: 'Collections: list, create, edit, transfer, delete' },
  routes: { list, create, edit, transfer, delete: remove },
})

export default noun({
  section: 'Collections and versions',
  words: {
    collections: {
      command: collections,
      group: 'Manage',
      place: 10,
      line: ['collections, orgs, keys', 'list, create, change'],
    },
    fork: {
      command: fork,
      group: 'Manage',
      place: 120,
      line: ['fork', 'fork a collection, without copying data'],
    },
  },
})
