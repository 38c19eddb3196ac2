import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { buildOfSources, findBuild, releaseName } from './build.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-build-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a checkout has the commit that git names, and its day', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  git('init')
  writeFileSync(join(folder, 'file'), '')
  git('add', '.')
  const date = '2026-11-29T12:00:00Z'
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-m', 'first', `--date=${date}`)
  const { commit, date: day } = findBuild(buildOfSources(folder))
  expect(git('rev-parse', 'HEAD')).toMatch(new RegExp(`^${commit}`))
  expect(day).toMatch(/^\d{4}-\d\d-\d\d$/)

  const inside = join(folder, 'sources')
  mkdirSync(inside)
  expect(buildOfSources(inside)).toBe('')
})

test('without git, a release is its version', () => {
  expect(findBuild('')).toEqual({})
  expect(findBuild('fatal: not a repository')).toEqual({})
  expect(releaseName('0.1.0', {})).toBe('0.1.0')
  expect(releaseName('0.1.0', findBuild('5852009b 2026-11-29\n'))).toBe('0.1.0 (5852009b, 2026-11-29)')
})
