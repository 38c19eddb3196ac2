import { describe, expect, test } from 'vitest'
import { functionFiles, isIn, replaced, separator } from '../../function-files.ts'
import { databases } from '../testing/databases.ts'
import type { Queries } from './database.ts'

const definitions = async (at: Queries) => {
  const { rows } = await at.query<{ text: string }>(
    `select pg_get_functiondef(oid) as text from pg_proc
       where pronamespace = 'public'::regnamespace and not exists (
         select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
     union all
     select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
     order by text`,
  )
  return rows.map(({ text }) => text)
}

describe.each(databases)('functions and triggers ($name)', ({ open }) => {
  test('a migration can replace those of each file, also with other parameters than before', async () => {
    const { database, dispose } = await open()
    try {
      const before = await definitions(database)
      expect(before.some((text) => text.startsWith('CREATE TRIGGER'))).toBe(true)
      await database.transact(async (tx) => {
        await tx.query(
          'drop function number_events; create function number_events() returns void as $$ $$ language sql',
        )
        for (const text of functionFiles())
          for (const statement of replaced(text).split(separator)) await tx.query(statement)
      })
      expect(await definitions(database)).toEqual(before)
    } finally {
      await dispose()
    }
  })
})

test('the last migration that defines a function counts, not an older one with the present text', () => {
  const [first, second] = ['first', 'second'].map(
    (text) => `-- A file.\ncreate function one() returns text as $$ select '${text}' $$;\n`,
  ) as [string, string]
  expect(isIn(first, first)).toBe(true)
  expect(isIn(first, second)).toBe(false)
  expect(isIn(`${first}${separator}${second}`, second)).toBe(true)
  expect(isIn(`${first}${separator}${second}`, first)).toBe(false)
  expect(isIn(`${first}${separator}${second}${separator}${first}`, first)).toBe(true)
  const longer = first.replace('one()', 'one_more()')
  expect(isIn(`${first}${separator}${longer}`, first)).toBe(true)
})
