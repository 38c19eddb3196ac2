import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('the command measures each row, and the contenders agree', async () => {
  const program = join(import.meta.dirname, 'tables.ts')
  const options = ['--records', '2000', '--runs', '1', '--database', 'server']
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...options])
  const rows = stdout.split('\n').flatMap((line) => /^\| ([a-z][^|]*) \|/i.exec(line)?.[1] ?? [])
  for (const what of [
    'first table: CPU',
    'first table: peak resident memory',
    'one record while a table is built',
    'Parquet, against the canonical bytes',
    'first answer of an asker',
    'table files made by 1 metadata update',
    'five facets',
    'statistics of all columns, computed',
    'statistics of all columns, again',
    'SQL: group by',
    'SQL: median',
    'SQL: join',
    'equality and range',
    'search in all texts',
    'sort, whole rows, slowest of 10 columns: page 1',
    'sort, whole rows, slowest of 10 columns: page 500',
  ])
    expect(rows.filter((row) => row.startsWith(what)).length, what).toBe(1)
}, 180_000)
