import { expect, test } from 'vitest'
import { recordsToConfirm, recordToConfirm } from './record-to-confirm.ts'

test('no two records have one entry, and none has the entry of all records of a type', () => {
  const ids = ['*', '\\*', '\\\\*', '\\', 'a*', 'a/*', '**', 'owl']
  const entries = ids.map((id) => recordToConfirm({ type: 'Bird', id }))
  expect(new Set([...entries, recordsToConfirm('Bird')]).size).toBe(ids.length + 1)
  expect(recordToConfirm({ type: 'Bird', id: 'owl' })).toBe('Bird/owl')
})
