/**
 * The embedded database: PostgreSQL in a thread of this process, reached through the driver for servers. Its thread computes and waits for
 * the disk while the event loop serves requests. It has one session, so statements and transactions take turns.
 */
import { EventEmitter, once } from 'node:events'
import { dirname } from 'node:path'
import { Duplex } from 'node:stream'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import pg from 'pg'
import { isStorageFull, StorageFullError } from '../../errors/storage-full.ts'
import { accountName, findClosedPath } from '../../machine-accounts.ts'
import type { Database } from '../database.ts'
import { LookUps } from '../look-ups.ts'
import { type MigrationOptions, type Migrations, migrate } from '../migrate.ts'
import { type Outside, pooledDatabase, types } from '../pool.ts'
import { DatabaseUnfitError } from '../sql-errors.ts'
import { lacksRoom, releaseBallast } from './ballast.ts'
import { endProcess, exitProcess } from './ending.ts'
import { demandRoomForFiles, filesOf } from './files.ts'
import { FolderInUseError, lockFolder } from './folder-lock.ts'
import { logFullExit } from './log.ts'

/**
 * Lifetime of query plans. Milliseconds. A plan made while a table was small scans the whole table, and tables grow. On a server,
 * autovacuum invalidates such plans.
 */
const planMilliseconds = 60_000

interface EmbeddedOptions {
  folder: string
  log?: (line: string) => void
  migrations?: Migrations | undefined
  release?: string
}

/**
 * @throws FolderInUseError if another process has the folder open; StorageFullError if there is no space to start; DatabaseUnfitError
 *   if this account cannot use its files, which PostgreSQL reports like damage.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  try {
    return await openFiles(options)
  } catch (error) {
    if (error instanceof FolderInUseError || isStorageFull(error)) throw error
    const closed = findClosedPath(options.folder)
    if (closed === undefined) throw error
    const { path, uid, mode } = closed
    const account = accountName()
    throw new DatabaseUnfitError(
      `The embedded database in ${options.folder} does not start, since the account ${account} cannot use ${path}, which belongs to ${accountName(uid)} with mode ${mode.toString(8)}. As root, run chown -R ${account} ${dirname(options.folder)} and chmod -R u+rwX on it, then start again.`,
      { cause: error },
    )
  }
}

async function openFiles(options: EmbeddedOptions): Promise<Database> {
  await demandRoomForFiles(options.folder)
  const lock = lockFolder(options.folder)
  try {
    releaseBallast(options.folder)
    const thread = await PostgresThread.start(await filesOf(options.folder))
    const pool = poolOn(thread)
    const end = async () => {
      await pool.end()
      await thread.end()
      lock.release()
    }
    let ended: Promise<void> | undefined
    const close = () => (ended ??= end())
    try {
      await migrateOn(pool, options.migrations, {
        ...{ release: options.release ?? 'unknown', log: options.log ?? (() => undefined) },
        // No other process has this database.
        isShared: false,
      })
      const hearing = new EventEmitter<{ topic: [string] }>()
      return pooledDatabase({
        kind: 'embedded',
        pool,
        outside: outsideOf(pool),
        notify: async (topic) => void hearing.emit('topic', topic),
        listen: (heard) => hearing.on('topic', heard),
        close,
      })
    } catch (error) {
      await close()
      throw error
    }
  } catch (error) {
    lock.release()
    if (isStorageFull(error) || lacksRoom(options.folder)) throw noRoomToStart(options.folder, error)
    throw error
  }
}

async function migrateOn(
  pool: pg.Pool,
  migrations: Migrations | undefined,
  options: MigrationOptions,
): Promise<void> {
  const client = await pool.connect()
  try {
    await migrate(client, migrations ?? {}, options)
  } finally {
    client.release()
  }
}

const noRoomToStart = (folder: string, cause: unknown): StorageFullError =>
  new StorageFullError(
    `The disk of ${folder} is full: the database cannot start. Free 64 MiB there, or more.`,
    {
      cause,
    },
  )

/**
 * Sends named statements without waiting for earlier answers. An unnamed text may contain several statements, and may leave a
 * transaction open if one fails, so it gets the session to itself.
 */
function outsideOf(pool: pg.Pool): Outside {
  const lookUps = new LookUps(pool)
  return {
    run: (statement) => (statement.name === undefined ? pool.query(statement) : lookUps.query(statement)),
    lookUp: (statement) => lookUps.query(statement),
  }
}

function poolOn(thread: PostgresThread): pg.Pool {
  const pool = new pg.Pool({
    stream: () => thread.connect() as never,
    user: 'postgres',
    // Ignore the environment's settings for servers.
    ssl: false,
    types,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
    pipeline: true,
  })
  let plannedAt = performance.now()
  return pool.on('acquire', (client) => {
    if (performance.now() - plannedAt < planMilliseconds) return
    plannedAt = performance.now()
    client.query('discard plans').catch(() => undefined)
  })
}

const lineOf = (message: string) => message.split('\n')[0]!.replace(/\.$/, '')

/** PostgreSQL in its thread. If the thread ends unexpectedly, the process ends too: acknowledged data is on disk. */
class PostgresThread {
  readonly #worker: Worker
  #isEnding = false

  private constructor(worker: Worker) {
    this.#worker = worker
  }

  /** @throws DatabaseUnfitError if PostgreSQL does not start on these files. */
  static async start(files: string): Promise<PostgresThread> {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: files })
    const ended = once(worker, 'exit').then(([code]) => {
      if (code === logFullExit) throw new StorageFullError('There is no room for the log.')
      throw new Error('PostgreSQL ended as it started.')
    })
    await Promise.race([once(worker, 'message'), ended]).catch((error: Error) => {
      if (isStorageFull(error)) throw error
      throw new DatabaseUnfitError(
        `The embedded database in ${files} does not start: ${lineOf(error.message)}. If its disk is full, free space; else its files are damaged: restore DATA_DIR from a backup.`,
        { cause: error },
      )
    })
    const thread = new PostgresThread(worker)
    worker.on('error', (error) => endProcess('The embedded database has failed', error))
    worker.on('exit', (code) => {
      if (code === logFullExit && !thread.#isEnding) exitProcess(logFull(files))
      if (!thread.#isEnding) endProcess('The embedded database has ended', undefined)
    })
    worker.unref()
    return thread
  }

  /** @returns a duplex stream that the driver uses as its socket; the new connection takes the session from the previous one */
  connect(): Duplex {
    const { port1, port2 } = new MessageChannel()
    this.#worker.postMessage(port2, [port2])
    return new Connection(port1, this.#worker)
  }

  /** Shuts PostgreSQL down cleanly. */
  async end(): Promise<void> {
    this.#isEnding = true
    this.#worker.ref()
    this.#worker.postMessage(null)
    await once(this.#worker, 'exit')
  }
}

const logFull = (files: string): string =>
  `The disk of ${files} is full, and the database has no room left for its log, so the server stops. What it has acknowledged is kept. Free space there and start it; started before that, it can be read from.`

/**
 * Presents a message port as the socket that the driver expects. A pending query also keeps the thread referenced: with the port alone,
 * a failing thread would end the process before the failure is reported.
 */
class Connection extends Duplex {
  readonly #port: MessagePort
  readonly #worker: Worker

  constructor(port: MessagePort, worker: Worker) {
    super()
    this.#worker = worker
    worker.ref()
    this.#port = port.on('message', (answer: Uint8Array) => this.push(answer))
  }

  connect(): this {
    queueMicrotask(() => this.emit('connect'))
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    this.#port.ref()
    this.#worker.ref()
    return this
  }
  unref(): this {
    this.#port.unref()
    this.#worker.unref()
    return this
  }

  override _read(): void {}
  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this._writev([{ chunk }], done)
  }
  override _writev(parts: { chunk: Uint8Array }[], done: () => void): void {
    const message = new Uint8Array(parts.reduce((sum, { chunk }) => sum + chunk.length, 0))
    let at = 0
    for (const { chunk } of parts) {
      message.set(chunk, at)
      at += chunk.length
    }
    this.#port.postMessage(message, [message.buffer])
    done()
  }
  override _final(done: () => void): void {
    this.push(null)
    done()
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port.close()
    done(error)
  }
}
