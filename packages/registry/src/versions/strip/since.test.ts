import { expect, test } from 'vitest'
import { type ColumnShare, writeShares } from './shares.ts'
import { sinceIn } from './since.ts'

/** A version v1.`minor`.0: `+new`, `-gone`, `kept`; a text: as stored. */
const row = (minor: number, shares: readonly string[] | string | null) => ({
  ...{ major: 1, minor, patch: 0 },
  shares: shares === null || typeof shares === 'string' ? shares : writeShares(shares.map(shareOf)),
})
const shareOf = (text: string): ColumnShare => ({
  ...{ type: 'City', column: text.replace(/^[+-]/, ''), share: 0 },
  only: text.startsWith('+') ? 'after' : text.startsWith('-') ? 'before' : undefined,
})
const sinceOf = async (...rows: ReturnType<typeof row>[]) =>
  Object.fromEntries((await sinceIn(rows)).get('City') ?? [])

test('a column exists since the version that added it last', async () => {
  const rows = [
    row(4, ['name', 'area', 'back']),
    row(3, ['name', 'area', '+back']),
    row(2, ''),
    row(1, ['name', '+area', '-back']),
    row(0, ['+name', '+back']),
  ]
  expect(await sinceOf(...rows)).toEqual({ name: 'v1.0.0', area: 'v1.1.0', back: 'v1.3.0' })
})

test('a column that was removed is no column', async () => {
  expect(await sinceOf(row(1, ['name', '-gone']), row(0, ['+name', '+gone']))).toEqual({ name: 'v1.0.0' })
})

test('nothing is said of columns that a version leaves out, and of versions that are not compared', async () => {
  const first = row(0, ['+name', '+area'])
  expect(await sinceOf(row(2, ['name', 'area']), row(1, ['name']), first)).toEqual({ name: 'v1.0.0' })
  expect(await sinceOf(row(2, ['name', '+area']), row(1, null), first)).toEqual({ area: 'v1.2.0' })
  expect(await sinceOf(row(1, null), first)).toEqual({})
})

test('names of columns are any text', async () => {
  const names = ['__proto__', 'constructor', 'a.b', '"']
  const since = await sinceIn([
    row(
      0,
      names.map((name) => `+${name}`),
    ),
  ])
  for (const name of names) expect(since.get('City')!.get(name)).toBe('v1.0.0')
  expect(since.get('constructor')).toBeUndefined()
})

test('an object exists since its first column, also one that is gone', async () => {
  const rows = [
    row(3, ['name.common', 'name.native', '+place.deep.x']),
    row(2, ['name.common', '+name.native', '-name.former']),
    row(1, ['+name.common', 'name.former']),
    row(0, ['+name.former']),
  ]
  expect(await sinceOf(...rows)).toEqual({
    ...{ name: 'v1.0.0', 'name.common': 'v1.1.0', 'name.native': 'v1.2.0' },
    ...{ place: 'v1.3.0', 'place.deep': 'v1.3.0', 'place.deep.x': 'v1.3.0' },
  })
  // It was gone between.
  expect(await sinceOf(row(2, ['+a.x']), row(1, ['-a.x']), row(0, ['+a.x']))).toMatchObject({ a: 'v1.2.0' })
  // A column of that name is no object.
  expect(await sinceOf(row(1, ['a', '+a.b']), row(0, ['+a']))).toEqual({ a: 'v1.0.0', 'a.b': 'v1.1.0' })
})
