/** Downloaded tables, imported: unchanged they change nothing, with one edited cell one record. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalize, type JsonObject } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson, type Person } from '../testing/cli.ts'
import { realTables } from '../testing/real-tables.ts'

let registry: TestServer
let dispose: () => Promise<void>
let ada: Person
let authorization: string
let published: ReadonlyMap<string, string>

beforeAll(async () => {
  const { settings, dispose: remove } = await anyDatabase[0]!.settings()
  dispose = remove
  registry = await serveForTest(settings, { rateLimits: null })
  const { cookie } = await registry.signIn('ada')
  const key = await registry.keyFor(cookie, 'admin')
  authorization = `Bearer ${key}`
  ada = openPerson(registry.url, key)
  expect(await ada.ulmus('tables', 'init', 'ada/tables')).toMatchObject({ code: 0 })
  mkdirSync(join(ada.home, 'tables/schemas'), { recursive: true })
  mkdirSync(join(ada.home, 'tables/records'), { recursive: true })
  for (const { type, schema, records } of realTables) {
    writeFileSync(join(ada.home, `tables/schemas/${type}.json`), JSON.stringify(schema))
    writeFileSync(
      join(ada.home, `tables/records/${type}.ndjson`),
      records.map((one) => `${JSON.stringify(one)}\n`).join(''),
    )
  }
  const pushed = await ada.ulmus('tables', 'push', '--public')
  expect(pushed.said).toContain('v1.0.0')
  published = new Map(realTables.map(({ type }) => [type, linesOf(type)]))
}, 120_000)
afterAll(async () => {
  ada?.dispose()
  await registry?.close()
  await dispose?.()
})

/** The records of the folder, in their canonical form. */
const linesOf = (type: string): string =>
  readFileSync(join(ada.home, `tables/records/${type}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => canonicalize(JSON.parse(line)))
    .sort()
    .join('\n')

async function download(type: string, ending: string, query = ''): Promise<Buffer> {
  const url = `${registry.url}/api/collections/ada/tables/versions/v1.0.0/tables/${type}.${ending}${query}`
  const response = await fetch(url, { headers: { authorization } })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

/** Imports files of several types with one command, which takes the types from their names. */
async function bring(files: ReadonlyMap<string, Buffer | string>, ending = 'csv') {
  for (const [type, bytes] of files) writeFileSync(join(ada.home, `${type}.${ending}`), bytes)
  const names = [...files.keys()].map((type) => `../${type}.${ending}`)
  const { code, said } = await ada.ulmus('tables', 'import', ...names, '--yes')
  expect([code, said]).toEqual([0, expect.not.stringContaining('changes')])
}

async function downloads(ending: string, types = realTables.map(({ type }) => type), query?: string) {
  const files = new Map<string, Buffer>()
  for (const type of types) files.set(type, await download(type, ending, query))
  return files
}

async function expectNoChange() {
  for (const [type, lines] of published) expect([type, linesOf(type)]).toEqual([type, lines])
  expect((await ada.ulmus('tables', 'status')).out).toContain('Nothing changed')
}

test.each(['csv', 'parquet'])(
  'fifteen tables as %s change nothing',
  async (ending) => {
    await bring(await downloads(ending), ending)
    await expectNoChange()
  },
  120_000,
)

test('one edited cell of each table changes one record', async () => {
  const edited = new Map<string, string>()
  for (const { type, edit } of realTables) {
    const csv = (await download(type, 'csv')).toString()
    expect([type, csv.split(edit[0]).length]).toEqual([type, 2])
    edited.set(type, csv.replace(edit[0], edit[1]))
  }
  await bring(edited)
  for (const { type, records, edit } of realTables) {
    const [, , id, member, value] = edit
    const different = linesOf(type)
      .split('\n')
      .filter((line) => !published.get(type)!.includes(line))
    expect([type, different.length]).toEqual([type, 1])
    const before = records.find((record) => record.id === id)!.data
    const { data } = JSON.parse(different[0]!) as { data: JsonObject }
    expect(data).toEqual({ ...before, [member]: value ?? data[member] })
  }
  await bring(await downloads('csv'))
  await expectNoChange()
}, 120_000)

test('members as columns, and a copy that a program wrote with quotes around every cell', async () => {
  const query = '?columns=_id,span.from,span.to,span.days,kind'
  const spread = await downloads('csv', ['Event'], query)
  const quoted = (csv: Buffer) => csv.toString().replaceAll(/(?<=^|,)([^",\n]*)(?=,|$)/gm, '"$1"')
  const plain = await downloads('csv', ['Sensor', 'Reading', 'Election', 'Population'])
  await bring(
    new Map<string, Buffer | string>([
      ...spread,
      ...Array.from(plain, ([type, csv]) => [type, quoted(csv)] as const),
    ]),
  )
  await expectNoChange()
}, 120_000)
