import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, isJsonObject, type JsonObject, parseStrict } from '@ulmus/content'
import type { Command } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { metadataPatch } from '../../folder/files/content.ts'
import { pathOf } from '../../reference.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { tellUpdate } from './set.ts'

/** `ulmus metadata edit [REF]`: edits the metadata in an editor. */
const edit: Command<Record<never, never>, [reference?: string]> = async (call, flags, text) => {
  const { env, canAsk, cwd } = call.terminal
  if (!canAsk) throw usageError('Editing requires a terminal. Use `ulmus metadata set` instead.')
  const reference = referenceHere(cwd, text)
  const collection = pathOf(reference)
  const { client } = await call.connect({ host: reference.host })
  const { metadata } = await client.versions.get(collection)
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-'))
  const file = join(folder, 'metadata.json')
  try {
    writeFileSync(file, `${JSON.stringify(metadata, null, 2)}\n`, { mode: 0o600 })
    await runEditor(env['VISUAL'] || env['EDITOR'] || 'vi', file)
    const patch = metadataPatch(metadata as JsonObject, readEdited(file))
    if (Object.keys(patch).length === 0) return call.say('Nothing changed.')
    await tellUpdate(call, flags, collection, await client.metadata.patch(collection, patch))
    rmSync(folder, { recursive: true })
  } catch (error) {
    // Keep the edited text after an error.
    call.warn(`Your text is in ${file}.`)
    throw error
  }
}

/** The variable may also contain arguments, as in `code --wait`. */
function runEditor(editor: string, file: string): Promise<void> {
  const [program, ...args] = editor.split(' ')
  return new Promise((resolve, reject) => {
    const child = spawn(program!, [...args, file], { stdio: 'inherit' })
    child.once('error', () =>
      reject(new CommandError(`Cannot run the editor \`${editor}\`. Set EDITOR to another one.`)),
    )
    child.once('exit', (code) =>
      code === 0
        ? resolve()
        : reject(new CommandError(`The editor exited with ${code}. Nothing was changed.`)),
    )
  })
}

function readEdited(file: string): JsonObject {
  try {
    const value = parseStrict(readFileSync(file))
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new CommandError(`The metadata is not JSON: ${error.message}`, { cause: error })
  }
  throw new CommandError('The metadata must be a JSON object.')
}

export default edit
