import type { Command } from '../../context.ts'
import { parseReference, pathOf } from '../../reference.ts'

/** `ulmus publishers remove REF ID` */
const remove: Command<Record<never, never>, [reference: string, id: string]> = async (
  call,
  flags,
  text,
  id,
) => {
  const reference = parseReference(text)
  const { client } = await call.connect({ host: reference.host })
  const done = await client.publishers.remove(pathOf(reference), id)
  if (flags.json) return call.json(done)
  call.say('The publisher is removed, and its keys are revoked.')
}

export default remove
