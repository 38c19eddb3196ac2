/** Statements that are refused before DuckDB sees them. */
import { expect, test } from 'vitest'
import { faultOf, withoutComments } from './statement.ts'

test.each([
  'SELECT 1',
  '  select 1 ;; -- the end',
  '/* a /* nested */ comment */ WITH a AS (SELECT 1) SELECT * FROM a',
  "FROM t WHERE x = ';' AND y = E'\\';' AND \"a;b\" = $$;$$ AND z = $q$;$q$",
  'VALUES (1), (2)',
])('%s is passed on', (sql) => {
  expect(faultOf(sql, 1_000)).toBeUndefined()
})

test.each([
  ['', 'empty'],
  ['-- only a comment', 'empty'],
  ['DROP TABLE t', 'begin with SELECT'],
  ['EXPLAIN ANALYZE COPY t TO x', 'begin with SELECT'],
  ['selection', 'begin with SELECT'],
  ['SELECT 1; SELECT 2', 'one statement'],
  ["SELECT 1; IMPORT DATABASE '/tmp/x'", 'one statement'],
  ["SELECT E'\\\\'; IMPORT DATABASE '/tmp/x'", 'one statement'],
  ["SELECT '\\'; IMPORT DATABASE '/tmp/x' --'", 'one statement'],
  ["SELECT '''; IMPORT DATABASE x", 'no end'],
  ['SELECT $a$ ; $b$', 'no end'],
  ['SELECT /* 1; DROP', 'no end'],
  ['SELECT "1', 'no end'],
  [`SELECT ${'('.repeat(101)}1${')'.repeat(101)}`, '100 parentheses'],
  [`SELECT ${'[{'.repeat(60)}`, '100 parentheses'],
  [`SELECT '${'x'.repeat(1_000)}'`, 'longer than 1000 bytes'],
])('%s is refused', (sql, reason) => {
  expect(faultOf(sql, 1_000)).toContain(reason)
})

test('a text of marks is read in linear time', () => {
  for (const mark of ['$a$ ', "'' ", '/*', '--', '((', "e'", '$'])
    expect(() => faultOf(`SELECT ${mark.repeat(20_000)}`, 65_536 * 4)).not.toThrow()
})

test('comments are left out, texts and names are not', () => {
  expect(withoutComments('SELECT \'--a\', "/*b" /* City /* */ */ FROM t -- Reading\nWHERE 1')).toBe(
    'SELECT \'--a\', "/*b"   FROM t  \nWHERE 1',
  )
})
