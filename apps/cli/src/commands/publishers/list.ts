import type { Command } from '../../context.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { table, timeText } from '../../terminal/table.ts'

/** `ulmus publishers list REF` */
const list: Command<Record<never, never>, [reference: string]> = async (call, flags, text) => {
  const reference = parseReference(text)
  const { client } = await call.connect({ host: reference.host })
  const answer = await client.publishers.list(pathOf(reference))
  if (flags.json) return call.json(answer)
  const rows = answer.publishers.map(({ id, label, issuer, claims, scope, lastUsedAt }) => [
    id,
    label,
    issuer,
    Object.entries(claims)
      .map(([name, value]) => `${name}=${typeof value === 'string' ? value : value.join('|')}`)
      .join(' '),
    scope,
    lastUsedAt === null ? 'never' : timeText(lastUsedAt),
  ])
  await table(call, ['id', 'label', 'issuer', 'claims', 'scope', 'used'], rows)
  if (answer.publishersOnly) call.say('Only these publish to the collection.')
}

export default list
