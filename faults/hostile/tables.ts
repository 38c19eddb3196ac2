/** A public collection of records that are expensive to answer questions about, and the questions. */
import { createClient } from '@ulmus/client'
import { signIn } from '../../demo/sign-in.ts'
import type { Random } from '../random.ts'

/** Accounts of its own, since the lists of the workers' accounts are compared with the model. */
export const owner = 'mallory'
const bystander = 'grace'

const mebi = 1024 ** 2
/** The longest text that fits into a record of 8 MiB with its frame. */
const longest = 'a'.repeat(5 * mebi)
const wideColumns = 1_500
const narrowRows = 30_000

interface Line {
  readonly id: string
  readonly type: string
  readonly data: unknown
}

const many = (type: string, count: number, data: (n: number) => unknown): Line[] =>
  Array.from({ length: count }, (_, n) => ({ id: `${type}-${n}`, type, data: data(n) }))

const text = { type: 'string' } as const
const columns = Array.from({ length: wideColumns }, (_, n) => `c${n}`)

/** Types with their schemas and records: what is largest in one place each. */
const types: Readonly<Record<string, { schema: object; records: () => Line[] }>> = {
  /** Some kilobytes when stored. */
  Letters: {
    schema: { properties: { letter: text, list: { type: 'array', items: text } } },
    records: () =>
      many('Letters', 12, (n) => ({ letter: longest + String.fromCharCode(98 + n), list: ['b', 'c'] })),
  },
  Wide: {
    schema: { properties: Object.fromEntries(columns.map((name) => [name, text])) },
    records: () =>
      many('Wide', 20, (n) => Object.fromEntries(columns.map((name, at) => [name, `${n} ${at}`]))),
  },
  Lists: {
    schema: { properties: { list: { type: 'array', items: text }, open: { type: 'object' } } },
    records: () =>
      many('Lists', 30, (n) => ({
        list: Array.from({ length: 20_000 }, (_, at) => `${n}-${at}`),
        open: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`m${at}`, n])),
      })),
  },
  /** As large as pages show. */
  Shown: {
    schema: { properties: { object: { type: 'object' }, zeros: { type: 'array' } } },
    records: () =>
      many('Shown', 20, (n) => ({
        object: Object.fromEntries(Array.from({ length: 22_000 }, (_, at) => [`m${at}`, n])),
        zeros: Array.from({ length: 15_000 }, () => 0),
      })),
  },
  /** Long enough that 32 filters over texts take a while. */
  Narrow: {
    schema: { properties: { text, other: text } },
    records: () => many('Narrow', narrowRows, (n) => ({ text: `${n} `.repeat(60), other: `x${n % 97}` })),
  },
  /** For small questions. */
  Small: {
    schema: { properties: { n: { type: 'integer' }, name: text } },
    records: () => many('Small', 100, (n) => ({ n, name: `name ${n % 7}` })),
  },
}

export interface HostileTables {
  /** Path of the version with the tables. */
  readonly version: string
  /** Keys of the owner, who asks expensive questions, and of the bystander. */
  readonly keys: { readonly owner: string; readonly bystander: string }
}

/** Publishes the collection. */
export async function makeTables(url: string): Promise<HostileTables> {
  const [ownerKey, bystanderKey] = [await keyOf(url, owner), await keyOf(url, bystander)]
  const client = createClient({ baseUrl: url, apiKey: ownerKey })
  const schemas = Object.fromEntries(Object.entries(types).map(([type, { schema }]) => [type, schema]))
  const records = Object.values(types).flatMap(({ records }) => records())
  const pushed = { baseVersion: null, create: { public: true }, schemas, records }
  const { semver } = await client.push(`${owner}/tables`, pushed as never)
  const version = `/api/collections/${owner}/tables/versions/${semver}`
  return { version, keys: { owner: ownerKey, bystander: bystanderKey } }
}

async function keyOf(url: string, login: string): Promise<string> {
  const { fetch } = await signIn(url, { login, name: login, email: `${login}@example.org` })
  const session = createClient({ baseUrl: url, fetch })
  return (await session.keys.create({ label: 'faults', scope: 'admin' })).key
}

export interface Question {
  readonly path: string
  /** Absent: GET. */
  readonly sql?: string
}

const statements = [
  'SELECT * FROM "Letters"',
  'SELECT letter FROM "Letters" a, (SELECT 1 FROM range(100))',
  'SELECT count(*) FROM range(100000000) a, range(100000) b',
  `SELECT repeat('x', 1000000) FROM range(1000)`,
  `SELECT ${Array.from({ length: 1_000 }, (_, n) => `${n} AS "${'n'.repeat(40)}${n}"`)}`,
  'SELECT * FROM "Wide"',
  'SELECT string_agg(text) FROM "Narrow", "Wide", "Lists"',
  'SELECT 1 -- "Letters" "Wide" "Lists" "Narrow"',
]

/** An expensive question. */
export function hostileQuestion(random: Random, { version }: HostileTables): Question {
  const type = random.pick(['Letters', 'Wide', 'Lists', 'Shown', 'Narrow'])
  const at = `${version}/tables/${type}`
  const column = { Letters: 'letter', Wide: 'c7', Lists: 'list', Shown: 'zeros', Narrow: 'text' }[type]!
  // Different each time, so that a remembered answer does not help.
  const unique = `filter=_id%20ne%20${random.between(0, 1_000_000)}`
  const filters = (column === 'list' || column === 'zeros' ? ['_id'] : [column, '_id']).flatMap((name) =>
    Array.from({ length: 16 }, (_, n) => `filter=${name}%20ne%20q${n}${random.between(0, 1_000)}`),
  )
  const contains = Array.from(
    { length: 31 },
    (_, n) => `filter=${column}%20contains%20${random.between(0, 9)}${n}`,
  )
  return random.pick<Question>([
    { path: `${at}/statistics` },
    { path: `${at}/statistics` },
    { path: `${at}/facets?facet=${column}&facet=_id&${unique}` },
    { path: `${at}/rows?limit=1000&q=aaaa&${unique}` },
    { path: `${at}/rows?limit=1000&sort=-${column}` },
    { path: `${at}.csv?${filters.join('&')}` },
    { path: `${at}.csv?${contains.join('&')}&${unique}` },
    { path: `${at}.parquet` },
    { path: `/${owner}/tables` },
    { path: `/${owner}/tables/records/${type}` },
    { path: `${version}/sql`, sql: random.pick(statements) },
  ])
}

/** A question that takes milliseconds on an idle server. */
export const smallQuestion = (random: Random, { version }: HostileTables): Question =>
  random.pick<Question>([
    { path: `${version}/tables/Small/rows?filter=n%20gt%20${random.between(0, 90)}` },
    { path: `${version}/tables/Small/facets?facet=name&filter=n%20gt%20${random.between(0, 90)}` },
    { path: `${version}/tables/Small/statistics` },
    { path: `${version}/tables/Small.csv?filter=n%20gt%20${random.between(0, 90)}` },
    { path: `${version}/sql`, sql: `SELECT ${random.between(0, 1_000)}` },
    { path: `${version}/sql`, sql: `SELECT avg(n) FROM "Small" WHERE n > ${random.between(0, 90)}` },
  ])
