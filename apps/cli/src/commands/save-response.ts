/** Reads downloads, and saves them as files. */
import { once } from 'node:events'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { UlmusError } from '@ulmus/client'
import { createInside } from '../folder/files/inside.ts'
import { findRoot } from '../folder/files/layout.ts'
import { CommandError } from '../terminal/failure.ts'

/**
 * Writes a temporary file and renames it when it is complete.
 * @param cwd the current folder
 * @param file absolute path
 * @returns bytes
 */
export async function saveResponse(
  { cwd, signal }: { cwd: string; signal: AbortSignal },
  response: Response,
  file: string,
  onBytes: (count: number) => void,
): Promise<number> {
  const part = `${file}.part`
  const stream = createWriteStream('', { fd: createPart(cwd, part) })
  let bytes = 0
  try {
    for await (const chunk of chunksOf(response, signal)) {
      bytes += chunk.length
      onBytes(bytes)
      if (!stream.write(chunk)) await once(stream, 'drain')
    }
    stream.end()
    await once(stream, 'close')
    renameSync(part, file)
    return bytes
  } catch (error) {
    stream.destroy()
    rmSync(part, { force: true })
    throw error
  }
}

/** @throws CommandError if the connection breaks off */
export async function* chunksOf(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of response.body ?? []) {
      signal.throwIfAborted()
      yield chunk as Uint8Array
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof UlmusError && error.code === 'network')) throw error
    const why = error.cause instanceof Error ? ` (${error.cause.message})` : ''
    throw new CommandError(`The connection broke off before the end${why}. Run the command again.`, {
      code: 'network',
      cause: error,
    })
  }
}

/**
 * Creates a new file in place of any existing one. Refuses symbolic links in the path below the root of a working folder, or below the
 * current folder.
 */
function createPart(cwd: string, part: string): number {
  const folder = dirname(part)
  const root = folder === cwd ? folder : (findRoot(folder) ?? folder)
  return createInside(root, relative(root, part).split(sep).join('/'))
}
