import type { Command } from '../../context.ts'
import { table } from '../../terminal/table.ts'
import { placeText, sourceOf, stateText } from './options.ts'

/** `ulmus webhooks list [REF|OWNER]`: default: all of the signed-in account. */
const list: Command<Record<never, never>, [source?: string]> = async (call, flags, text) => {
  const named = text === undefined ? undefined : sourceOf(text)
  const { client } = await call.connect({ host: named?.host })
  const source = named?.source ?? { account: (await client.accounts.me()).slug }
  const webhooks = await client.webhooks.list(source)
  if (flags.json) return call.json(webhooks)
  const rows = webhooks.map((one) => [one.id, placeText(one), stateText(one), one.url, one.label])
  await table(call, ['id', 'events of', 'state', 'url', 'label'], rows)
}

export default list
