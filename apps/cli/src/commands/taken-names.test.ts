/** Fields and members under names that statements, engines, pages and languages use themselves: every answer equals plain code. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Client, createClient } from '@ulmus/client'
import type { Json, JsonObject } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { takenNames } from '../../../../packages/content/src/testing/taken-names.ts'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson, type Person } from '../testing/cli.ts'

type Cell = string | number | undefined
interface Record_ {
  readonly id: string
  readonly data: JsonObject
}
/** A column of a type: its names from the outside in, as questions and SQL have them, and as the data have them. */
interface Column {
  readonly names: readonly string[]
  readonly path: readonly string[]
}

const numbers = [0, 1, 2, 3, 4, 5, 6]
const idOf = (n: number) => `r${n}`
const isText = (at: number) => at % 2 === 1

/** The value of a field in a record. The last record lacks every third field. */
const differing = (n: number, at: number): Cell =>
  n === 6 && at % 3 === 0 ? undefined : isText(at) ? `${'abü'[(n + at) % 3]}${at}` : (n * 7 + at) % 5

const objectOf = (entries: readonly (readonly [string, Json | undefined])[]): JsonObject =>
  Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined))

const schemaOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties,
})
const scalars = (names: readonly string[], from = 0): JsonObject =>
  objectOf(names.map((name, at) => [name, { type: isText(from + at) ? 'string' : 'integer' }]))
const valuesOf = (names: readonly string[], n: number, from = 0): JsonObject =>
  objectOf(names.map((name, at) => [name, differing(n, from + at)]))

/** Members of an object differ in more than case, and have a name. */
const memberNames = takenNames.filter(
  (name, at) =>
    name !== '' && takenNames.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === at,
)
const groups = [0, 1, 2].map((n) => memberNames.filter((_, at) => at % 3 === n))
/** Objects whose own names are taken, too. */
const owners = ['records', 'value', '__proto__']

/** Names of columns: the first one of several that differ in case keeps its name. */
function columnNames(names: readonly string[]): string[] {
  const taken = new Set(['_id'])
  return names.map((name) => {
    const base = name === '' ? '_' : name
    let free = base
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${base}_${n}`
    taken.add(free.toLowerCase())
    return free
  })
}

const types: Record<string, { schema: JsonObject; records: Record_[]; columns: Column[] }> = {
  Fields: {
    schema: schemaOf(scalars(takenNames)),
    records: numbers.map((n) => ({ id: idOf(n), data: valuesOf(takenNames, n) })),
    columns: columnNames(takenNames.toSorted()).map((name, at) => ({
      names: [name],
      path: [takenNames.toSorted()[at]!],
    })),
  },
  records: {
    schema: schemaOf(
      objectOf([
        ...owners.map((owner, at): [string, Json] => [owner, schemaOf(scalars(groups[at]!, at))]),
        ['name', { type: 'string' }],
      ]),
    ),
    records: numbers.map((n) => ({
      id: idOf(n),
      data: objectOf([
        ...owners.map((owner, at): [string, Json] => [owner, valuesOf(groups[at]!, n, at)]),
        ['name', 'outer'],
      ]),
    })),
    columns: owners.flatMap((owner, at) =>
      groups[at]!.map((name) => ({ names: [owner, name], path: [owner, name] })),
    ),
  },
}

/** Records with one value in each field. No Parquet is read with a column called `__proto__`. */
const equalNames = takenNames.filter((name) => name !== '__proto__')
types['Equal'] = {
  schema: schemaOf(scalars(equalNames)),
  records: numbers.map((n) => ({ id: idOf(n), data: valuesOf(equalNames, 0) })),
  columns: columnNames(equalNames.toSorted()).map((name, at) => ({
    names: [name],
    path: [equalNames.toSorted()[at]!],
  })),
}

const cellOf = ({ data }: Record_, { path }: Column): Cell => {
  let value: Json | undefined = data
  for (const name of path)
    value = Object.hasOwn(value as object, name) ? (value as JsonObject)[name] : undefined
  return value as Cell
}
const bytes = (text: Cell) => Buffer.from(String(text))
const compared = (a: Cell, b: Cell) =>
  typeof a === 'number' ? a - Number(b) : Buffer.compare(bytes(a), bytes(b))
const fieldOf = ({ names }: Column) => names.map((name) => JSON.stringify(name)).join('.')
const sqlOf = (type: string, { names }: Column) =>
  [type, ...names].map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
/** Values by their counts, as facets and statistics list them. */
function countsOf(cells: readonly Cell[]): { value: Cell; count: number }[] {
  const counts = new Map<Cell, number>()
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || compared(a.value, b.value))
}

describe.each(anyDatabase)('taken names on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let client: Client
  let cookie: string
  let ada: Person

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    ;({ cookie } = await server.signIn('ada'))
    const key = await server.keyFor(cookie, 'write')
    client = createClient({ baseUrl: server.url, apiKey: key })
    ada = openPerson(server.url, key)
  })
  afterAll(async () => {
    ada.dispose()
    await server.close()
    await dispose()
  })

  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(ada.home, path)), { recursive: true })
    writeFileSync(join(ada.home, path), text)
  }
  const done = async (...args: string[]) => {
    const { code, out, said } = await ada.ulmus('f', ...args)
    expect(code, `ulmus ${args.join(' ')}: ${said}${out}`).toBe(0)
    return out
  }
  const page = async (path: string, init: RequestInit = {}) => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const response = await fetch(new URL(path, server.url), { redirect: 'manual', ...init, headers })
    return { status: response.status, text: await response.text() }
  }

  beforeAll(async () => {
    await done('init', 'ada/names')
    for (const [type, { schema, records }] of Object.entries(types)) {
      write(`f/schemas/${type}.json`, JSON.stringify(schema))
      write(`f/records/${type}.ndjson`, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    }
    await done('push')
  }, 120_000)

  test('tables of a pushed folder answer', async () => {
    const wrong: string[] = []
    const same = (what: string, got: unknown, wanted: unknown) => {
      const [is, should] = [got, wanted].map((value) => JSON.stringify(value)?.slice(0, 300))
      if (!isDeepStrictEqual(got, wanted)) wrong.push(`${what}: ${is} instead of ${should}`)
    }
    const tried = <T>(what: string, answer: Promise<T>): Promise<T | undefined> =>
      answer.catch((error) => {
        wrong.push(`${what}: ${error.message}`)
        return undefined
      })
    const { tables } = client
    for (const [type, { records, columns }] of Object.entries(types)) {
      const at = ['ada/names', 'v1.0.0', type] as const
      const rows = await tried(type, tables.rows(...at))
      same(type, rows?.rows, records)
      const statistics = await tried(type, tables.statistics(...at))
      const cells = columns.map((column) => records.map((record) => cellOf(record, column)))
      const present = cells.map((all) => all.filter((cell) => cell !== undefined))
      for (const [place, column] of columns.entries()) {
        const field = fieldOf(column)
        const name = column.names.join('.')
        const sorted = present[place]!.toSorted(compared)
        const filter = `${field} gt ${JSON.stringify(sorted[0])}`
        const found = await tried(filter, tables.rows(...at, { filter, sort: `-${field}`, columns: field }))
        same(
          `${type} ${filter}`,
          found?.rows,
          records
            .flatMap((record) => {
              const cell = cellOf(record, column)
              return cell === undefined || cell === sorted[0]
                ? []
                : [{ id: record.id, data: { [name]: cell } }]
            })
            .toSorted((a, b) => compared(b.data[name], a.data[name])),
        )
        const { count, nulls, distinct, min, max, top } =
          statistics?.columns.find((one) => one.field === name) ?? {}
        same(
          `${type} statistics of ${field}`,
          { count, nulls, distinct, min, max, top },
          {
            count: sorted.length,
            nulls: records.length - sorted.length,
            distinct: new Set(sorted).size,
            min: sorted[0],
            max: sorted.at(-1),
            top: countsOf(sorted),
          },
        )
      }
      for (let start = 0; start < columns.length; start += 8) {
        const some = columns.slice(start, start + 8)
        const facet = some.map(fieldOf)
        const facets = await tried(`facets ${facet}`, tables.facets(...at, facet))
        same(
          `${type} facets`,
          facets?.facets.map(({ field, values }) => [field, values]),
          some.map(({ names }, n) => [names.join('.'), countsOf(present[start + n]!)]),
        )
        const query = [
          ...facet.map((field) => ['filter', `${field} notnull`]),
          ...facet.map((field) => ['facet', field]),
          ['sort', facet.join()],
          ['columns', facet.join()],
        ]
        const path = `/ada/names/records/${type}?${new URLSearchParams(query)}`
        const { status, text } = await page(path)
        const ids = records.filter((record) => some.every((column) => cellOf(record, column) !== undefined))
        same(path, [status, ids.every(({ id }) => text.includes(`/${type}/${id}`))], [200, true])
      }
      const selected = columns.map((column) => `${sqlOf(type, column)}`)
      const sql = await tried(
        'SQL',
        tables.sql('ada/names', 'v1.0.0', `SELECT ${selected} FROM "${type}" ORDER BY "_id"`),
      )
      same(
        `${type} SQL`,
        sql?.rows,
        records.map((_, n) => cells.map((all) => all[n] ?? null)),
      )
      for (const path of [
        `records/${type}/r0`,
        `records/${type}/r0/edit`,
        `records/${type}/new`,
        'sql',
        'schemas',
      ])
        same(path, (await page(`/ada/names/${path}`)).status, 200)
    }
    expect(wrong).toEqual([])
  }, 300_000)

  const tableOf = async (file: string, columns: readonly Column[] = []) => {
    const query =
      columns.length > 0 ? `?columns=${encodeURIComponent(['_id', ...columns.map(fieldOf)].join())}` : ''
    const path = `/api/collections/ada/names/versions/v1.0.0/tables/${file}${query}`
    const response = await fetch(new URL(path, server.url), { headers: { cookie } })
    expect([path, response.status, response.status === 200 ? '' : await response.text()]).toEqual([
      path,
      200,
      '',
    ])
    return Buffer.from(await response.arrayBuffer())
  }

  test('their tables have the values, and change nothing until a cell is edited', async () => {
    const file = join(ada.home, 'table')
    for (const [type, { records, columns }] of Object.entries(types)) {
      const outer = type === 'records' ? [{ names: ['name'], path: ['name'] }] : []
      const all = [...columns, ...outer]
      const csv = (await tableOf(`${type}.csv`, all)).toString()
      // The values have neither commas nor quotes.
      const [header, ...lines] = csv.trimEnd().split(/\r?\n/)
      const rows = records.map((record) => [record.id, ...all.map((column) => cellOf(record, column) ?? '')])
      expect(lines).toEqual(rows.map((row) => row.join()))
      writeFileSync(`${file}.csv`, csv)
      writeFileSync(`${file}.parquet`, await tableOf(`${type}.parquet`))
      for (const ending of type === 'Equal' ? ['csv', 'parquet'] : ['csv']) {
        await done('import', `../table.${ending}`, '--type', type, '--yes')
        expect(await done('status')).toContain('Nothing changed')
      }
      if (type === 'records') continue
      const place = columns.findIndex(({ path }) => path[0] === 'value')
      const edited = typeof rows[2]![place + 1] === 'number' ? 99 : 'edited'
      rows[2]![place + 1] = edited
      writeFileSync(`${file}.csv`, [header, ...rows.map((row) => row.join())].join('\n'))
      await done('import', '../table.csv', '--type', type, '--yes')
      await done('push')
      const version = await client.versions.get('ada/names', 'latest')
      const { data } = await client.records.one('ada/names', 'latest', type, 'r2')
      expect(data).toEqual({ ...records[2]!.data, value: edited })
      const compared = await page(`/ada/names/compare/v1.0.0...${version.semver}`)
      expect(compared).toMatchObject({ status: 200, text: expect.stringContaining('1 changed') })
      const { text } = await page(`/ada/names/records/${type}/r2`)
      expect(text).toContain(String(edited))
      writeFileSync(`${file}.csv`, csv)
      await done('import', '../table.csv', '--type', type, '--yes')
      await done('push')
    }
  }, 300_000)
})
