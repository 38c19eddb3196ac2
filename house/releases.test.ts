import { basename } from 'node:path'
import { expect, test } from 'vitest'
import {
  isReleased,
  migrationsNow,
  migrationsOfRelease,
  releaseFolders,
} from '../packages/registry/src/testing/releases.ts'

/** Migrations that a release has and these sources have not, or with another text. */
const changed = (released: Record<string, string>, now: Record<string, string>): string[] =>
  Object.keys(released).filter((name) => released[name] !== now[name])

test('migrations stay as they were released', () => {
  for (const release of releaseFolders())
    if (isReleased(basename(release)))
      expect(
        changed(migrationsOfRelease(release), migrationsNow()),
        'They have run on databases of others. Undo the change, and run `npm run migrations`, which adds a migration.',
      ).toEqual([])
})

test('the comparison finds a changed and a missing migration, and allows a new one', () => {
  const released = { '0000_initial.sql': 'a', '0001_next.sql': 'b' }
  expect(changed(released, { ...released, '0002_next.sql': 'c' })).toEqual([])
  expect(changed(released, { '0000_initial.sql': 'a', '0001_next.sql': 'x' })).toEqual(['0001_next.sql'])
  expect(changed(released, { '0001_next.sql': 'b' })).toEqual(['0000_initial.sql'])
})

test('every kept release names its migrations', () => {
  for (const release of releaseFolders())
    expect(Object.keys(migrationsOfRelease(release))).toContain('0000_initial.sql')
})
