import type { Publisher } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { table, timeText } from '../../terminal/table.ts'

/** `ulmus publishers list REF` */
const list: Command<Record<never, never>, [reference: string]> = async (call, flags, text) => {
  const reference = parseReference(text)
  const { client } = await call.connect({ host: reference.host })
  const answer = await client.publishers.list(pathOf(reference))
  if (flags.json) return call.json(answer)
  await table(call, heads, answer.publishers.map(rowOf))
  for (const { label, refused } of answer.publishers)
    if (refused !== null)
      call.say(
        `Refused ${timeText(refused.at)}: a project named ${label}, but another: ${claimsText(refused.claims)}`,
      )
  if (answer.publishersOnly) call.say('Only these publish to the collection.')
}

const heads = ['id', 'label', 'issuer', 'claims', 'pinned', 'scope', 'minutes', 'shown to', 'used']

const rowOf = (one: Publisher): string[] => [
  one.id,
  one.label,
  one.kind === null ? `${one.issuer} (no longer trusted)` : one.issuer,
  claimsText(one.claims),
  one.pinned === null ? 'nothing' : claimsText(one.pinned),
  one.scope,
  String(one.lifetimeMinutes),
  one.shows,
  one.lastUsedAt === null ? 'never' : timeText(one.lastUsedAt),
]

const claimsText = (claims: Publisher['claims']): string =>
  Object.entries(claims)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : value.join('|')}`)
    .join(' ')

export default list
