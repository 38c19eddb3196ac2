import type { Key } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { table, timeText } from '../../terminal/table.ts'

/** `ulmus keys list` */
const list: Command<Record<never, never>> = async (call, flags) => {
  const { client } = await call.connect()
  const keys: Key[] = []
  for await (const key of client.keys.list()) keys.push(key)
  if (flags.json) return call.json(keys)
  const rows = keys.map((key) => [
    key.id,
    key.scope,
    key.start,
    key.expiresAt === null ? 'never' : timeText(key.expiresAt),
    key.lastUsedAt === null ? 'never' : timeText(key.lastUsedAt),
    key.label,
  ])
  await table(call, ['id', 'scope', 'begins', 'ends', 'used', 'label'], rows)
}

export default list
