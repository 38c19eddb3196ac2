import { expect, test } from 'vitest'
import { type ColumnShare, readShares, writeShares } from './shares.ts'

const shareOf = (column: string, share: number | null, more: Partial<ColumnShare> = {}): ColumnShare => ({
  ...{ type: 'City', column, share, only: undefined },
  ...more,
})

test('the text is that of docs/formats.md', () => {
  const shares = [
    shareOf('name', 0),
    shareOf('population', 0.9641),
    shareOf('area', 1, { only: 'after' }),
    { type: 'Country', column: '', share: null },
  ]
  expect(writeShares(shares)).toBe(
    '[["City",[["name",0],["population",0.964],["area",1,1]]],["Country",[["",null]]]]',
  )
  expect(readShares(writeShares(shares))).toEqual([
    ...[shares[0], shareOf('population', 0.964), shares[2]],
    shareOf('', null, { type: 'Country' }),
  ])
})

test('a part is never nothing and never all', () => {
  const written = readShares(writeShares([shareOf('a', 1e-9), shareOf('b', 0.9999999), shareOf('c', 1)]))
  expect(written.map(({ share }) => share)).toEqual([1e-9, 0.999, 1])
})

test('names of any text are read back', () => {
  const names = ['__proto__', 'a"b\\', '\0', '\ud800', 'ä/.x']
  const written = writeShares(names.map((name) => shareOf(name, 0.5, { type: name })))
  expect(readShares(written).map(({ type, column }) => [type, column])).toEqual(
    names.map((name) => [name, name]),
  )
  // PostgreSQL stores neither U+0000 nor lone surrogates.
  expect(written).not.toMatch(/\0/)
  expect(written.isWellFormed()).toBe(true)
})

test('what does not fit are the columns that changed least, and long names', () => {
  const many = Array.from({ length: 500 }, (_, n) => shareOf(`column ${n}`, n / 1_000, { type: `T${n % 7}` }))
  const written = writeShares([shareOf('x'.repeat(101), 1), ...many])
  expect(written.length).toBeLessThanOrEqual(4_096)
  const kept = readShares(written)
  expect(kept.length).toBeGreaterThan(150)
  expect(Math.min(...kept.map(({ share }) => share!))).toBeGreaterThanOrEqual(
    (500 - kept.length) / 1_000 - 0.001,
  )
})
