/** Pager, and progress bar of long commands. */
import { EventEmitter } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPager, pagerOf } from './pager.ts'
import { barText } from './progress.ts'
import { openTerminal } from './terminal.ts'
import { painted } from './text.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ulmus-pager-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  [{}, ['less']],
  [{ PAGER: 'more -s' }, ['more', '-s']],
  [{ PAGER: 'more', ULMUS_PAGER: 'less -N' }, ['less', '-N']],
  [{ PAGER: 'more', ULMUS_PAGER: '' }, []],
  [{ PAGER: 'cat' }, []],
  [{ PAGER: 'less', NO_PAGER: '1' }, []],
])('with %j the pager is %j', (env, command) => expect(pagerOf(env)).toEqual(command))

/** A terminal that records its own output. */
function opened(isTTY: boolean, env: NodeJS.ProcessEnv) {
  let out = ''
  const stream = Object.assign(new EventEmitter(), {
    isTTY,
    columns: 80,
    write(text: string) {
      out += text
      return true
    },
  })
  const streams = { stdin: { isTTY }, stdout: stream, stderr: stream }
  const process = Object.assign(new EventEmitter(), { ...streams, env, cwd: () => '/' })
  return { terminal: openTerminal(process as unknown as NodeJS.Process), out: () => out }
}

test('lines go through the pager, harmless and in colour, until it is left', async () => {
  const file = join(folder, 'paged')
  const { terminal, out } = opened(true, {
    PATH: process.env['PATH'],
    ULMUS_PAGER: `dd status=none of=${file}`,
  })
  await terminal.page()
  await terminal.line(painted('red', 'one\u001b[2J'))
  await terminal.write('two\u009b\n')
  await terminal.endPage()
  expect(readFileSync(file, 'utf8')).toBe('\u001b[31mone\\u001b[2J\u001b[39m\ntwo\\u009b\n')
  await terminal.line('three')
  expect(out()).toBe('three\n')
})

test('without a terminal, and where there is no such program, nothing is paged', async () => {
  const env = { PATH: process.env['PATH'], ULMUS_PAGER: join(folder, 'none') }
  for (const isTTY of [true, false]) {
    const { terminal, out } = opened(isTTY, { ...env, NO_COLOR: '1' })
    await terminal.page()
    await terminal.line('one')
    await terminal.endPage()
    expect(out()).toBe('one\n')
  }
  expect(await openPager(env, () => undefined)).toBeUndefined()
})

test('a bar says how much is done, and after a second how fast', () => {
  expect(barText({ done: 0, total: 10 }, 5_000)).toBe(`${'░'.repeat(20)}   0 %`)
  expect(barText({ done: 5, total: 10 }, 500)).toBe(`${'█'.repeat(10)}${'░'.repeat(10)}  50 %`)
  expect(barText({ done: 3_000, total: 12_000 }, 2_000)).toBe(
    `${'█'.repeat(5)}${'░'.repeat(15)}  25 %  1,500/s  6 s left`,
  )
  expect(barText({ done: 1_000, total: 1_000_000 }, 2_000)).toContain('500/s  34 min left')
  expect(barText({ done: 12, total: 10 }, 500)).toBe(`${'█'.repeat(20)} 100 %`)
  expect(barText({ done: 0, total: 0 }, 500)).toBe(`${'█'.repeat(20)} 100 %`)
})
