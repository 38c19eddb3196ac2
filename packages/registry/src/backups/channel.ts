/**
 * Dump socket of a server with an embedded database, which no second process can open. The socket lies in the database's folder
 * and accepts only the server's account. A client receives one line of JSON with the number of following bytes, or an error; then
 * those bytes.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseJson } from '@ulmus/content'
import { type Database, writeDump } from '@ulmus/storage'
import type { Log } from '../log.ts'

const dumpPrefix = 'dump-'
/** System limit on a socket's path, in bytes. */
const pathBytesMax = process.platform === 'linux' ? 107 : 103

/** On Windows, sockets are named pipes. */
function channelOf(databaseFolder: string): string {
  if (process.platform !== 'win32') return join(databaseFolder, 'control')
  const name = createHash('sha256').update(resolve(databaseFolder).toLowerCase()).digest('hex')
  return `\\\\.\\pipe\\ulmus-${name}`
}

/**
 * Serves dumps until closed. The caller holds the folder's lock, so an existing socket belongs to a dead server.
 * @returns a function that closes the socket
 */
export async function serveDumps(
  database: Database,
  databaseFolder: string,
  log: Log,
): Promise<() => Promise<void>> {
  const path = channelOf(databaseFolder)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    void sendDump(socket, database, databaseFolder, log)
  })
  try {
    await removeLeftBehind(databaseFolder)
    if (process.platform !== 'win32') await rm(path, { force: true })
    await new Promise<void>((listening, failed) => {
      server.once('error', failed)
      if (Buffer.byteLength(path) > pathBytesMax) failed(new Error(`${path} is too long for a socket.`))
      else server.listen(path, listening)
    })
  } catch (error) {
    log.warn(
      { err: error },
      'A backup cannot ask this server for its database, and needs it stopped. A shorter DATA_DIR, on a disk of this machine, has room for the socket that it asks on.',
    )
    return async () => undefined
  }
  server.on('error', (error) => log.warn({ err: error }, 'the socket that backups ask on failed'))
  server.unref()
  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  }
}

/** Removes unsent dumps of a killed server. */
async function removeLeftBehind(databaseFolder: string): Promise<void> {
  for (const entry of await readdir(databaseFolder))
    if (entry.startsWith(dumpPrefix)) await rm(join(databaseFolder, entry), { recursive: true, force: true })
}

/** Writes the dump to a file first: requests wait during a dump, and must not wait for a slow client. */
async function sendDump(socket: Socket, database: Database, parent: string, log: Log): Promise<void> {
  let folder: string | undefined
  try {
    folder = await mkdtemp(join(parent, dumpPrefix))
    const file = join(folder, 'dump')
    const began = performance.now()
    await writeDump(database, file)
    const { size } = await stat(file)
    const milliseconds = Math.round(performance.now() - began)
    log.info({ bytes: size, milliseconds }, 'the database was dumped for a backup')
    socket.write(`${JSON.stringify({ bytes: size })}\n`)
    await pipeline(createReadStream(file), socket)
  } catch (error) {
    log.error({ err: error }, 'a dump of the database could not be given')
    socket.end(`${JSON.stringify({ error: (error as Error).message })}\n`)
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}

/** The running server could not provide a dump. The message gives the reason. */
export class DumpRefusedError extends Error {
  override name = 'DumpRefusedError'
}

/**
 * Requests a dump from the server that has this database open, and writes it to a new file. Returns false if no server listens.
 * @throws DumpRefusedError
 */
export async function askForDump(databaseFolder: string, file: string): Promise<boolean> {
  const path = channelOf(databaseFolder)
  if (Buffer.byteLength(path) > pathBytesMax) return false
  const socket = await connected(path)
  if (socket === undefined) return false
  try {
    const pieces = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const { head, rest } = await firstLine(pieces)
    if (head.bytes === undefined)
      throw new DumpRefusedError(`The running server could not dump its database: ${head.error}`)
    let bytes = 0
    await pipeline(
      async function* () {
        for (let piece: Buffer | undefined = rest; piece !== undefined; ) {
          bytes += piece.length
          if (piece.length > 0) yield piece
          const next = await pieces.next()
          piece = next.done === true ? undefined : next.value
        }
      },
      createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    )
    if (bytes !== head.bytes)
      throw new DumpRefusedError('The running server ended while it gave its database.')
    return true
  } finally {
    socket.destroy()
  }
}

/** Undefined if no server listens. */
function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTDIR')
        resolve(undefined)
      else reject(error)
    })
  })
}

interface Head {
  bytes?: number
  error?: string
}

async function firstLine(pieces: AsyncIterator<Buffer>): Promise<{ head: Head; rest: Buffer }> {
  let text = Buffer.alloc(0)
  for (;;) {
    const { done, value } = await pieces.next()
    if (done === true) throw new DumpRefusedError('The running server ended before it gave its database.')
    text = Buffer.concat([text, value])
    const end = text.indexOf(10)
    if (end < 0) continue
    return {
      head: parseJson(text.subarray(0, end).toString()) as Head,
      rest: text.subarray(end + 1),
    }
  }
}
