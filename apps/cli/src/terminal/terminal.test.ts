/** Hostile text from registries and files on a terminal: only the program's own escape sequences get through. */
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { callOf } from '../context.ts'
import { libraryProcess } from './library-process.ts'
import { table } from './table.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { painted } from './text.ts'

/** Control characters of terminals: C0, DEL, C1, line separators, direction marks. */
const hostile = [
  '\u001b]0;owned\u0007',
  '\u001b[2J',
  '\r',
  '\b',
  '\u007f',
  '\u009b31m',
  '\u0085',
  '\u2028',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
].join('x')
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** A terminal, with the output of each stream. */
function opened(isTTY: boolean, env: NodeJS.ProcessEnv = { NO_COLOR: '1' }) {
  const written = { out: '', err: '' }
  const stream = (name: 'out' | 'err') =>
    Object.assign(new EventEmitter(), {
      isTTY,
      columns: isTTY ? 200 : undefined,
      write(data: string | Uint8Array) {
        written[name] += Buffer.from(data).toString()
        return true
      },
    })
  const process = Object.assign(new EventEmitter(), {
    stdin: { isTTY },
    stdout: stream('out'),
    stderr: stream('err'),
    env,
    cwd: () => '/',
  })
  return { terminal: openTerminal(process as unknown as NodeJS.Process), written }
}

const flags = { json: false, quiet: false }
const ways: Record<string, (terminal: Terminal) => unknown> = {
  'a line': (terminal) => callOf(terminal, flags).line(hostile),
  'a line with colour': (terminal) => callOf(terminal, flags).line(['x', painted('red', hostile)]),
  'a sentence': (terminal) => callOf(terminal, flags).say(hostile),
  'a warning': (terminal) => callOf(terminal, flags).warn(hostile),
  'a table': (terminal) => table(callOf(terminal, flags), ['a', 'b'], [[hostile, hostile]]),
  JSON: (terminal) => callOf(terminal, flags).json({ [hostile]: hostile }),
  data: (terminal) => terminal.write(`a${hostile}\n`),
  bytes: (terminal) => terminal.write(Buffer.from(`a${hostile}\n`)),
}

test.each(Object.entries(ways))('%s obeys nothing', async (_, write) => {
  const { terminal, written } = opened(true)
  await write(terminal)
  const all = written.out + written.err
  expect(all).toContain('\\u001b')
  expect(all).not.toMatch(obeyed)
})

test('progress obeys nothing but the order to draw the line again', () => {
  const { terminal, written } = opened(true)
  terminal.redraw(hostile)
  expect(written.err.replace('\r\u001b[2K', '')).not.toMatch(obeyed)
})

test('bytes that are cut in a character are one character', async () => {
  const { terminal, written } = opened(true)
  const bytes = Buffer.from('é\u009b')
  for (const byte of bytes) await terminal.write(Uint8Array.of(byte))
  expect(written.out).toBe('é\\u009b')
})

test('colour is beside the text', async () => {
  const { terminal, written } = opened(true, { FORCE_COLOR: '1' })
  await terminal.line(painted('red', '\u001b[2J'))
  expect(written.out).toBe('\u001b[31m\\u001b[2J\u001b[39m\n')
})

test('data for a program is what it is; JSON is the same value', async () => {
  const { terminal, written } = opened(false)
  await terminal.write(hostile)
  expect(written.out).toBe(hostile)
  const { terminal: other, written: json } = opened(false)
  await callOf(other, flags).json({ hostile })
  expect(JSON.parse(json.out)).toEqual({ hostile })
  expect(json.out).not.toMatch(obeyed)
})

test('errors of the library for command lines obey nothing, and are the colour of nothing', () => {
  let said = ''
  const stderr = {
    getColorDepth: () => 24,
    write: (text: string) => {
      said += text
    },
  }
  const library = libraryProcess({ stdout: {}, stderr, env: {} } as unknown as NodeJS.Process)
  expect(library.stderr).not.toHaveProperty('getColorDepth')
  library.stderr.write(`No command \`${hostile}\`\n`)
  expect(said).toMatch(/^No command `\\u001b\]0;owned.*`\n$/s)
  expect(said).not.toMatch(obeyed)
})
