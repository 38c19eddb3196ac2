/**
 * PostgreSQL in process (PGlite), durable.
 *
 * PGlite as shipped never syncs: it starts with `-F`, and its file system has no `fsync`. Here `-F` is removed, `fsync` reaches the
 * disk, and the write-ahead log is synced with `fsync`, because PGlite's `fdatasync` does nothing. Each commit takes one sync.
 */
import { setFlagsFromString } from 'node:v8'
import { PGlite, protocol } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { SyncingFolder } from './folder.ts'

/** Serializer of messages in PostgreSQL's protocol. */
export const { serialize } = protocol

/** Shared buffers are zeroed at start, so all of them take memory; the operating system's cache is behind them. */
const memory = ['-c', 'shared_buffers=32MB']
const syncing = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync']
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...syncing,
  ...memory,
  ...['-c', 'TimeZone=UTC'],
]

/** @param files folder of PostgreSQL's own files, locked by this process */
export async function startPostgres(files: string): Promise<PGlite> {
  const postgres = new Postgres({ fs: new SyncingFolder(files), startParams, extensions: { pg_trgm } })
  await postgres.waitReady
  return postgres
}

/**
 * PostgreSQL's answer to a protocol message. PGlite's other methods also parse the answer, and its raw ones keep everything they have
 * parsed until the process ends.
 */
export async function answerOf(postgres: PGlite, message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  // Copied, because the parts are views of PostgreSQL's own memory.
  await postgres.execProtocolRawStream(message, {
    syncToFs: false,
    onRawData: (part) => parts.push(part.slice() as Uint8Array<ArrayBuffer>),
  })
  if (parts.length === 1) return parts[0]!
  const answer = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    answer.set(part, at)
    at += part.length
  }
  return answer
}

/**
 * V8 recompiles hot functions with optimizations. PostgreSQL's grammar is one function of 105 kB that every statement runs;
 * optimizing it takes 600 MiB and seconds, and makes nothing faster. A function is never optimized if its first call happens while V8 may
 * optimize only function 0, which is not WebAssembly. So the first statement, an empty one, runs with that filter.
 */
class Postgres extends PGlite {
  override async _initArrayTypes(...options: Parameters<PGlite['_initArrayTypes']>): Promise<void> {
    this.execProtocolRawSync(serialize.sync())
    setFlagsFromString('--wasm-tier-up-filter=0')
    try {
      this.execProtocolRawSync(serialize.query(';'))
    } finally {
      setFlagsFromString('--wasm-tier-up-filter=-1')
    }
    return super._initArrayTypes(...options)
  }
}
