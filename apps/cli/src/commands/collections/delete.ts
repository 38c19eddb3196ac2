import type { Command } from '../../context.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { confirmTyped } from '../../terminal/ask.ts'

type DeleteFlags = { readonly yes: boolean }

/** `ulmus collections delete REF`: deletes a collection with all versions. The user types its path, or gives `--yes`. */
const remove: Command<DeleteFlags, [reference: string]> = async (call, flags, text) => {
  const reference = parseReference(text)
  const collection = pathOf(reference)
  const { client } = await call.connect({ host: reference.host })
  if (!flags.yes) {
    const loss = `All versions of ${collection} would be deleted.`
    await confirmTyped(call.terminal, loss, collection, 'Nothing was deleted.')
  }
  const done = await client.collections.remove(collection)
  if (flags.json) return call.json(done)
  call.say(`${collection} is deleted.`)
}

export default remove
