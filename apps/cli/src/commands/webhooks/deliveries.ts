import type { Client } from '@ulmus/client'
import type { Delivery } from '@ulmus/wire'
import { resultText } from '@ulmus/wire/names'
import type { Command } from '../../context.ts'
import { table, timeText } from '../../terminal/table.ts'
import { limited } from '../limited.ts'
import { deliveryStateText } from './options.ts'

type DeliveriesFlags = { readonly state?: Delivery['state'] | 'delivered'; readonly limit?: number }

/** Most deliveries in an answer. */
const pageSize = 100

/** `ulmus webhooks deliveries ID`: newest first. */
const deliveries: Command<DeliveriesFlags, [id: string]> = async (call, flags, id) => {
  const { client } = await call.connect()
  const shown = await limited(call, deliveriesOf(client, id, flags.state), flags.limit)
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

async function* deliveriesOf(
  client: Client,
  id: string,
  state: DeliveriesFlags['state'],
): AsyncGenerator<Delivery> {
  for (let before: number | undefined; ; ) {
    const page = await client.webhooks.deliveries(id, {
      before,
      state: state === 'delivered' ? 'done' : state,
    })
    yield* page
    if (page.length < pageSize) return
    before = page.at(-1)?.seq
  }
}

export default deliveries
