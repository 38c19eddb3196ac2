/** Damaged files of `.ulmus`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPerson, type Person } from '../../testing/cli.ts'
import { readBase } from './state.ts'

let person: Person
beforeEach(async () => {
  person = openPerson('http://127.0.0.1:9', 'ul_key')
  await person.ulmus('here', 'init', 'ada/cities')
})
afterEach(() => person.dispose())

const base = {
  semver: 'v1.0.0',
  digest: `private:${'0'.repeat(64)}`,
  metadata: {},
  schemas: { City: {} },
  files: [{ hash: `sha256:${'0'.repeat(64)}`, size: 1, contentType: 'text/plain' }],
  recordCount: 1,
}
const write = (value: unknown) => {
  const file = join(person.home, 'here/.ulmus/base/version.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(value))
}

test('a base version is read', () => {
  write(base)
  expect(readBase(join(person.home, 'here'))).toEqual(base)
})

test.each([
  null,
  {},
  [],
  5,
  { ...base, semver: 'newest' },
  { ...base, digest: 'nonsense' },
  { ...base, files: undefined },
  { ...base, files: [null] },
  { ...base, schemas: { City: null } },
  { ...base, schemas: [] },
  { ...base, metadata: null },
  { ...base, recordCount: 'many' },
])('a base version that is %j is damaged, and its file is named', async (value) => {
  write(value)
  for (const command of ['status', 'diff', 'push', 'pull', 'verify']) {
    const { code, said } = await person.ulmus('here', command)
    expect([command, code, said]).toEqual([
      command,
      1,
      'ulmus: .ulmus/base/version.json is damaged: it describes no version. Clone the collection again, and copy what you changed into the new folder.\n',
    ])
  }
})
