import { once } from 'node:events'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { Call, Command } from '../context.ts'
import { referenceHere } from '../folder/here.ts'
import { createInside } from '../folder/inside.ts'
import { findRoot } from '../folder/layout.ts'
import { pathOf } from '../reference.ts'
import { warnIfDeprecated } from '../terminal/deprecated.ts'
import { usageError } from '../terminal/failure.ts'
import { openProgress } from '../terminal/progress.ts'
import { sizeText } from '../terminal/words.ts'

type ExportFlags = { readonly output?: string }

/** `ulmus export [REF] [-o FILE]` */
const exportArchive: Command<ExportFlags, [reference?: string]> = async (call, flags, text) => {
  const reference = referenceHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  const collection = pathOf(reference)
  const version = await client.versions.get(collection, reference.version ?? 'latest')
  warnIfDeprecated(call, version)
  const { semver, hash } = version
  if (flags.output === '-' && call.terminal.columns !== undefined)
    throw usageError('The archive is no text for a terminal. Pipe it into a program, or name a file with -o.')
  const response = await client.versions.export(collection, semver, call.signal)
  if (flags.output === '-') {
    for await (const chunk of response.body ?? []) await call.terminal.write(chunk as Uint8Array)
    return
  }
  // A registry that is none of ours may call a version anything.
  const usual = basename(`${reference.owner}-${reference.slug}-${semver}.tar.gz`)
  const file = resolve(call.terminal.cwd, flags.output ?? usual)
  const progress = openProgress(call, flags.quiet)
  const bytes = await save(call, response, file, (count) => progress.show(sizeText(count)))
  progress.end()
  if (flags.json) return call.json({ file, bytes, semver, hash })
  await call.line(file)
  call.say(`${sizeText(bytes)}, ${collection}@${semver}, ${hash}`)
}

/** Written beside its place and renamed when it is whole. @returns bytes */
async function save(
  call: Call,
  response: Response,
  file: string,
  onBytes: (count: number) => void,
): Promise<number> {
  const part = `${file}.part`
  const stream = createWriteStream('', { fd: createPart(part) })
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

/** A new file, whatever is in its place; in a working folder reached without links. */
function createPart(part: string): number {
  const root = findRoot(dirname(part)) ?? dirname(part)
  return createInside(root, relative(root, part).split(sep).join('/'))
}

export default exportArchive
