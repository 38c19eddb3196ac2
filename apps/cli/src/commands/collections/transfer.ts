import type { Command } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { pathOf } from '../../reference.ts'

/** `ulmus collections transfer owner/slug TO`: moves a collection to another account; the old path redirects. */
const transfer: Command<Record<never, never>, [reference: string, to: string]> = async (
  call,
  flags,
  text,
  to,
) => {
  const reference = referenceHere(call.terminal.cwd, text)
  const { client, host } = await call.connect({ host: reference.host })
  const moved = await client.collections.transfer(pathOf(reference), to)
  if (flags.json) return call.json(moved)
  await call.line(pathOf(moved))
  call.say(`${host}/${pathOf(moved)}; the former address redirects there.`)
}

export default transfer
