/** Errors of DuckDB in plain words, from statements that it refuses. */
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainSqlError } from './sql-errors.ts'

const names = { tables: ['City', 'Country'], columns: ['_id', 'name', 'country', 'people'] }

let instance: DuckDBInstance
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run('CREATE TABLE "City" (_id VARCHAR, name VARCHAR, country VARCHAR, people BIGINT)')
  connection.closeSync()
})
afterAll(() => instance.closeSync())

test.each([
  ['SELECT countri FROM "City"', 'There is no column "countri". Did you mean "country"?'],
  ['SELECT c.nmae FROM "City" c', 'The table "c" has no column "nmae". Did you mean "name"?'],
  [
    'SELECT "New York" FROM "City"',
    'There is no column "New York". The columns are "_id", "name", "country", "people". A text is in single quotes.',
  ],
  ['SELECT * FROM "Citi"', 'There is no table "Citi". Did you mean "City"?'],
  ['SELECT * FROM xyz', 'There is no table "xyz". The tables are "City", "Country".'],
  ['SELECT lenght(name) FROM "City"', 'There is no function "lenght".'],
  [
    'SELECT name, count(*) FROM "City"',
    'The column "name" is neither grouped nor aggregated. Add it to GROUP BY, or write any_value(name).',
  ],
  ['SELECT name FROM "City" a, "City" b', 'Several tables have a column "name". Write "a.name" or "b.name".'],
  ['SELECT sum(name) FROM "City"', 'There is no sum(VARCHAR). Convert its values, as in CAST(… AS DOUBLE).'],
  ['SELECT people/ FROM "City"', 'The statement is wrong at "FROM", or just before it.'],
  ['SELECT (1', 'The statement ends too early.'],
])('%s', async (sql, sentence) => {
  const connection = await instance.connect()
  const message = await connection.run(sql).then(
    () => 'it ran',
    (error: Error) => error.message,
  )
  const [said, ...rest] = plainSqlError(message.trim(), names).split('\n')
  expect(said).toBe(sentence)
  // The line of the statement, with a mark, stays below the sentence.
  expect(rest.join('\n')).toMatch(/^$|\nLINE 1: .*\n +\^$/)
  connection.closeSync()
})

test('a message that is not known stays', () => {
  expect(plainSqlError('Binder Error: aggregate function calls cannot be nested', names)).toBe(
    'Binder Error: aggregate function calls cannot be nested',
  )
})
