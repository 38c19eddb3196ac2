import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { accountName, findClosedPath } from './machine-accounts.ts'

const isRoot = process.getuid?.() === 0
const other = 65_534
const folder = mkdtempSync(join(tmpdir(), 'ulmus-accounts-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('an account has its name, and its number if it has no name', () => {
  expect(accountName()).toMatch(/\S/)
  expect(accountName(3_999_999_999)).toBe('3999999999')
})

test.runIf(isRoot)('the file that root made among those of another account is found, however deep', () => {
  const wal = join(folder, 'pg', 'pg_wal')
  mkdirSync(wal, { recursive: true })
  const files = ['a', 'b'].map((name) => join(wal, name))
  for (const file of files) writeFileSync(file, '', { mode: 0o600 })
  for (const path of [folder, join(folder, 'pg'), wal, ...files]) chownSync(path, other, other)
  expect(findClosedPath(folder, other)).toBeUndefined()
  chownSync(files[1]!, 0, 0)
  expect(findClosedPath(folder, other)).toEqual({ path: files[1], uid: 0, mode: 0o600 })
  expect(findClosedPath(folder, 0)).toBeUndefined()
  chownSync(files[1]!, other, other)
  chmodSync(wal, 0o500)
  expect(findClosedPath(folder, other)).toEqual({ path: wal, uid: other, mode: 0o500 })
  expect(findClosedPath(join(folder, 'absent'), other)).toBeUndefined()
})

/** Result of the search by another account, in a process that drops its privileges after it has read the code. */
function closedAboveFor(path: string): string {
  const code = `import(process.argv[1]).then(({ findClosedAbove }) => {
    if (${isRoot}) process.setuid(${other})
    console.log(findClosedAbove(process.argv[2]))
  })`
  const module = new URL('./machine-accounts.ts', import.meta.url).href
  return execFileSync(process.execPath, ['-e', code, module, path], { encoding: 'utf8' }).trim()
}

test('the topmost closed folder above a path is found, also above a path that is missing', () => {
  const closed = join(folder, 'closed')
  mkdirSync(join(closed, 'within'), { recursive: true })
  chmodSync(folder, 0o755)
  expect(closedAboveFor(join(closed, 'data'))).toBe('undefined')
  chmodSync(closed, 0)
  for (const path of ['data', 'within/data', 'absent/data'])
    expect(closedAboveFor(join(closed, path))).toBe(closed)
  expect(closedAboveFor(join(folder, 'absent', 'data'))).toBe('undefined')
  chmodSync(closed, 0o700)
})
