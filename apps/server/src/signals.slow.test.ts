/** Signals to the process that started the server shut it down gracefully. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'ulmus-signals-'))
const holderFile = join(folder, 'database', 'lock-holder')
const running: ChildProcess[] = []

const isThere = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
/** Process that holds the data folder, as numbered in its own namespace. A server that shut down gracefully leaves none. */
const holder = () => {
  if (!existsSync(holderFile)) return undefined
  return Number(/^process (\d+)/.exec(readFileSync(holderFile, 'utf8'))?.[1])
}

afterEach(() => {
  for (const { pid } of running.splice(0)) {
    try {
      process.kill(-pid!, 'SIGKILL')
    } catch {
      // All processes have ended.
    }
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts a command in its own session, so that it receives only signals of the test. */
async function started(command: string, ...args: string[]) {
  rmSync(holderFile, { force: true })
  // Without the settings of the npm that runs these tests.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_/.test(name)))
  const child = spawn(command, args, {
    cwd: root,
    env: { ...env, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'info' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const exit = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  const end = Date.now() + 50_000
  while (!said.includes('Ulmus is running.')) {
    if (Date.now() > end) throw new Error(`It does not start: ${said}`)
    await sleep(50)
  }
  return { pid: child.pid!, exit, url: /"url":"([^"]+)"/.exec(said)![1]!, said: () => said }
}

async function untilGone(pid: number): Promise<number> {
  const began = Date.now()
  while (isThere(pid) && Date.now() - began < 15_000) await sleep(50)
  return Date.now() - began
}

describe.skipIf(process.platform !== 'linux')('a signal to what one started', () => {
  test.each([
    ['npm start', ['npm', 'start'], 0],
    ['npx ulmus-server', ['npx', 'ulmus-server'], 'SIGTERM'],
    ['ulmus-server start', [process.execPath, 'apps/server/ulmus-server.js', 'start'], 0],
    ['node apps/server/start.js, as systemd starts it', [process.execPath, 'apps/server/start.js'], 0],
    ['a shell that becomes npm', ['sh', '-c', 'exec npm start'], 0],
  ])(
    '%s: SIGTERM',
    async (_name, [command, ...args], code) => {
      const { pid, exit, said } = await started(command!, ...args)
      const server = holder()!
      expect(isThere(server)).toBe(true)
      process.kill(pid, 'SIGTERM')
      expect(await untilGone(server)).toBeLessThan(10_000)
      expect(await exit).toBe(code)
      expect(holder()).toBeUndefined()
      expect(said()).toContain('Ending: requests and jobs under way')
    },
    90_000,
  )

  test.each<['SIGINT' | 'SIGTERM', string]>([
    ['SIGINT', 'Ctrl-C'],
    ['SIGTERM', 'systemd'],
  ])(
    'npm start: %s to all of its processes, as %s does, is one signal',
    async (signal) => {
      const { pid, exit, said } = await started('npm', 'start')
      const server = holder()!
      process.kill(-pid, signal)
      expect(await untilGone(server)).toBeLessThan(10_000)
      expect(await exit).toBe(0)
      expect(holder()).toBeUndefined()
      expect(said()).toContain('Ending: requests and jobs under way')
    },
    90_000,
  )

  test.skipIf(!mayUnshare()).each([
    ['npm start', ['npm', 'start']],
    ['node apps/server/start.js', [process.execPath, 'apps/server/start.js']],
  ])(
    '%s as the first process of a container',
    async (_name, command) => {
      const { pid, exit } = await started('unshare', '--pid', '--fork', '--kill-child', ...command)
      expect(holder()).toBeLessThan(100)
      const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
      process.kill(Number(first), 'SIGTERM')
      expect(await exit).toBe(0)
      expect(holder()).toBeUndefined()
    },
    90_000,
  )

  test.each([
    ['nohup npm start', 'nohup npm start &'],
    ['nohup npx ulmus-server', 'nohup npx ulmus-server &'],
    ['a script of npm that starts it in the background', `npm exec -c 'ulmus-server &'`],
  ])(
    '%s: it lives on when its shell has ended, and its terminal hangs up',
    async (_name, command) => {
      const { pid, exit, url } = await started('sh', '-c', command)
      const server = holder()!
      expect(await exit).toBe(0)
      process.kill(-pid, 'SIGHUP')
      await sleep(1_500)
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      process.kill(server, 'SIGTERM')
      expect(await untilGone(server)).toBeLessThan(10_000)
      expect(holder()).toBeUndefined()
    },
    90_000,
  )
})

/** True if the test may create process namespaces, which usually needs root. */
function mayUnshare(): boolean {
  try {
    execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
