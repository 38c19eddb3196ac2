import type { Delivery } from '@ulmus/wire'
import { resultText } from '@ulmus/wire/names'
import type { Command } from '../../context.ts'
import { table, timeText } from '../../terminal/table.ts'
import { deliveryStateText } from './options.ts'

type DeliveriesFlags = { readonly state?: Delivery['state'] | 'delivered'; readonly limit: number }

/** Most deliveries in an answer. */
const pageSize = 100

/** `ulmus webhooks deliveries ID`: newest first. */
const deliveries: Command<DeliveriesFlags, [id: string]> = async (call, flags, id) => {
  const { client } = await call.connect()
  const found: Delivery[] = []
  for (let before: number | undefined; found.length < flags.limit; before = found.at(-1)?.seq) {
    const page = await client.webhooks.deliveries(id, {
      before,
      state: flags.state === 'delivered' ? 'done' : flags.state,
    })
    found.push(...page)
    if (page.length < pageSize) break
  }
  const shown = found.slice(0, flags.limit)
  if (flags.json) return call.json(shown)
  const rows = shown.map((one) => [
    String(one.seq),
    timeText(one.at),
    one.kind,
    `${one.collection.owner}/${one.collection.slug}${one.semver === undefined ? '' : `@${one.semver}`}`,
    deliveryStateText[one.state],
    String(one.attempts),
    one.nextAt === null ? '' : timeText(one.nextAt),
    one.milliseconds === null ? '' : `${one.milliseconds} ms`,
    resultText(one),
  ])
  await table(
    call,
    ['number', 'when', 'what', 'collection', 'state', 'attempts', 'next', 'took', 'result'],
    rows,
  )
}

export default deliveries
