/**
 * PostgreSQL with a synchronous standby and automatic failover: two nodes and a monitor of pg_auto_failover, as packaged by Debian, on
 * loopback. Killing a node kills its keeper and its PostgreSQL, like a machine that loses power.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { quietPort } from '@ulmus/storage/testing/quiet-port'
import pg from 'pg'

/** Debian's packages, for the message about missing ones. */
export const clusterPackages = 'pg-auto-failover-cli postgresql-15-auto-failover'

/** Time for a node to become the primary or a standby. Milliseconds. */
const settledMillisecondsMax = 60_000
const pollMilliseconds = 100
/** Disposable data on a busy machine. Later lines of the file override those of pg_autoctl, which takes a quarter of the memory. */
const nodeSettings = [
  'fsync = off',
  'max_connections = 200',
  `shared_buffers = '128 MB'`,
  `wal_keep_size = '1 GB'`,
]
/** pg_auto_failover's defaults take 50 s until the standby is the primary: docs/high-availability.md. Milliseconds. */
const monitorSettings = [
  'fsync = off',
  'pgautofailover.health_check_period = 1000',
  'pgautofailover.health_check_timeout = 1000',
  'pgautofailover.health_check_retry_delay = 500',
  'pgautofailover.node_considered_unhealthy_timeout = 4000',
  'pgautofailover.primary_demote_timeout = 4000',
]
const programsFolder = '/usr/lib/postgresql'
const account = 'postgres'
/** Columns of the monitor. */
interface NodeState {
  readonly name: string
  readonly reported: string
  readonly assigned: string
}

type Part = 'primary' | 'standby'

export class Cluster {
  readonly #folder: string
  readonly #programs: string
  readonly #nodes = new Map<string, { port: number; child?: ChildProcess }>()
  #monitor = ''

  private constructor(folder: string, programs: string) {
    this.#folder = folder
    this.#programs = programs
  }

  /** Undefined if pg_auto_failover is missing, or this account may not run PostgreSQL as another one. */
  static async start(folder: string): Promise<Cluster | undefined> {
    const programs = programsWithExtension()
    if (programs === undefined || process.getuid?.() !== 0) return undefined
    mkdirSync(folder)
    const id = (flag: string) => Number(execFileSync('id', [flag, account], { encoding: 'utf8' }))
    chownSync(folder, id('-u'), id('-g'))
    const cluster = new Cluster(folder, programs)
    try {
      await cluster.#make()
    } catch (error) {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  async #make(): Promise<void> {
    const port = await quietPort()
    this.#monitor = `postgres://autoctl_node@127.0.0.1:${port}/pg_auto_failover`
    await this.#create('monitor', port, [])
    const data = ['--username', 'keeper', '--dbname', 'keeper', '--monitor', this.#monitor]
    for (const name of ['a', 'b']) await this.#create(name, await quietPort(), ['--name', name, ...data])
    await this.settled()
    // The account above must be a superuser: a standby cannot be promoted without it.
    await this.query('create role ulmus login')
    await this.query('create database ulmus owner ulmus')
  }

  async #create(name: string, port: number, more: readonly string[]): Promise<void> {
    const isMonitor = name === 'monitor'
    const place = ['--pgdata', join(this.#folder, name), '--pgport', String(port), '--hostname', '127.0.0.1']
    this.#nodes.set(name, { port })
    if (!isMonitor) await this.#untilMonitorAnswers()
    const trust = ['--auth', 'trust', '--no-ssl']
    await this.#run('pg_autoctl', 'create', isMonitor ? 'monitor' : 'postgres', ...place, ...trust, ...more)
    // The standby has copies of the primary's files.
    const settings = isMonitor ? monitorSettings : name === 'a' ? nodeSettings : []
    appendFileSync(join(this.#folder, name, 'postgresql.conf'), `${settings.join('\n')}\n`)
    this.#startNode(name)
    if (name === 'a') await this.#until(({ states }) => states.every(({ reported }) => reported === 'single'))
  }

  #startNode(name: string): void {
    const output = openSync(join(this.#folder, `${name}.log`), 'a')
    const [program, ...flags] = this.#asAccount('pg_autoctl', 'run', '--pgdata', join(this.#folder, name))
    const child = spawn(program!, flags, { env: this.#environment, stdio: ['ignore', output, output] })
    closeSync(output)
    this.#nodes.get(name)!.child = child
  }

  /** A command line that runs as PostgreSQL's account, and ends with this process. */
  #asAccount(...command: string[]): string[] {
    const as = [`--reuid=${account}`, `--regid=${account}`, '--clear-groups', '--pdeathsig', 'TERM']
    return ['setpriv', ...as, ...command]
  }

  get #environment(): Record<string, string> {
    const home = { HOME: this.#folder, XDG_RUNTIME_DIR: join(this.#folder, 'run') }
    // initdb takes the encoding from the locale.
    return { ...home, PATH: `${this.#programs}:/usr/bin:/bin`, LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  }

  async #run(...command: string[]): Promise<void> {
    const [program, ...flags] = this.#asAccount(...command)
    await promisify(execFile)(program!, flags, { env: this.#environment, timeout: settledMillisecondsMax })
  }

  #portsOf(names: readonly string[]): number[] {
    return names.map((name) => this.#nodes.get(name)!.port)
  }

  /** For `DATABASE_URL`. */
  get url(): string {
    const hosts = this.#portsOf(['a', 'b']).map((port) => `127.0.0.1:${port}`)
    return `postgres://ulmus@${hosts.join()}/ulmus?target_session_attrs=read-write`
  }

  /** Runs statements on the primary. */
  async query(statement: string, database = account): Promise<pg.QueryResult> {
    const [port] = this.#portsOf([await this.#nameOf('primary')])
    return queryOn(`postgres://${account}@127.0.0.1:${port}/${database}`, statement)
  }

  async #nameOf(part: Part): Promise<string> {
    const states = await this.#states()
    const isPrimary = ({ assigned }: NodeState) => ['primary', 'wait_primary', 'single'].includes(assigned)
    const found = states.find((state) => isPrimary(state) === (part === 'primary'))
    if (found === undefined) throw new Error(`There is no ${part}: ${JSON.stringify(states)}`)
    return found.name
  }

  async #states(): Promise<NodeState[]> {
    const { rows } = await queryOn(
      this.#monitor,
      'select nodename as name, reportedstate as reported, goalstate as assigned from pgautofailover.node',
    )
    return rows
  }

  async #untilMonitorAnswers(): Promise<void> {
    for (const until = performance.now() + settledMillisecondsMax; ; await sleep(pollMilliseconds))
      try {
        return void (await this.#states())
      } catch (error) {
        if (performance.now() > until) throw error
      }
  }

  async #until(isSo: (now: { states: NodeState[] }) => boolean): Promise<void> {
    for (const until = performance.now() + settledMillisecondsMax; ; await sleep(pollMilliseconds)) {
      const states = await this.#states()
      if (isSo({ states })) return
      if (performance.now() > until) throw new Error(`The cluster does not settle: ${JSON.stringify(states)}`)
    }
  }

  /** Resolves when one node is the primary and the other its synchronous standby. @throws Error after a minute */
  settled(): Promise<void> {
    const ready = (states: NodeState[], state: string) =>
      states.filter(({ reported, assigned }) => reported === state && assigned === state).length === 1
    return this.#until(({ states }) => ready(states, 'primary') && ready(states, 'secondary'))
  }

  /** Sends a signal to all processes of a node. @returns a function that ends the fault: starts or continues the node */
  async strike(part: Part, signal: 'SIGKILL' | 'SIGSTOP'): Promise<() => Promise<void>> {
    const name = await this.#nameOf(part)
    const struck = this.#signal(name, signal)
    return async () => {
      if (signal === 'SIGKILL') this.#startNode(name)
      else for (const pid of struck) signalTo(pid, 'SIGCONT')
      await this.settled()
    }
  }

  /** Kills PostgreSQL alone; its keeper starts it again. */
  async crash(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const name = await this.#nameOf('primary')
    const [pid] = readFileSync(join(this.#folder, name, 'postmaster.pid'), 'utf8').split('\n')
    signalTo(Number(pid), signal)
  }

  async switchOver(): Promise<void> {
    await this.#run('pg_autoctl', 'perform', 'switchover', '--monitor', this.#monitor)
  }

  #signal(name: string, signal: NodeJS.Signals): Set<number> {
    const root = this.#nodes.get(name)?.child?.pid
    const struck = new Set<number>()
    if (root === undefined) return struck
    // Processes that are started meanwhile are found the next time.
    for (let before = -1; struck.size > before; ) {
      before = struck.size
      for (const pid of descendantsOf(root).filter((one) => !struck.has(one))) {
        struck.add(pid)
        signalTo(pid, 'SIGSTOP')
      }
    }
    if (signal !== 'SIGSTOP') for (const pid of struck) signalTo(pid, signal)
    return struck
  }

  async stop(): Promise<void> {
    for (const name of this.#nodes.keys()) this.#signal(name, 'SIGKILL')
  }
}

/** Folder of a PostgreSQL with the extension; undefined: there is none. */
function programsWithExtension(): string | undefined {
  if (!existsSync('/usr/bin/pg_autoctl') || !existsSync(programsFolder)) return undefined
  const version = readdirSync(programsFolder).find((one) =>
    existsSync(`/usr/share/postgresql/${one}/extension/pgautofailover.control`),
  )
  return version && join(programsFolder, version, 'bin')
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The process and all that it started, also those of other groups and sessions. */
function descendantsOf(root: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      return [[Number(name), Number(parent)] as const]
    } catch {
      return []
    }
  })
  const found = [root]
  for (const one of found) for (const [pid, parent] of parents) if (parent === one) found.push(pid)
  return found
}

async function queryOn(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
