/** The server process: start, refusals to start, and shutdown. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import '@ulmus/storage/testing'
import { afterAll, expect, inject, test } from 'vitest'

const start = fileURLToPath(new URL('../start.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ulmus-main-'))
const started: ChildProcess[] = []
afterAll(() => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function run(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [start, ...args], {
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: join(folder, 'data'), ...env },
  })
  started.push(child)
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }))
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /"url":"([^"]+)"/.exec(said.out)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(({ code, err }) => reject(new Error(`It ended with ${code}: ${err}`)))
  })
  url.catch(() => undefined)
  return { child, ended, url, said }
}

/** Makes a data folder with a copy of an embedded database: to create one takes several times as long as a start. */
function copiedDatabase(name: string): string {
  const data = join(folder, name)
  cpSync(inject('embeddedTemplate'), join(data, 'database'), { recursive: true })
  return data
}

test('pages and their scripts are there, from source', async () => {
  const { child, url } = run({ DATA_DIR: copiedDatabase('pages') })
  const at = await url
  const answer = await fetch(at, { headers: { accept: 'text/html' } })
  const html = await answer.text()
  expect([answer.status, html.includes('<h1>')]).toEqual([200, true])
  for (const [, asset] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
    const { status, headers } = await fetch(`${at}${asset}`)
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
  }
  child.kill('SIGTERM')
})

test('on a terminal it says where to open for people, and every line of it is read', async () => {
  const env = { PORT: '0', DATA_DIR: copiedDatabase('terminal') }
  const child = spawn('script', ['-qfec', `exec ${process.execPath} ${start}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
  })
  started.push(child)
  const said = await new Promise<string>((resolve) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more
      if (text.includes('WARNING')) resolve(text)
    })
  })
  const [, url] = /Open +(\S+)/.exec(said)!
  expect(said).toContain(`${url}/auth/login`)
  expect(said).toContain(`${url}/docs`)
  expect(said).not.toContain('"level"')
  child.kill('SIGTERM')
  await once(child, 'close')
})

test('it says in its log where it is, ends in order, and a second one on its folder says who holds it', async () => {
  const tellsFolder = "process.on('exit',()=>console.error(process.env.NODE_COMPILE_CACHE))"
  const first = run({ NODE_OPTIONS: `--import=data:text/javascript,${tellsFolder}` })
  const url = await first.url
  const lines = first.said.out.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain('Ulmus is running.')
  expect(first.said.out).toContain('Set OIDC_ISSUER')
  expect((await fetch(`${url}/readyz`)).status).toBe(200)

  const second = await run({}).ended
  expect(second.code).toBe(1)
  expect(second.err).toMatch(new RegExp(`in use by process ${first.child.pid} `))
  const check = await run({}, 'fsck').ended
  expect(check.err).toMatch(
    / in use by process .* Stop the server, run this command again, then start the server\.\n$/,
  )
  expect(check.code).toBe(1)
  expect(second.err.trim().split('\n')).toHaveLength(1)

  // A running request is answered; the idle connection of `fetch` does not delay the shutdown.
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  const type = 'application/x-www-form-urlencoded'
  socket.write(
    `POST /auth/logout HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 3\r\n\r\na=`,
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
  const began = Date.now()
  first.child.kill('SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 500))
  socket.write('b')
  expect(await first.ended).toMatchObject({ code: 0 })
  // Threads print no other folder for compiled code.
  expect(first.said.err).toMatch(/[\\/]node_modules[\\/]\.cache[\\/]ulmus\n$/)
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*{"ok":true}/s)
  expect(Date.now() - began).toBeLessThan(10_000)
})

/** Types and modes of a folder and its content. */
function modesIn(root: string): string[] {
  const modes = new Set<string>()
  for (const name of ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]) {
    const found = lstatSync(join(root, name))
    const kind = found.isDirectory() ? 'folders' : found.isSocket() ? 'sockets' : 'files'
    modes.add(`${kind} ${(found.mode & 0o777).toString(8)}`)
  }
  return [...modes].sort()
}

test.runIf(process.platform !== 'win32')(
  "the data folder is its owner's alone; a database without PG_VERSION is refused",
  async () => {
    const root = join(folder, 'private')
    const before = process.umask(0o022)
    const server = run({ DATA_DIR: root })
    process.umask(before)
    await server.url
    expect(modesIn(root)).toEqual(['files 600', 'folders 700', 'sockets 700'])
    server.child.kill('SIGTERM')
    await server.ended

    const version = join(root, 'database/pg/PG_VERSION')
    rmSync(version)
    const { code, out, err } = await run({ DATA_DIR: root }).ended
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^Ulmus cannot start\. The embedded database in .* lacks the file PG_VERSION.*\n$/)
    expect(existsSync(version)).toBe(false)
  },
)

test.each(['fsck', 'sweep'])(
  '%s of a data folder that is not there: one sentence, and none is made',
  async (command) => {
    const absent = join(folder, `absent-${command}`)
    const { code, out, err } = await run({ DATA_DIR: absent }, command).ended
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(
      new RegExp(`^${command} cannot run: There is no folder of objects .* Set DATA_DIR .*\\n$`),
    )
    expect(existsSync(absent)).toBe(false)
  },
)

test('the port is taken: one sentence, and no database is made', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const { code, err } = await run({ PORT: String(port), DATA_DIR: join(folder, 'unmade') }).ended
  other.close()
  expect(existsSync(join(folder, 'unmade'))).toBe(false)
  expect(code).toBe(1)
  expect(err).toBe(
    `Ulmus cannot start. 127.0.0.1:${port} is in use by another program. Stop it, or set PORT to another port.\n`,
  )
})

test.each([
  ['nowhere.invalid', 'HOST is nowhere.invalid, which is not an address or a name of this machine'],
  ['192.0.2.1', 'HOST is 192.0.2.1, which is not an address of this machine'],
])('HOST is %s: one sentence with the way out, and no database is made', async (HOST, sentence) => {
  const oidc = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'ulmus', OIDC_CLIENT_SECRET: 's' }
  const { code, err } = await run({ HOST, ...oidc, DATA_DIR: join(folder, 'unmade') }).ended
  expect(existsSync(join(folder, 'unmade'))).toBe(false)
  expect(code).toBe(1)
  expect(err).toContain(`Ulmus cannot start. ${sentence}`)
  expect(err).toContain('Unset HOST')
})

test.each([
  [{ PORT: 'abc' }, 'PORT must be an integer'],
  [
    { OIDC_ISUER: 'https://x.example', OIDC_CLIENT_ID: 'x' },
    'OIDC_ISSUER is not set, but OIDC_CLIENT_ID is. Set all three of OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, or none. OIDC_ISUER is not a setting: did you mean OIDC_ISSUER?',
  ],
  [{ NODE_ENV: 'production' }, 'NODE_ENV is production'],
  [{ HOST: '0.0.0.0' }, 'OIDC_ISSUER'],
  [
    {
      OBJECT_STORE: 's3://bucket',
      ...{ S3_ENDPOINT: 'http://127.0.0.1:9', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
    },
    'The bucket bucket of OBJECT_STORE (http://127.0.0.1:9) cannot be reached: connect ECONNREFUSED 127.0.0.1:9.',
  ],
  [
    { DATABASE_URL: 'postgres://ulmus@127.0.0.1:9/none' },
    'cannot be reached: connect ECONNREFUSED 127.0.0.1:9. Start PostgreSQL there, or correct host and port',
  ],
] as [Record<string, string>, string][])('%j: one sentence and exit 1', async (env, sentence) => {
  const { code, out, err } = await run(env).ended
  // On a slow machine the log names steps that take long.
  const others = out.replaceAll(/^.*(?:Still opening|There is no database yet).*\n/gm, '')
  expect([code, others]).toEqual([1, ''])
  expect(err).toContain(sentence)
  expect(err.trim().split('\n')).toHaveLength(1)
})

const places: [string, () => Record<string, string>, RegExp][] = [
  [
    'a database that is not there',
    () => ({ DATABASE_URL: new URL('/nowhere', inject('serverUrl')).href }),
    /database "nowhere" does not exist\. Create it/,
  ],
  [
    'a host that is not there',
    () => ({ DATABASE_URL: 'postgres://u@nowhere.invalid/d' }),
    /DATABASE_URL cannot be reached: .*nowhere\.invalid/,
  ],
  [
    'DATA_DIR is a file',
    () => {
      writeFileSync(join(folder, 'file'), '')
      return { DATA_DIR: join(folder, 'file') }
    },
    /DATA_DIR, .*, cannot be used: .*Set it to a folder/,
  ],
  ['DATA_DIR is in /proc', () => ({ DATA_DIR: '/proc/ulmus' }), /DATA_DIR, \/proc\/ulmus, cannot be used/],
  [
    'the control file is damaged',
    () => {
      const data = copiedDatabase('damaged')
      writeFileSync(join(data, 'database', 'pg', 'global', 'pg_control'), Buffer.alloc(8_192, 7))
      return { DATA_DIR: data }
    },
    /The embedded database in .* does not start: .*restore DATA_DIR from a backup/,
  ],
  [
    'the control file is empty',
    () => {
      const data = copiedDatabase('emptied')
      writeFileSync(join(data, 'database', 'pg', 'global', 'pg_control'), '')
      return { DATA_DIR: data }
    },
    /The embedded database in .* does not start: .*restore DATA_DIR from a backup/,
  ],
]
test.each(places)('%s: one sentence and exit 1', async (_what, env, sentence) => {
  const { code, out, err } = await run(env()).ended
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(sentence)
  expect(err.trim().split('\n')).toHaveLength(1)
})
