/** A signal ends `ulmus import` even if the file blocks the reading thread, and the folder stays unchanged. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openPerson, type Person } from '../testing/cli.ts'
import { decimalParquet } from '../testing/parquet.ts'

const start = join(import.meta.dirname, '../../start.js')
/** Time for the import to be at work. Each file takes seconds or for ever, so only the signal can end it. Milliseconds. */
const readingMs = 500
/** Time to end on a busy machine. Milliseconds. */
const endMs = 20_000

let ada: Person
beforeAll(async () => {
  ada = openPerson('http://127.0.0.1:9')
  // Each byte takes a pass over all bytes before it.
  writeFileSync(join(ada.home, 'decimal.parquet'), decimalParquet(3_000_000))
  const numbers = `${'['.repeat(40)}${'1,'.repeat(5_000_000)}1${']'.repeat(40)}`
  await write('nested.json', '[', `{"v":${numbers}},`, '{}]')
  await write('field.csv', 'id,v\n', `r,"${'word, '.repeat(2_500_000)}"\n`)
  const database = new DatabaseSync(join(ada.home, 'view.db'))
  database.exec(
    'CREATE VIEW endless AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT count(*) AS id FROM c',
  )
  database.close()
})
afterAll(() => ada.dispose())

async function write(name: string, head: string, row: string, tail = ''): Promise<void> {
  const file = createWriteStream(join(ada.home, name))
  for (const part of [head, row, row, tail]) if (!file.write(part)) await once(file, 'drain')
  file.end()
  await once(file, 'close')
}

const files = (path: string) => readdirSync(path, { recursive: true }).sort()

test.each(
  ['decimal.parquet', 'nested.json', 'field.csv', 'view.db --table endless'].flatMap((file) => [
    { file, signal: 'SIGINT' as const },
    { file, signal: 'SIGTERM' as const },
  ]),
)('$signal during an import of $file', async ({ file, signal }) => {
  const name = `${signal}-${file.split('.')[0]}`
  const folder = join(ada.home, name)
  await ada.ulmus(name, 'init', 'ada/files')
  const before = files(folder)
  const args = ['import', ...`../${file}`.split(' '), '--yes', '--number']
  const child = spawn(process.execPath, [start, ...args], {
    cwd: folder,
    env: { ...process.env, HOME: ada.home, XDG_CONFIG_HOME: join(ada.home, '.config') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  try {
    let said = ''
    child.stderr.on('data', (data) => {
      said += data
    })
    await vi.waitFor(() => expect(existsSync(join(folder, '.ulmus/lock'))).toBe(true), { timeout: endMs })
    await sleep(readingMs)
    child.kill(signal)
    await Promise.race([ended, sleep(endMs)])
    expect({ code: child.exitCode, said }).toEqual({ code: 130, said: 'ulmus: Interrupted.\n' })
    expect(files(folder)).toEqual(before)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
})
