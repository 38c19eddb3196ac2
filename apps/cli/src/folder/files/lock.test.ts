/** Exactly one of several concurrent commands gets the lock, also after its holder was killed. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withFolder } from './lock.ts'

/** Rounds per case, so that a race lost only sometimes is found. */
const rounds = 20

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ulmus-lock-'))
  mkdirSync(join(root, '.ulmus'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const lock = () => join(root, '.ulmus/lock')
const left = () => readdirSync(join(root, '.ulmus'))
/** Process id of an ended process. */
const gone = spawnSync(process.execPath, ['-e', '']).pid

/** Commands that begin and end on signal files: their output lines so far, and their end. */
function commands(signals: string): { said: () => string[]; ended: Promise<unknown> } {
  const fixture = fileURLToPath(new URL('./lock.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [fixture, root, signals, String(rounds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (data) => {
    text += data
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  return { said: () => text.split('\n').slice(0, -1), ended }
}

test.each([
  { what: 'no lock', before: () => undefined },
  {
    what: 'a lock that a killed one left',
    before: () => writeFileSync(lock(), `${gone} word ${randomUUID()}`),
  },
  {
    what: 'such a lock, and the claim of one that was killed when it took it over',
    before: () => {
      const words = `${gone} ${randomUUID()}`
      writeFileSync(lock(), words)
      const claim = createHash('sha256').update(words).digest('hex').slice(0, 16)
      writeFileSync(`${lock()}.${claim}`, `${gone} other`)
    },
  },
])(
  'of many at once one has the folder: $what',
  async ({ before }) => {
    const all = Array.from({ length: 6 }, () => commands(root))
    const allHaveSaid = (lines: number) =>
      vi.waitFor(() => expect(all.every(({ said }) => said().length === lines)).toBe(true), {
        ...{ timeout: 60_000, interval: 5 },
      })
    await allHaveSaid(1)
    for (let round = 0; round < rounds; round++) {
      before()
      writeFileSync(join(root, `begin-${round}`), '')
      await allHaveSaid(round + 2)
      const said = all.map(({ said }) => said()[round + 1]!)
      expect(said.filter((line) => line === 'has it')).toHaveLength(1)
      expect(said.filter((line) => line.startsWith('Another ulmus'))).toHaveLength(5)
      writeFileSync(join(root, `end-${round}`), '')
      await vi.waitFor(() => expect(left()).toEqual([]), 20_000)
    }
    await Promise.all(all.map(({ ended }) => ended))
  },
  120_000,
)

test('within one process, too; and a lock that had its number before is stale', async () => {
  writeFileSync(lock(), `${process.pid} word`)
  await withFolder(root, async () => {
    expect(readFileSync(lock(), 'utf8')).toMatch(new RegExp(`^${process.pid} `))
    await expect(withFolder(root, async () => undefined)).rejects.toThrow(`(process ${process.pid})`)
  })
  expect(left()).toEqual([])
})

test('a lock that says nothing is being written, unless it is old', async () => {
  writeFileSync(lock(), '')
  await expect(withFolder(root, async () => undefined)).rejects.toThrow(/^Another ulmus is changing/)
  utimesSync(lock(), 1, 1)
  expect(await withFolder(root, async () => 'had it')).toBe('had it')
})
