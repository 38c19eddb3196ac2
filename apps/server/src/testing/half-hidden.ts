/**
 * Fixture: collections with private parts that differ between versions, and the part that any caller may see, computed from the content
 * model (§6) alone. Every name and value that may be private contains a token of its own, so a search for tokens finds each leak, in any
 * format.
 */
import { hash } from 'node:crypto'
import fc from 'fast-check'
import { pushVersion } from './stage.ts'
import { expectStatus, fileHash, type TestClient } from './test-client.ts'

const tokenPattern = /z[0-9a-f]{10}q/g
export const tokensIn = (text: string): string[] => text.match(tokenPattern) ?? []
export const tokenOf = (seed: string): string => `z${hash('sha256', seed).slice(0, 10)}q`

type Data = Record<string, unknown>

interface RecordPlan {
  isThere: boolean
  isPrivate: boolean
  /** Selects its values. */
  variant: number
}

interface TypePlan {
  isThere: boolean
  isPrivate: boolean
  /** One flag per entry of `fields`. */
  privateFields: readonly boolean[]
  records: readonly RecordPlan[]
}

/** One version. All versions have the same types, fields and records. */
interface VersionPlan {
  types: readonly TypePlan[]
  /** In the metadata. */
  license: string
}

export interface Plan {
  seed: string
  versions: readonly VersionPlan[]
  /** Index of the version after which a member forks the collection. */
  forkedAfter: number
  /** True if the collection itself becomes private in the end. Its fork is public. */
  endsPrivate: boolean
}

const fields = ['plain', 'nested', 'file', 'refers'] as const
const typesCount = 3
const recordsCount = 4

const often = fc.nat({ max: 3 }).map((n) => n > 0)
const recordPlan = fc.record({ isThere: often, isPrivate: fc.boolean(), variant: fc.nat({ max: 1 }) })
const typePlan = fc.record({
  isThere: often,
  isPrivate: fc.boolean(),
  privateFields: fc.array(fc.boolean(), { minLength: fields.length, maxLength: fields.length }),
  records: fc.array(recordPlan, { minLength: recordsCount, maxLength: recordsCount }),
})
const versionPlan = fc.record({
  types: fc.array(typePlan, { minLength: typesCount, maxLength: typesCount }),
  license: fc.constantFrom('MIT', 'CC0-1.0'),
})

/** Makes two records of the first type public in every version, so that something is always visible. */
const withSomethingOpen = ({ types: [first, ...types], license }: VersionPlan): VersionPlan => {
  const open = { isThere: true, isPrivate: false }
  const records = first!.records.map((record, n) => (n < 2 ? { ...record, ...open } : record))
  return { types: [{ ...first!, ...open, records }, ...types], license }
}

/** Change between two versions: everything; the privacy of one part; or only hidden content. */
type Step =
  | { does: 'replace'; to: VersionPlan }
  | { does: 'turn'; type: number; what: number }
  | { does: 'change hidden'; which: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constant('replace' as const), to: versionPlan }),
  fc.record({
    does: fc.constant('turn' as const),
    type: fc.nat({ max: typesCount - 1 }),
    what: fc.nat({ max: fields.length + recordsCount }),
  }),
  fc.record({ does: fc.constant('change hidden' as const), which: fc.nat({ max: 11 }) }),
)

function after(before: VersionPlan, does: Step): VersionPlan {
  if (does.does === 'replace') return does.to
  const next = structuredClone(before) as {
    types: (TypePlan & { privateFields: boolean[] })[]
    license: string
  }
  if (does.does === 'turn') {
    const type = next.types[does.type]!
    const record = type.records[does.what - fields.length - 1]
    if (does.what === 0) type.isPrivate = !type.isPrivate
    else if (record === undefined) type.privateFields[does.what - 1] = !type.privateFields[does.what - 1]
    else record.isPrivate = !record.isPrivate
    return next
  }
  const hidden = next.types.flatMap(({ isThere, isPrivate, records }) =>
    records.filter((record) => isThere && record.isThere && (isPrivate || record.isPrivate)),
  )
  const changed = hidden[does.which % hidden.length]
  if (changed !== undefined) changed.variant = 1 - changed.variant
  else Object.assign(next.types[0]!.records[recordsCount - 1]!, { isThere: true, isPrivate: true })
  return next
}

export const plans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.uuid(),
  versions: fc.tuple(versionPlan, fc.array(step, { minLength: 2, maxLength: 4 })).map(([first, steps]) => {
    const versions = [withSomethingOpen(first)]
    for (const one of steps) versions.push(withSomethingOpen(after(versions.at(-1)!, one)))
    return versions
  }),
  forkedAfter: fc.nat({ max: 3 }),
  endsPrivate: fc.nat({ max: 3 }).map((n) => n === 0),
})

interface File {
  text: string
  contentType: string
  hash: string
}

/** A pushed record. */
interface Line {
  id: string
  type: string
  data: Data
  private: boolean
}

interface State {
  schemas: Record<string, Data>
  lines: Line[]
  metadata: Data
}

/** A published collection. */
export interface HalfHidden {
  readonly owner: string
  readonly slug: string
  readonly isPublic: boolean
  /** Tokens and file hashes of each version that any caller may know, by semver. */
  readonly shown: ReadonlyMap<string, ReadonlySet<string>>
  /** The subset of them from the version's message and program names, which are not part of its content. */
  readonly words: ReadonlyMap<string, ReadonlySet<string>>
  readonly latest: string
  /** Names hidden in a version that a caller may guess. */
  readonly hidden: ReadonlyMap<string, { types: string[]; records: { type: string; id: string }[] }>
  /** All file hashes of the collection. */
  readonly files: readonly string[]
  readonly typeNames: readonly string[]
}

/** Versions of a plan's collection. Unchanged versions are left out. */
export function contentOf({ seed, versions }: Plan) {
  const token = (...of: (string | number)[]) => tokenOf(`${seed}/${of.join('/')}`)
  const files = [0, 1, 2, 3].map((n): File => {
    const text =
      n === 1
        ? `<svg xmlns="http://www.w3.org/2000/svg"><title>${token('bytes', n)}</title></svg>`
        : token('bytes', n)
    const contentType = [
      'text/plain',
      'image/svg+xml',
      `text/x-${token('content type')}`,
      'application/json',
    ][n]!
    return { text, contentType, hash: fileHash(text) }
  })
  const typeName = (t: number) => `T${t}-${token('type', t)}`
  const fieldName = (t: number, field: string) => `${field}-${token('field', t, field)}`
  const idOf = (t: number, r: number) => (r === 0 ? '..' : `r${r}-${token('id', t, r)}`)
  const mark = (isPrivate: boolean) => (isPrivate ? { private: true } : {})

  function schemaOf(t: number, plan: TypePlan): Data {
    const [plain, nested, file, refers] = fields.map((field) => fieldName(t, field))
    const says = (field: string) => ({
      title: token('title', t, field),
      description: token('description', t, field),
    })
    const [a, b, c, d] = plan.privateFields.map(mark)
    return {
      ...mark(plan.isPrivate),
      title: token('title', t),
      description: token('description', t),
      $comment: token('comment', t),
      examples: [{ name: token('example', t) }],
      $defs: { [token('definition', t)]: { title: token('definition title', t) } },
      required: ['name', plain],
      properties: {
        name: { type: 'string' },
        [plain!]: { ...a, ...says('plain'), enum: [0, 1].map((n) => token('value', t, n)) },
        [nested!]: { ...b, $ref: `#/$defs/${token('definition', t)}` },
        [file!]: { ...c, ...says('file') },
        [refers!]: { ...d, ...says('refers'), 'x-ref-type': typeName((t + 1) % typesCount) },
      },
    }
  }

  function lineOf(t: number, r: number, { isPrivate, variant }: RecordPlan): Line {
    const [plain, nested, file, refers] = fields.map((field) => fieldName(t, field))
    const reference = { $file: files[(t + r + variant) % 3]!.hash }
    const data = {
      name: token('name', t, r, variant),
      [plain!]: token('value', t, variant),
      [nested!]: {
        [token('key', t, r, variant)]: [
          [{ deep: token('deep', t, r, variant) }],
          token('item', t, r, variant),
        ],
      },
      [file!]: variant === 0 ? reference : { pictures: [reference] },
      // The target of the reference may be hidden.
      [refers!]: r % 2 === 0 ? idOf((t + 1) % typesCount, r) : [idOf((t + 1) % typesCount, r)],
    }
    return { id: idOf(t, r), type: typeName(t), data, private: isPrivate }
  }

  const states = versions.map(({ types, license }): State => {
    const there = types.flatMap((plan, t) => (plan.isThere ? [[t, plan] as const] : []))
    return {
      schemas: Object.fromEntries(there.map(([t, plan]) => [typeName(t), schemaOf(t, plan)])),
      lines: there.flatMap(([t, { records }]) =>
        records.flatMap((record, r) => (record.isThere ? [lineOf(t, r, record)] : [])),
      ),
      metadata: { license, description: 'Half of it is hidden' },
    }
  })
  /** Marks of records in a private type are no change by themselves. */
  const changing = ({ schemas, lines, ...rest }: State) =>
    JSON.stringify({
      ...rest,
      schemas,
      lines: lines.map((line) => ({ ...line, private: line.private && !schemas[line.type]!['private'] })),
    })
  const isNew = (state: State, n: number) => n === 0 || changing(state) !== changing(states[n - 1]!)
  return {
    states: states.filter(isNew),
    files,
    typeNames: versions[0]!.types.map((_, t) => typeName(t)),
    token,
  }
}

const membersOf = (schema: Data) => schema['properties'] as Record<string, Data>
const privateFieldsOf = (schema: Data): string[] =>
  Object.entries(membersOf(schema)).flatMap(([name, { private: isPrivate }]) =>
    isPrivate === true ? [name] : [],
  )

const without = (value: Data, names: readonly string[]): Data =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** Public part of a version, by the content model. */
function publicOf({ schemas, lines, metadata }: State): State {
  const openTypes = Object.entries(schemas).filter(([, schema]) => schema['private'] !== true)
  const isPrivateType = (name: unknown) => schemas[name as string]?.['private'] === true
  const opened = openTypes.map(([type, schema]) => {
    const hidden = privateFieldsOf(schema)
    const properties = Object.entries(without(membersOf(schema), hidden)).map(([name, field]) => [
      name,
      isPrivateType((field as Data)['x-ref-type']) ? without(field as Data, ['x-ref-type']) : field,
    ])
    const isReferredTo = JSON.stringify(properties).includes('#/$defs/')
    const cut = hidden.length === 0 ? [] : ['$comment', 'examples', ...(isReferredTo ? [] : ['$defs'])]
    const required = (schema['required'] as string[]).filter((name) => !hidden.includes(name))
    return [type, { ...without(schema, cut), required, properties: Object.fromEntries(properties) }]
  })
  return {
    schemas: Object.fromEntries(opened),
    lines: lines
      .filter((line) => !line.private && !isPrivateType(line.type))
      .map((line) => ({ ...line, data: without(line.data, privateFieldsOf(schemas[line.type]!)) })),
    metadata,
  }
}

/** Publishes a plan in an account. @param at called after each published version */
export async function publish(
  ada: TestClient,
  owner: string,
  plan: Plan,
  at: (version: number, made: HalfHidden) => Promise<void> = async () => {},
): Promise<HalfHidden> {
  const { states, files, typeNames, token } = contentOf(plan)
  const slug = `half-${token('slug')}`
  const path = `/collections/${owner}/${slug}`
  await expectStatus(
    ada.post(`/accounts/${owner}/collections`, { slug, name: 'Half hidden', public: true }),
    201,
  )
  for (const { text, contentType } of files) await expectStatus(ada.upload(path, text, contentType), 201)
  const shown = new Map<string, ReadonlySet<string>>()
  const wordsOf = new Map<string, ReadonlySet<string>>()
  const hidden = new Map<string, { types: string[]; records: { type: string; id: string }[] }>()
  let made: HalfHidden = {
    owner,
    slug,
    isPublic: true,
    shown,
    words: wordsOf,
    latest: '',
    hidden,
    files: files.map((one) => one.hash),
    typeNames,
  }
  for (const [n, state] of states.entries()) {
    const before = states[n - 1]
    const words = { message: token('message', n), app_id: token('app', n), actor_id: token('actor', n) }
    const { schemas, metadata } = state
    const fields = Object.values(schemas).flatMap((schema) => Object.keys(membersOf(schema)))
    const types = Object.keys(schemas)
    const confirm_public = [...types, ...types.map((type) => `${type}/*`), ...fields]
    const gone = Object.keys(before?.schemas ?? {}).filter((type) => !Object.hasOwn(schemas, type))
    const removals = Object.fromEntries(gone.map((type) => [type, null]))
    const opening = {
      schemas: { ...schemas, ...removals },
      metadata,
      files: [files[3]!.hash],
      confirm_public,
      ...words,
    }
    const semver = await pushState(ada, path, { base: made.latest || null, opening, before, state })
    const open = publicOf(state)
    const hasPublicChange = n === 0 || JSON.stringify(open) !== JSON.stringify(publicOf(before!))
    const text = JSON.stringify([open, hasPublicChange ? words : null])
    const publicFiles = files.filter((file) => text.includes(file.hash))
    const known = tokensIn(text + JSON.stringify(publicFiles))
    shown.set(semver, new Set([...known, ...publicFiles.map((file) => file.hash)]))
    wordsOf.set(semver, new Set(tokensIn(JSON.stringify(words))))
    const openIds = new Set(open.lines.map(({ type, id }) => `${type}/${id}`))
    hidden.set(semver, {
      types: typeNames.filter((type) => open.schemas[type] === undefined),
      records: state.lines.filter(({ type, id }) => !openIds.has(`${type}/${id}`) && id !== '..'),
    })
    made = { ...made, latest: semver }
    await at(n, made)
  }
  return made
}

async function pushState(
  ada: TestClient,
  path: string,
  push: { base: string | null; opening: Data; before: State | undefined; state: State },
): Promise<string> {
  const { base, opening, before, state } = push
  const kept = new Set(state.lines.map(({ type, id }) => `${type}/${id}`))
  const removed = (before?.lines ?? []).filter(
    ({ type, id }) => state.schemas[type] !== undefined && !kept.has(`${type}/${id}`),
  )
  const deletes = removed.map(({ type, id }) => ({ type, id }))
  const change = { base, opening, puts: state.lines, ...(deletes.length > 0 && { deletes }) }
  return (await pushVersion(ada, path, change)).semver
}
