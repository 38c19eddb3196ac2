import { type Json, withMembersInOrder } from '@ulmus/content'
import type { DiffPage } from '@ulmus/wire'
import { command, noun } from '../../command.ts'
import type { Call, CommonFlags, TrustedFlag } from '../../context.ts'
import { collectionOf, type FolderState, readState } from '../../folder/base/state.ts'
import { checkView } from '../../folder/base/verified-version.ts'
import { type Counts, changesOf, type Folder, folderRecordChanges } from '../../folder/changes/changes.ts'
import {
  composed,
  type Difference,
  fieldDifferences,
  localDifferences,
  remoteDifferences,
} from '../../folder/changes/differences.ts'
import { checkedCollection, inFolder, remoteOf } from '../../folder/changes/open.ts'
import { findRoot } from '../../folder/files/layout.ts'
import { flag, optional, trusted } from '../../parameters.ts'
import { type CollectionName, parseReference, pathOf, type Reference } from '../../reference.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { jsonText } from '../../terminal/harmless.ts'
import { painted } from '../../terminal/text.ts'
import { countsText } from './status.ts'

type DiffFlags = TrustedFlag & {
  readonly stat: boolean
  readonly exitCode: boolean
}

/** Output lines for differences outside of records. */
type Parts = readonly string[]

interface Compared {
  readonly records: AsyncIterable<Difference>
  /** Schemas of the newer side, by type. They determine the order of fields. */
  readonly schemas: () => Promise<ReadonlyMap<string, unknown>>
  /** Available once the first record has been read. */
  parts(): Parts
}

/** `ulmus diff [V1] [V2]`: compares the folder with its base, the folder with a version, or two versions. */
const diff = command<DiffFlags, [from?: string, to?: string]>({
  brief: 'Show differences, by type, record and field',
  description:
    'Without a version, compares this folder with its base version. Inside a working folder write v1.2.0, elsewhere owner/slug@v1.2.0.',
  page: 'Compare the folder with its base or another version, or two versions. `--stat` shows counts only, `--exit-code` exits with 1 if anything differs',
  flags: { stat: flag('Show counts only'), exitCode: flag('Exit with 1 if anything differs'), trusted },
  positional: {
    kind: 'tuple',
    parameters: [
      optional('from', 'Version to compare from (default: the base version)'),
      optional('to', 'Version to compare to (default: this folder)'),
    ],
  },
  run: async (call, flags, from, to) => {
    const isDifferent =
      from === undefined || to === undefined
        ? await inFolder(call, async (folder, state) =>
            show(
              call,
              flags,
              from === undefined ? ofBase(folder) : await ofVersion(call, flags, folder, state, from),
            ),
          )
        : await show(call, flags, await ofVersions(call, flags, from, to))
    if (isDifferent && flags.exitCode) call.terminal.fail(exitCodes.failed)
  },
})

function ofBase(folder: Folder): Compared {
  return {
    records: localDifferences(folderRecordChanges(folder)),
    schemas: async () => schemasIn(folder),
    parts: () => partsOf(folder),
  }
}

const schemasIn = ({ schemas }: Folder): ReadonlyMap<string, unknown> =>
  new Map([...schemas].map(([type, { source }]) => [type, source]))

function partsOf(folder: Folder): Parts {
  const { schemas, metadata, addedFiles } = changesOf(folder)
  return [
    ...schemas.map(({ type, before, after }) => {
      const did = before === undefined ? 'is new' : after === undefined ? 'is removed' : 'has another schema'
      return `${type} ${did}`
    }),
    ...Object.keys(metadata).map((name) => `metadata: ${name}`),
    ...addedFiles.map(({ path }) => `new file: ${path}`),
  ]
}

/** From the version to the folder: the registry's diff to the base, composed with the folder's changes. */
async function ofVersion(
  call: Call,
  { trusted }: TrustedFlag,
  folder: Folder,
  state: FolderState,
  from: string,
): Promise<Compared> {
  const remote = await remoteOf(call, state, trusted)
  const { source, collection } = remote
  const { version } = versionIn(from, () => collection)
  const { base } = folder
  if (base === null || version === undefined) return ofBase(folder)
  await checkedCollection(folder.root, state, remote)
  await checkView(source, base)
  const pages = source.client.versions.diff(source.collection, version, base.semver, {
    limit: 2_000,
    signal: call.signal,
  })
  let first: DiffPage | undefined
  const toBase = remoteDifferences(pages, (page) => {
    first ??= page
  })
  return {
    records: composed(toBase, localDifferences(folderRecordChanges(folder))),
    schemas: async () => schemasIn(folder),
    parts: () => [...remoteParts(first), ...partsOf(folder)],
  }
}

async function ofVersions(
  call: Call,
  { trusted }: TrustedFlag,
  fromText: string,
  toText: string,
): Promise<Compared> {
  const from = versionIn(fromText, () => {
    const root = findRoot(call.terminal.cwd)
    return root === undefined ? undefined : collectionOf(readState(root))
  })
  const to = versionIn(toText, () => from)
  const { client } = await call.connect({ host: to.host, jobOf: trusted ? pathOf(to) : undefined })
  const isOther = pathOf(from) !== pathOf(to)
  const fromVersion = `${isOther ? `${pathOf(from)}@` : ''}${from.version ?? 'latest'}`
  const pages = client.versions.diff(pathOf(to), fromVersion, to.version ?? 'latest', {
    limit: 2_000,
    signal: call.signal,
  })
  let first: DiffPage | undefined
  const records = remoteDifferences(pages, (page) => {
    first ??= page
  })
  const schemas = async () =>
    new Map(Object.entries(await client.versions.schemas(pathOf(to), to.version ?? 'latest')))
  return { records, schemas, parts: () => remoteParts(first) }
}

/** A complete reference, or a version of the given collection. */
function versionIn(text: string, here: () => CollectionName | undefined): Reference {
  const around = text.includes('/') ? undefined : here()
  return around === undefined
    ? parseReference(text)
    : parseReference(`@${text.replace(/^@/, '')}`, () => around)
}

function remoteParts(page: DiffPage | undefined): Parts {
  if (page === undefined) return []
  const { schemaChanges = [], metadataChanged, filesAdded = [], filesRemoved = [] } = page.meta
  return [
    ...schemaChanges.flatMap(({ type, changes }) => changes.map((change) => `${type} ${change}`)),
    ...(metadataChanged ? ['metadata'] : []),
    ...filesAdded.map((hash) => `new file: ${hash}`),
    ...filesRemoved.map((hash) => `no more: ${hash}`),
  ]
}

/** @returns true if anything differs */
async function show(call: Call, flags: DiffFlags & CommonFlags, compared: Compared): Promise<boolean> {
  if (!flags.json) await call.terminal.page()
  const counts = new Map<string, Counts>()
  const writer = flags.json || flags.stat ? undefined : new RecordWriter(call, compared.schemas)
  const all: Difference[] = []
  for await (const difference of compared.records) {
    const { type, change } = difference
    const before = counts.get(type) ?? { added: 0, updated: 0, removed: 0 }
    counts.set(type, { ...before, [change]: before[change] + 1 })
    if (flags.json && !flags.stat) all.push(difference)
    await writer?.write(difference)
  }
  const parts = compared.parts()
  if (flags.json)
    await call.json({ counts: Object.fromEntries(counts), parts, ...(flags.stat ? {} : { records: all }) })
  else {
    if (flags.stat) for (const [type, count] of counts) await call.line([`${type}  `, countsText(count)])
    for (const part of parts) await call.line(part)
  }
  return counts.size > 0 || parts.length > 0
}

/** Maximum length of a value shown. Characters. */
const valueLength = 100

class RecordWriter {
  readonly #call: Call
  readonly #read: Compared['schemas']
  #type: string | undefined
  #schemas: ReadonlyMap<string, unknown> | undefined

  constructor(call: Call, schemas: Compared['schemas']) {
    this.#call = call
    this.#read = schemas
  }

  async write({ type, id, change, visibility, ...difference }: Difference): Promise<void> {
    const { line } = this.#call
    this.#schemas ??= await this.#read()
    const schema = this.#schemas.get(type)
    const inOrder = (value: Json | undefined) =>
      value === undefined ? undefined : withMembersInOrder(value, schema)
    const [before, after] = [inOrder(difference.before), inOrder(difference.after)]
    if (this.#type !== type) await line(painted('bold', type))
    this.#type = type
    const turned = visibility === undefined ? '' : `  (${visibility} now)`
    if (change === 'added') return line(painted('green', `  + ${id}  ${valueText(after)}${turned}`))
    if (change === 'removed') return line(painted('red', `  - ${id}  ${valueText(before)}`.trimEnd()))
    await line(painted('yellow', `  ~ ${id}${turned}`))
    if (before === undefined) return
    for (const field of fieldDifferences(before, after)) {
      const path = field.path === '' ? '(the whole)' : field.path
      await line([
        `      ${path}: `,
        painted('red', valueText(field.before) || '–'),
        ' → ',
        painted('green', valueText(field.after) || '–'),
      ])
    }
  }
}

function valueText(value: Json | undefined): string {
  if (value === undefined) return ''
  const text = jsonText(value)
  return text.length > valueLength ? `${text.slice(0, valueLength - 1)}…` : text
}

export default noun({
  section: 'The working folder',
  words: {
    diff: { command: diff, group: 'Publish', place: 30 },
  },
})
