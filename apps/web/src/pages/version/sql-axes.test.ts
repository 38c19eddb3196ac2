import { expect, test } from 'vitest'
import { orderOf } from './sql-axes.tsx'

const columns = ['region', 'countries', 'Total Area', 'sum(area)'].map((name) => ({ name, type: 'VARCHAR' }))

test.each([
  ['SELECT 1', undefined],
  ['SELECT 1 ORDER  BY\n countries', 1],
  ['SELECT 1 order by Countries desc LIMIT 3', 1],
  ['SELECT 1 ORDER BY c."Total Area" DESC, region', 2],
  ['SELECT 1 ORDER BY 2 DESC', 1],
  ['SELECT 1 ORDER BY sum(area) NULLS LAST', 3],
  ['SELECT 1 ORDER BY 5', undefined],
  ['SELECT 1 ORDER BY length(region)', undefined],
  ['FROM (SELECT 1 ORDER BY region) ORDER BY countries;', 1],
])('%s', (statement, expected) => {
  expect(orderOf(statement, columns)).toBe(expected)
})
