import { tableColumns } from '@ulmus/content'
import { expect, test } from 'vitest'
import { pageColumns } from './columns.ts'

test('a column is one of numbers by its schema, else by the values that the page shows', () => {
  const schema = { properties: { area: { type: 'number' }, code: { type: 'string' } } }
  const records = [
    { code: '007', visitors: 12, rooms: [1, 2], opened: 1999, since: null },
    { code: '008', visitors: 3.5, opened: 'unknown', since: null },
  ].map((data, index) => ({ id: `${index}`, type: 'Museum', data, bytes: 60 }))
  const columns = pageColumns(schema as never, tableColumns(schema), records as never)
  expect(Object.fromEntries(columns.map(({ label, isNumber }) => [label, isNumber]))).toEqual({
    ...{ area: true, code: false },
    ...{ visitors: true, rooms: false, opened: false, since: false },
  })
})
