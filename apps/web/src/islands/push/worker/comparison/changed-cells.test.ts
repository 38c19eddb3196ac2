import { expect, test } from 'vitest'
import { ChangedCells } from './changed-cells.ts'

/** Compares a file with records of the latest version, both as data by id. */
function cellsOf(file: Record<string, object>, latest: Record<string, object>): ChangedCells {
  const cells = new ChangedCells()
  for (const [id, data] of Object.entries(file))
    cells.add({ record: { id, type: 'City', data: { ...data }, line: 2 }, before: latest[id] })
  return cells
}

test('cells that a push fills, changes and empties are counted by column, null and nothing as empty', () => {
  const cells = cellsOf(
    { a: { mayor: 'x', of: { y: 1 } }, b: { mayor: null }, c: { mayor: 'z' } },
    { a: { mayor: null, of: { y: 2 } }, b: { mayor: 'y' }, c: { mayor: 'y' } },
  )
  expect(cells.counts).toEqual([
    { label: 'mayor', filled: 1, changed: 1, emptied: 1 },
    { label: 'of.y', filled: 0, changed: 1, emptied: 0 },
  ])
  const idsOf = (label: string, change: 'filled' | 'emptied') =>
    cells.updatesOf({ label, change }).map(({ record }) => record.id)
  expect([idsOf('mayor', 'emptied'), idsOf('mayor', 'filled'), idsOf('of.y', 'emptied')]).toEqual([
    ['b'],
    ['a'],
    [],
  ])
})

test('the first ten records of a count are kept, and fifty columns', () => {
  const many = (value: number) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [
        `n${n}`,
        Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`c${at}`, value])),
      ]),
    )
  const cells = cellsOf(many(1), many(2))
  expect(cells.counts).toHaveLength(50)
  expect(cells.counts[0]).toEqual({ label: 'c0', filled: 0, changed: 20, emptied: 0 })
  expect(cells.updatesOf({ label: 'c0', change: 'changed' })).toHaveLength(10)
})
