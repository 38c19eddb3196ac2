import type { Command } from '../../context.ts'
import { facts } from '../../terminal/table.ts'
import { sizeText } from '../../terminal/words.ts'

/** `ulmus usage [OWNER]`: shows the storage of an account (default: the caller). */
const usage: Command<Record<never, never>, [owner?: string]> = async (call, flags, named) => {
  const { client } = await call.connect()
  const owner = named ?? (await client.accounts.me()).slug
  const found = await client.accounts.usage(owner)
  if (flags.json) return call.json(found)
  const { usedBytes, receivedBytes, quotaBytes, collections } = found
  await facts(call, [
    ['account', owner],
    ['used', sizeText(usedBytes)],
    ['in pushes', receivedBytes === 0 ? '' : sizeText(receivedBytes)],
    ['quota', quotaBytes === null ? 'none: as much as the registry holds' : sizeText(quotaBytes)],
    ...collections.map((one) => [`  ${owner}/${one.slug}`, sizeText(one.usedBytes)] as const),
  ])
}

export default usage
