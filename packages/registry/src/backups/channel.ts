/**
 * Backup socket of a server with an embedded database, which no second process can open. The socket lies in the database's folder
 * and accepts only the server's account. A client sends one line of JSON: it wants a dump, or has made a backup. It receives one line, with
 * the number of following bytes or an error; then those bytes.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseJson } from '@ulmus/content'
import { type Database, type MadeBackup, noteBackup, writeDump } from '@ulmus/storage'
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
    void answer(socket, database, databaseFolder, log)
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

/** Request of a client. */
type Wish = 'dump' | { readonly made: MadeBackup }

async function answer(socket: Socket, database: Database, parent: string, log: Log): Promise<void> {
  let wish: Wish
  try {
    wish = (await firstLine<Wish>(socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>)).head
  } catch {
    // The client ended before it asked for anything.
    socket.destroy()
    return
  }
  if (wish === 'dump') return sendDump(socket, database, parent, log)
  try {
    const { made } = wish
    await database.transactOnce((tx) => noteBackup(tx, made))
    log.info({ ...made }, 'a backup is complete')
    socket.end(`${JSON.stringify({ bytes: 0 })}\n`)
  } catch (error) {
    socket.end(`${JSON.stringify({ error: (error as Error).message })}\n`)
  }
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
  const socket = await connected(databaseFolder)
  if (socket === undefined) return false
  try {
    socket.write(`${JSON.stringify('dump' satisfies Wish)}\n`)
    const pieces = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const { head, rest } = await firstLine<Head>(pieces)
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

/**
 * Has the server that has this database open record a complete backup. Returns false if no server listens.
 * @throws DumpRefusedError
 */
export async function tellOfBackup(databaseFolder: string, made: MadeBackup): Promise<boolean> {
  const socket = await connected(databaseFolder)
  if (socket === undefined) return false
  try {
    socket.write(`${JSON.stringify({ made } satisfies Wish)}\n`)
    const { head } = await firstLine<Head>(socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>)
    if (head.error !== undefined)
      throw new DumpRefusedError(`The running server could not record it: ${head.error}`)
    return true
  } finally {
    socket.destroy()
  }
}

/** Undefined if no server listens. */
async function connected(databaseFolder: string): Promise<Socket | undefined> {
  const path = channelOf(databaseFolder)
  if (Buffer.byteLength(path) > pathBytesMax) return undefined
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

async function firstLine<Line>(pieces: AsyncIterator<Buffer>): Promise<{ head: Line; rest: Buffer }> {
  let text = Buffer.alloc(0)
  for (;;) {
    const { done, value } = await pieces.next()
    if (done === true) throw new DumpRefusedError('The running server ended before it answered.')
    text = Buffer.concat([text, value])
    const end = text.indexOf(10)
    if (end < 0) continue
    return {
      head: parseJson(text.subarray(0, end).toString()) as Line,
      rest: text.subarray(end + 1),
    }
  }
}
