import { type Json, type JsonObject, parseStrict } from '@ulmus/content'
import type { MetadataResult } from '@ulmus/wire'
import type { Call, Command, CommonFlags } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { pathOf } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'

type SetFlags = { readonly unset?: readonly string[] }

/** `ulmus metadata set REF name=text… name:=json…`: sets or removes fields, which publishes a patch version. */
const set: Command<SetFlags, [reference: string, ...members: string[]]> = async (
  call,
  flags,
  text,
  ...members
) => {
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
}

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
export async function tellUpdate(
  call: Call,
  flags: CommonFlags,
  collection: string,
  result: MetadataResult & { unchanged?: boolean; metadata?: JsonObject },
): Promise<void> {
  if (flags.json) return call.json(result)
  await call.line(result.semver)
  call.say(result.unchanged === true ? 'Nothing to change.' : `${collection} is at ${result.semver} now.`)
}

export default set
