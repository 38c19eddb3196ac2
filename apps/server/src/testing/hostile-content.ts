/** Public collections whose records, schemas and metadata are as large as they may be, each costly in another way, and what reads them. */
import { type JsonObject, tableColumns } from '@ulmus/content'
import { expectStatus, fileHash, type TestClient, type TestResponse } from './test-client.ts'

const mebibyte = 1024 ** 2
/** Records of a type, by default. */
const recordsMax = 30
/** Records of each type that the second version changes. */
const changedMax = 3
/** Just below the limit of a record with the longest id and type. Bytes. */
const recordBytes = 8 * mebibyte - 2_048
/** Just below the limit of a schema. Bytes. */
const schemaBytes = 262_144 - 1_024
/** An id of the maximum length. */
const longest = (n: number): string => `${n}-`.padEnd(1_024, 'i')
/** Items of which JSON takes about so many bytes. */
const filled = <T>(bytes: number, item: (n: number) => T): T[] => {
  const items: T[] = []
  for (let size = 200; size < bytes; size += JSON.stringify(items.at(-1)).length + 1)
    items.push(item(items.length))
  return items
}
const members = (bytes: number, item: (n: number) => [name: string, value: unknown]): object =>
  Object.fromEntries(filled(bytes, item))
/** Members that every schema lists. */
const both = { n: {}, version: {} }

interface HostileType {
  schema(version: number): object
  /** Default: 30. */
  readonly records?: number
  /** A value, or its JSON. */
  data(n: number, version: number): object | string
}
type Types = Readonly<Record<string, HostileType>>

const text = { type: 'string' } as const

/** A type name of the maximum length. */
const nameOf = (type: string): string => `${type}-`.padEnd(128, 't')

/** JSON of objects and lists of nearly 8 MiB. */
const manyMembers = `{${Array.from({ length: 700_000 }, (_, at) => `"m${at}":${at % 7}`)}}`
const manyLists = `[${Array.from({ length: 70_000 }, () => `${'['.repeat(55)}${']'.repeat(55)}`)}]`

/** Records of 8 MiB. */
const largeRecords: Types = {
  Letters: {
    schema: () => ({ properties: { letter: text, list: { type: 'array', items: text }, version: text } }),
    records: recordsMax,
    data: (n, version) => ({
      letter: 'x'.repeat(recordBytes / 2) + (n % 3),
      list: ['y'.repeat(recordBytes / 2 - 100)],
      version: `${version}`,
    }),
  },
  Members: {
    schema: () => ({ properties: { ...both, object: { type: 'object' } } }),
    records: 1,
    data: (n, version) => `{"object":${manyMembers},"n":${n},"version":${version}}`,
  },
  Nested: {
    schema: () => ({}),
    records: 1,
    data: (n, version) => `{"lists":${manyLists},"n":${n},"version":${version}}`,
  },
}

/** Just below the size up to which pages show a record's values. Bytes. */
const displayedBytes = 262_144 - 2_048
const displayedMembers = members(displayedBytes, (at) => [`m${at}`, 0])
const displayedZeros = filled(displayedBytes, () => 0)
const displayedNests = filled(displayedBytes, () => [[[[[[{}]]]]]])

/** The largest records that pages show. */
const displayedRecords: Types = {
  Zeros: { schema: () => ({}), data: (n, version) => ({ zeros: displayedZeros, n, version }) },
  Object: {
    schema: () => ({ properties: { ...both, object: { type: 'object' } } }),
    data: (n, version) => ({ object: displayedMembers, n, version }),
  },
  Fields: { schema: () => ({}), data: (n, version) => ({ ...displayedMembers, n, version }) },
  Nests: { schema: () => ({}), data: (n, version) => ({ nests: displayedNests, n, version }) },
  // As many as a map has dots.
  Places: {
    schema: () => ({
      properties: { ...both, name: text, geometry: {}, lat: { type: 'number' }, lon: { type: 'number' } },
    }),
    records: 2_000,
    data: (n, version) => ({
      ...{ name: '<\u00fc '.repeat(50) + n, lat: 80 * Math.sin(n), lon: 180 * Math.sin(n * n), n, version },
      geometry: { type: 'Point', coordinates: [n / 20, n / 40] },
    }),
  },
  Text: {
    schema: () => ({ properties: { ...both, text } }),
    data: (n, version) => ({ text: '<\u00fc '.repeat(displayedBytes / 8) + n, n, version }),
  },
}

/** Schemas of 256 KiB, and the records of their types. */
const schemaTypes: Types = {
  Properties: {
    schema: (version) => ({
      properties: members(schemaBytes - 30_000, (n) => [`p${n}`, n === 0 ? { title: `${version}` } : {}]),
    }),
    data: (n, version) => members(30_000, (at) => [`p${at}`, `${n} ${version}`]),
  },
  Objects: {
    schema: (version) => ({
      properties: members(20_000, (n) => [
        `o${n}`,
        { type: 'object', properties: { a: { type: 'integer', minimum: -version }, b: text, c: text } },
      ]),
    }),
    data: (n, version) => members(5_000, (at) => [`o${at}`, { a: n, b: `${version}`, c: '' }]),
  },
  Words: {
    schema: (version) => ({
      title: 't'.repeat(40_000),
      description: '# d\n\n'.repeat(10_000),
      properties: {
        ...both,
        ...members(schemaBytes - 140_000, (n) => [
          `p${n}`,
          { title: 't'.repeat(5_000) + version, description: 'd '.repeat(5_000) },
        ]),
      },
    }),
    data: (n, version) => ({ p1: n, version }),
  },
  Enums: {
    schema: (version) => ({
      properties: {
        one: { enum: filled(20_000, (n) => n + version) },
        other: { enum: filled(10_000, (n) => `${n}`) },
      },
    }),
    data: (n) => ({ one: 10 + n, other: `${n}` }),
  },
  Names: {
    schema: () => ({
      properties: { ...both, ...members(schemaBytes - 10_000, (n) => [`${n}${'n'.repeat(8_000)}`, {}]) },
    }),
    data: (n, version) => ({ [`1${'n'.repeat(8_000)}`]: n, version }),
  },
  Examples: {
    schema: (version) => ({ examples: [version, ...filled(schemaBytes, () => [])] }),
    data: (n, version) => ({ n, version }),
  },
  References: {
    schema: () => ({
      properties: members(50_000, (n) => [`r${n}`, { type: 'string', 'x-ref-type': nameOf('Properties') }]),
    }),
    data: (_, version) => members(10_000, (at) => [`r${at}`, longest(version)]),
  },
  Required: {
    schema: () => ({
      properties: members(40_000, (n) => [`p${n}`, {}]),
      required: filled(20_000, (n) => `p${n}`),
    }),
    data: (n, version) => ({ ...members(36_000, (at) => [`p${at}`, n + version]) }),
  },
}

/** Metadata of 1 MiB. */
const metadata: Readonly<Record<string, object>> = {
  records: { readme: 'x'.repeat(990_000), description: '\u00fc'.repeat(10_000) },
  schemas: {
    readme: '[a](b) **c** '.repeat(3_800),
    description: 'd'.repeat(400_000),
    title: 't'.repeat(100_000),
    creators: filled(150_000, (n) => ({ name: `${n}${'c'.repeat(300)}` })),
    keywords: filled(150_000, (n) => `keyword ${n}`),
    license: 'l'.repeat(50_000),
  },
}

const contents: Readonly<Record<string, Types>> = {
  records: largeRecords,
  shown: displayedRecords,
  schemas: schemaTypes,
}

export interface HostileCollection {
  /** `/ada/records` */
  readonly path: string
  readonly versions: readonly [first: string, last: string]
  /** Names of the types that are asked for one by one. */
  readonly types: readonly string[]
  /** Id of a record of each type. */
  readonly id: string
  /** Hash of a file. */
  readonly file: string
  /** Columns of a type, the first ones. */
  fields(type: string): string[]
}

function contentOf(slug: string, versions: HostileCollection['versions']): HostileCollection {
  const types = contents[slug]!
  return {
    ...{ path: `/ada/${slug}`, versions, id: longest(1), file: fileHash('file') },
    types: Object.keys(types).map(nameOf),
    fields: (type) => {
      const [, { schema }] = Object.entries(types).find(([name]) => nameOf(name) === type)!
      const columns = tableColumns(schema(1) as JsonObject).slice(1)
      return columns.flatMap(({ name }) => (name.length < 100 ? [name] : [])).slice(0, 7)
    },
  }
}

/** Publishes each collection in two versions, with other schemas and some other records. */
export async function buildHostile(owner: TestClient): Promise<HostileCollection[]> {
  const made: HostileCollection[] = []
  for (const [slug, types] of Object.entries(contents)) {
    const path = `/collections/ada/${slug}`
    await jsonOf(
      owner.post('/accounts/ada/collections', {
        ...{ slug, public: true, name: '\u00fc'.repeat(200), description: '\u00fc'.repeat(9_000) },
      }),
    )
    await jsonOf(owner.upload(path, 'file', `text/${'x'.repeat(80)}`))
    const versions: string[] = []
    for (const version of [1, 2]) {
      const schemas = Object.fromEntries(
        Object.entries(types).map(([type, { schema }]) => [nameOf(type), schema(version)]),
      )
      const base_version = versions.at(-1) ?? null
      const opening = {
        ...{ base_version, schemas, message: 'm'.repeat(10_000) },
        ...(version === 1 && { metadata: { ...metadata[slug] } }),
      }
      const { session_id } = await jsonOf(owner.post(`${path}/pushes`, opening))
      for (const lines of batchesOf(types, version))
        await jsonOf(owner.lines(`${path}/pushes/${session_id}/records`, lines))
      versions.push((await jsonOf(owner.post(`${path}/pushes/${session_id}/commit`))).semver)
    }
    made.push(contentOf(slug, [versions[0]!, versions[1]!]))
  }
  return made
}

/** Lines of records, in batches of at most some 16 MiB. */
function* batchesOf(types: Types, version: number): Generator<string[]> {
  let lines: string[] = []
  let size = 0
  for (const [type, { records, data }] of Object.entries(types)) {
    const most = version === 1 ? (records ?? recordsMax) : Math.min(records ?? recordsMax, changedMax)
    for (let n = 1; n <= most; n++) {
      const value = data(n, version)
      const json = typeof value === 'string' ? value : JSON.stringify(value)
      const line = `{"id":"${longest(n)}","type":"${nameOf(type)}","data":${json}}`
      lines.push(line)
      size += line.length
      if (size < 7 * mebibyte) continue
      yield lines
      lines = []
      size = 0
    }
  }
  yield lines
}

const jsonOf = async (pending: Promise<TestResponse>) => (await expectStatus(pending)).json
