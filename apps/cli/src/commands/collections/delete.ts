import type { Command } from '../../context.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { askText } from '../../terminal/ask.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'

type DeleteFlags = { readonly yes: boolean }

/** `ulmus collections delete REF` */
const remove: Command<DeleteFlags, [reference: string]> = async (call, flags, text) => {
  const reference = parseReference(text)
  const collection = pathOf(reference)
  const { client } = await call.connect({ host: reference.host })
  if (!flags.yes) {
    if (!call.terminal.canAsk)
      throw usageError(`All versions of ${collection} would be deleted. Say so with --yes.`)
    const typed = await askText(`This deletes ${collection} with all its versions. Type its name to go on`)
    if (typed !== collection)
      throw new CommandError('Nothing was deleted.', { exitCode: exitCodes.cancelled, code: 'cancelled' })
  }
  const done = await client.collections.remove(collection)
  if (flags.json) return call.json(done)
  call.say(`${collection} is deleted.`)
}

export default remove
