/** A process that reads a file ends when its answer takes too long. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { ReadingProcess } from './reading-process.ts'

const home = mkdtempSync(join(tmpdir(), 'ulmus-reading-process-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

test('an answer that takes too long is a fault, and the process ends', async () => {
  const program = join(home, 'busy.mjs')
  const path = join(home, 'pid')
  // It blocks its thread, as a hostile workbook would.
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs'
writeFileSync(process.argv[2], String(process.pid))
process.on('message', () => { for (;;); })`,
  )
  const reading = new ReadingProcess({
    ...{ program: pathToFileURL(program), path, file: 'large.xlsx' },
    ...{ problem: 'The workbook cannot be read', answerMillisecondsMax: 1_500 },
  })
  await expect(reading.ask({})).rejects.toThrow(
    'large.xlsx: The workbook cannot be read: it takes more than 1.5 seconds.',
  )
  const pid = Number(readFileSync(path, 'utf8'))
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
  await expect(reading.ask({})).rejects.toThrow('it is closed')
  reading.close()
})
