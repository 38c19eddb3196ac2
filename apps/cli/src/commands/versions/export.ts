import { once } from 'node:events'
import { createWriteStream, lstatSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import { parseSemver } from '@ulmus/content'
import type { Call, Command } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { tampered } from '../../folder/base/verified-version.ts'
import { createInside } from '../../folder/files/inside.ts'
import { findRoot } from '../../folder/files/layout.ts'
import { pathOf } from '../../reference.ts'
import { warnIfDeprecated } from '../../terminal/deprecated.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { sizeText } from '../../terminal/words.ts'

type ExportFlags = { readonly output?: string }

/** `ulmus export [REF] [-o FILE]`: saves the archive of a version as the registry sends it, without verifying the digest. */
const exportArchive: Command<ExportFlags, [reference?: string]> = async (call, flags, text) => {
  const reference = referenceHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  const collection = pathOf(reference)
  const version = await client.versions.get(collection, reference.version ?? 'latest')
  warnIfDeprecated(call, version)
  const { semver, hash } = version
  // It becomes part of a file name.
  if (parseSemver(semver) === undefined)
    throw tampered(`The registry calls a version ${JSON.stringify(semver)}.`)
  if (flags.output === '-' && call.terminal.columns !== undefined)
    throw usageError(
      'Refusing to write an archive to the terminal. Pipe it into a program, or name a file with -o.',
    )
  const usual = basename(`${reference.owner}-${reference.slug}-${semver}.tar.gz`)
  if (flags.output === undefined) demandNew(call, usual, `${collection}@${semver}`)
  const response = await client.versions.export(collection, semver, call.signal)
  if (flags.output === '-') {
    for await (const chunk of response.body ?? []) await call.terminal.write(chunk as Uint8Array)
    return
  }
  const file = resolve(call.terminal.cwd, flags.output ?? usual)
  const progress = openProgress(call, flags.quiet)
  const bytes = await save(call, response, file, (count) => progress.show(sizeText(count)))
  progress.end()
  if (flags.json) return call.json({ file, bytes, semver, hash })
  await call.line(file)
  call.say(`${sizeText(bytes)}, ${collection}@${semver}, ${hash}`)
}

/** @throws CommandError if the name exists, even as a link: only `-o` may overwrite a file */
function demandNew(call: Call, name: string, version: string): void {
  if (lstatSync(resolve(call.terminal.cwd, name), { throwIfNoEntry: false }) === undefined) return
  throw new CommandError(`${name} is already in this folder. To overwrite it, name it with -o.`, {
    code: 'file_exists',
    next: [`ulmus export ${shellWord(version)} -o ${shellWord(name)}`],
  })
}

/** Writes a temporary file and renames it when it is complete. @returns bytes */
async function save(
  call: Call,
  response: Response,
  file: string,
  onBytes: (count: number) => void,
): Promise<number> {
  const part = `${file}.part`
  const stream = createWriteStream('', { fd: createPart(call.terminal.cwd, part) })
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      call.signal.throwIfAborted()
      bytes += (chunk as Uint8Array).length
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

/**
 * Creates a new file in place of any existing one. Refuses symbolic links in the path below the root of a working folder, or below the
 * current folder.
 */
function createPart(cwd: string, part: string): number {
  const folder = dirname(part)
  const root = folder === cwd ? folder : (findRoot(folder) ?? folder)
  return createInside(root, relative(root, part).split(sep).join('/'))
}

export default exportArchive
