/** Measures the machine, Node and the databases alone: upper limits for the registry. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { tied } from '../children.ts'

const program = join(import.meta.dirname, 'raw-server.ts')

export interface RawServer {
  readonly url: string
  stop(): Promise<void>
}

/** @param where connection string for `server`, a folder for `embedded`; @param file streamed by `/file` */
export async function startRawServer(
  kind: 'fixed' | 'server' | 'embedded',
  where = '-',
  file = '-',
): Promise<RawServer> {
  const child = tied(
    spawn(process.execPath, [program, kind, where, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()))
    child.once('exit', (code) => reject(new Error(`The raw server ended with code ${code}.`)))
  })
  return {
    url,
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** Reads an answer to its end and drops it, with Node's plain client. @returns bytes. @throws Error for a status other than 200 */
export function drained(url: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.once('error', reject)
      response.once('end', () =>
        response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${url}: ${response.statusCode}`)),
      )
    }).once('error', reject)
  })
}

/** Size of a file compressed by `zstd -3`. Bytes. */
export async function zstdBytes(file: string): Promise<number> {
  const level = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
  let bytes = 0
  const pack = createZstdCompress(level)
  pack.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), pack, createWriteStream('/dev/null'))
  return bytes
}
