/** Commands for the metadata of a collection. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildRouteMap } from '@stricli/core'
import { InputError, isJsonObject, type Json, type JsonObject, parseStrict } from '@ulmus/content'
import type { MetadataResult } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import type { Call, CommonFlags } from '../context.ts'
import { referenceHere } from '../folder/base/here.ts'
import { metadataPatch } from '../folder/files/content.ts'
import { optional, required } from '../parameters.ts'
import { pathOf } from '../reference.ts'
import { CommandError, usageError } from '../terminal/failure.ts'

const reference = optional('owner/slug', 'Collection (default: the one of the working folder)')

/** `ulmus metadata get [REF]`: prints the metadata of a version as JSON, with or without `--json`. */
const get = command<Record<never, never>, [reference?: string]>({
  brief: 'Show the metadata',
  page: 'Show the metadata as JSON',
  positional: {
    kind: 'tuple',
    parameters: [optional('owner/slug[@version]', 'Collection and version (default: the latest)')],
  },
  run: async (call, _flags, text) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const { client } = await call.connect({ host: reference.host })
    const { metadata } = await client.versions.get(pathOf(reference), reference.version ?? 'latest')
    await call.json(metadata)
  },
})

type SetFlags = { readonly unset?: readonly string[] }

/** `ulmus metadata set REF name=text… name:=json…`: sets or removes fields, which publishes a patch version. */
const set = command<SetFlags, [reference: string, ...members: string[]]>({
  brief: 'Set metadata fields (publishes a patch version)',
  page: 'Set fields and publish a patch version; `--unset name` removes a field',
  flags: {
    unset: {
      kind: 'parsed',
      parse: String,
      optional: true,
      variadic: true,
      placeholder: 'name',
      brief: 'Remove a field',
    },
  },
  positional: {
    kind: 'array',
    minimum: 1,
    parameter: required('reference and fields', 'owner/slug, then name=text or name:=json'),
  },
  run: async (call, flags, text, ...members) => {
    const entries = [
      ...members.map(memberOf),
      ...(flags.unset ?? []).map((name): [string, Json] => [name, null]),
    ]
    if (entries.length === 0)
      throw usageError('Nothing to set. Give `name=text`, `name:=json` or --unset name.')
    const reference = referenceHere(call.terminal.cwd, text)
    const { client } = await call.connect({ host: reference.host })
    await tellUpdate(
      call,
      flags,
      pathOf(reference),
      await client.metadata.patch(pathOf(reference), Object.fromEntries(entries)),
    )
  },
})

function memberOf(text: string): [string, Json] {
  const [, name, isJson, value] = /^([^=:]+)(:?)=(.*)$/s.exec(text) ?? []
  if (name === undefined)
    throw usageError(`\`${text}\` is not a field to set. Use \`name=text\` or \`name:=json\`.`)
  if (isJson === '') return [name, value!]
  try {
    return [name, parseStrict(value!)]
  } catch {
    throw usageError(`The value after \`${name}:=\` is not valid JSON. For plain text, use \`${name}=text\`.`)
  }
}

/** Reports a change of metadata, also for `ulmus metadata edit`. */
async function tellUpdate(
  call: Call,
  flags: CommonFlags,
  collection: string,
  result: MetadataResult & { unchanged?: boolean; metadata?: JsonObject },
): Promise<void> {
  if (flags.json) return call.json(result)
  await call.line(result.semver)
  call.say(result.unchanged === true ? 'Nothing to change.' : `${collection} is at ${result.semver} now.`)
}

/** `ulmus metadata edit [REF]`: edits the metadata in an editor. */
const edit = command<Record<never, never>, [reference?: string]>({
  brief: 'Edit the metadata in your editor',
  page: 'Edit it in `$EDITOR`',
  positional: { kind: 'tuple', parameters: [reference] },
  run: async (call, flags, text) => {
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
  },
})

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

const metadata = buildRouteMap({
  docs: { brief: 'Metadata of a collection: get, set, edit' },
  routes: { get, set, edit },
})

export default noun({
  section: 'Collections and versions',
  words: {
    metadata: {
      command: metadata,
      group: 'Publish',
      place: 80,
      line: ['metadata', 'read or set description, licence, …'],
    },
  },
})
