/** The transcript, in a real terminal (tmux) and without one. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../server/src/testing/serve.ts'
import { cities, type Step, transcript } from './testing/transcript.ts'

const start = join(import.meta.dirname, '../start.js')
const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const people = ['ada', 'bob', 'stranger'] as const

describe.each(anyDatabase)('the transcript, with a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string
  let folder: string

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    folder = mkdtempSync(join(tmpdir(), 'ulmus-transcript-'))
    server = await serveForTest(settings)
    key = await server.keyFor((await server.signIn('ada')).cookie, 'write')
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
    await dispose()
  })

  /** A home with `ulmus` on its path. */
  const environmentOf = (home: string, who: Step['as']): Record<string, string> => {
    const bin = join(home, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'ulmus'), `#!/bin/sh\nexec '${process.execPath}' '${start}' "$@"\n`)
    chmodSync(join(bin, 'ulmus'), 0o755)
    writeFileSync(join(home, 'cities.csv'), cities)
    return {
      ...{ HOME: home, PATH: `${bin}:/usr/bin:/bin`, ULMUS_HOST: server.url, LANG: 'C.UTF-8' },
      ...(who === 'stranger' ? {} : { ULMUS_TOKEN: key }),
    }
  }

  test('without a terminal', async () => {
    const places = new Map<string, string>()
    for (const step of transcript) {
      const home = join(folder, `plain-${step.as}`)
      const env = environmentOf(home, step.as)
      const line = step.run.replaceAll('{ID}', 'plain')
      const script = `${line}\ncode=$?\npwd > '${home}/place'\nexit $code`
      const { shown, code } = await runShell(script, places.get(step.as) ?? home, env)
      expect(code, `${line}\n${shown}`).toBe(step.code ?? 0)
      expect(shown, line).toMatch(step.shows)
      // No progress and no colours.
      expect(shown, line).not.toContain('\u001b')
      places.set(step.as, readFileSync(join(home, 'place'), 'utf8').trim())
    }
  }, 120_000)

  test.skipIf(!isThere('tmux') && process.env['CI'] !== 'true')(
    'in a terminal',
    async () => {
      const socket = join(folder, 'tmux')
      const tmux = (...args: string[]) => execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' })
      try {
        for (const who of people) {
          const home = join(folder, `terminal-${who}`)
          const env = Object.entries(environmentOf(home, who)).flatMap(([name, value]) => [
            '-e',
            `${name}=${value}`,
          ])
          const shell = ['env', '-u', 'CI', 'bash', '--norc', '--noprofile']
          tmux(
            '-f',
            '/dev/null',
            'new-session',
            '-d',
            '-s',
            who,
            '-x',
            '160',
            '-y',
            '50',
            '-c',
            home,
            ...env,
            ...shell,
          )
          tmux('send-keys', '-t', who, "PS1='> '; clear", 'Enter')
        }
        let coloured = 0
        for (const [number, { as, run, keys = [], shows, code = 0 }] of transcript.entries()) {
          const line = run.replaceAll('{ID}', 'terminal')
          tmux('send-keys', '-t', as, '-l', `clear; ${line}; echo "end-${number}: $?"`)
          tmux('send-keys', '-t', as, 'Enter')
          const screen = () => tmux('capture-pane', '-p', '-J', '-t', as)
          for (const one of keys) {
            await until(
              () => screen().includes('?'),
              () => `${line}\n${screen()}`,
            )
            await sleep(300)
            tmux('send-keys', '-t', as, one)
          }
          await until(
            () => new RegExp(`^end-${number}: \\d+`, 'm').test(screen()),
            () => `${line}\n${screen()}`,
          )
          const shown = screen()
          expect(shown, line).toContain(`end-${number}: ${code}`)
          expect(shown, line).toMatch(shows)
          if (tmux('capture-pane', '-p', '-e', '-t', as).includes('\u001b[')) coloured++
        }
        expect(coloured).toBeGreaterThan(5)
      } finally {
        tmux('kill-server')
      }
    },
    180_000,
  )
})

async function runShell(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ shown: string; code: number }> {
  const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const [code] = (await once(child, 'close')) as [number]
  return { shown, code }
}

async function until(isTrue: () => boolean, state: () => string): Promise<void> {
  const end = Date.now() + 20_000
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`The terminal does not come to it:\n${state()}`)
    await sleep(100)
  }
}
