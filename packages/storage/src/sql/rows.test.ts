/** A row type that a statement does not return is found. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databases } from '../testing/databases.ts'
import type { DeclaredRow } from '../testing/rows/declared.ts'
import { type Describe, describer } from '../testing/rows/described.ts'
import { rowFaults } from '../testing/rows/faults.ts'
import { placesIn, recordingPlugin, repository } from '../testing/rows/recorded.ts'

let client: pg.Client
let describe: Describe
let dispose: () => Promise<void>

beforeAll(async () => {
  const database = await databases.find(({ name }) => name === 'server')!.settings()
  dispose = database.dispose
  client = new pg.Client(database.settings.url)
  await client.connect()
  describe = await describer(client)
})
afterAll(async () => {
  await client?.end()
  await dispose?.()
})

const declared: DeclaredRow = new Map([
  ['id', { kind: 'string', isNullable: false }],
  ['displayName', { kind: 'string', isNullable: true }],
  ['createdAt', { kind: 'Date', isNullable: false }],
])

test.each([
  ['select id, display_name as "displayName", created_at as "createdAt" from accounts', []],
  [
    'select id, display_name, created_at as "createdAt" from accounts',
    ['no column displayName; there are id, display_name, createdAt'],
  ],
  [
    'select id, display_name as "displayName", created_at::text as "createdAt" from accounts',
    ['createdAt is declared as Date and returned as string'],
  ],
  [
    'select email as id, display_name as "displayName", created_at as "createdAt" from accounts',
    ['id may be null'],
  ],
  [
    'delete from accounts where slug = $1 returning id, display_name as "displayName", created_at as "createdAt"',
    [],
  ],
])('%s', async (text, faults) => {
  expect(rowFaults(declared, (await describe(text))!, text)).toEqual(faults)
})

test('a statement about a temporary table is not compared, and a wrong one fails', async () => {
  expect(await describe('select id from not_there')).toBeUndefined()
  await expect(describe('select not_there from accounts')).rejects.toThrow('not_there')
  expect((await describe('select count(*) as accounts, $1::text[] as list from accounts'))!).toEqual(
    new Map([
      ['accounts', { kind: 'number', mayBeNull: false }],
      ['list', { kind: 'list', mayBeNull: false }],
    ]),
  )
})

test('typed calls alone are recorded, each at its place', () => {
  const file = 'packages/storage/src/sql/accounts/x.ts'
  const code = `await at.query('x')\nawait at.query<{ id: string }>('y')\nawait tx.lookUp<Row>('z')\n`
  expect(placesIn(file, code)).toEqual([`${file}:2 (1)`, `${file}:3 (2)`])
  const { transform } = recordingPlugin
  expect(transform(code, `${repository}/${file}`)).toContain(
    `await at.query('x')\nawait __recorded(at, "${file}:2 (1)").query<{ id: string }>('y')\n`,
  )
  expect(transform(code, `${repository}/packages/storage/src/database/x.ts`)).toBeUndefined()
})
