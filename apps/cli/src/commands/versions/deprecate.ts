import type { Command } from '../../context.ts'
import { versionHere } from '../../folder/base/here.ts'
import { pathOf } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'

type DeprecateFlags = { readonly clear: boolean }

/** `ulmus deprecate owner/slug@version [MESSAGE]`: warns readers of the version; `--clear` removes the warning. */
const deprecate: Command<DeprecateFlags, [reference: string, message?: string]> = async (
  call,
  flags,
  text,
  message,
) => {
  if ((message !== undefined) === flags.clear)
    throw usageError('Give either a message for readers, or --clear to remove the warning.')
  const reference = versionHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  const done = await client.versions.deprecate(pathOf(reference), reference.version, message ?? null)
  if (flags.json) return call.json(done)
  call.say(
    `${pathOf(reference)}@${reference.version} is ${flags.clear ? 'no longer deprecated' : 'deprecated'}.`,
  )
}

export default deprecate
