/** Commands that send and list requests of webhooks. */
import type { Client } from '@ulmus/client'
import { durationText } from '@ulmus/content/quantities'
import type { Delivery } from '@ulmus/wire'
import { resultText } from '@ulmus/wire/names'
import { command } from '../../command.ts'
import { limit, required } from '../../parameters.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { table, timeText } from '../../terminal/table.ts'
import { limited } from '../limited.ts'
import { againText, deliveryStateText, id, ofOne, seqOf } from './options.ts'

/** `ulmus webhooks test ID`: sends a test request. Ends with 1 unless the receiver accepted it. */
export const test = command<Record<never, never>, [id: string]>({
  brief: 'Send a test request',
  page: 'Send a test request, and print status and duration; exits with 1 unless the receiver accepted it',
  ...ofOne,
  run: async (call, flags, id) => {
    const { client } = await call.connect()
    const result = await client.webhooks.test(id)
    if (!result.delivered) call.terminal.fail(exitCodes.failed)
    if (flags.json) return call.json(result)
    const words = `${resultText(result)} (${durationText(result.milliseconds)})`
    await call.line(result.delivered ? `Delivered: ${words}` : `Not delivered: ${words}`)
  },
})

type DeliveriesFlags = { readonly state?: Delivery['state'] | 'delivered'; readonly limit?: number }

/** Most deliveries in an answer. */
const pageSize = 100

/** `ulmus webhooks deliveries ID`: newest first. */
export const deliveries = command<DeliveriesFlags, [id: string]>({
  brief: 'List deliveries, newest first',
  page: 'List deliveries, newest first; `--state waiting`, `delivered` or `failed`; `--limit` (default: 50)',
  flags: {
    state: {
      kind: 'enum',
      values: ['waiting', 'delivered', 'failed', 'done'],
      optional: true,
      brief: 'Only deliveries in this state; done is delivered',
    },
    limit,
  },
  ...ofOne,
  run: async (call, flags, id) => {
    const { client } = await call.connect()
    const items = await limited(call, deliveriesOf(client, id, flags.state), flags.limit)
    if (flags.json) return call.json(items)
    const rows = items.map((one) => [
      String(one.seq),
      timeText(one.at),
      one.kind,
      `${one.collection.owner}/${one.collection.slug}${one.semver === undefined ? '' : `@${one.semver}`}`,
      deliveryStateText[one.state],
      String(one.attempts),
      one.nextAt === null ? '' : timeText(one.nextAt),
      one.milliseconds === null ? '' : durationText(one.milliseconds),
      resultText(one),
    ])
    await table(
      call,
      ['number', 'when', 'what', 'collection', 'state', 'attempts', 'next', 'took', 'result'],
      rows,
    )
  },
})

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

/** `ulmus webhooks retry ID SEQ`: sends an event again. */
export const retry = command<Record<never, never>, [id: string, seq: string]>({
  brief: 'Send an event again',
  page: 'Send an event again; if the webhook is disabled, when it is enabled',
  positional: { kind: 'tuple', parameters: [id, required('number', 'Number of the event')] },
  run: async (call, flags, id, text) => {
    const seq = seqOf(text)
    const { client } = await call.connect()
    const delivery = await client.webhooks.retry(id, seq)
    if (flags.json) return call.json(delivery)
    const { enabled } = await client.webhooks.get(id)
    call.say(
      `Event ${seq} is sent again${againText(enabled)}. \`ulmus webhooks deliveries ${shellWord(id)}\` shows the result.`,
    )
  },
})

type ReplayFlags = { readonly after: string }

/** `ulmus webhooks replay ID --after SEQ`: sends events again, as many as the registry lets wait at once. */
export const replay = command<ReplayFlags, [id: string]>({
  brief: 'Send all events after one again',
  page: 'Send all events after the number of `--after` again; if the webhook is disabled, when it is enabled',
  flags: {
    after: { kind: 'parsed', parse: String, placeholder: 'number', brief: 'Number of the event before' },
  },
  ...ofOne,
  run: async (call, flags, id) => {
    const { client } = await call.connect()
    const { events, next } = await client.webhooks.replay(id, seqOf(flags.after))
    if (flags.json) return call.json({ events, next })
    const { enabled } = await client.webhooks.get(id)
    call.say(`${events} ${events === 1 ? 'event is' : 'events are'} sent again${againText(enabled)}.`)
    if (next !== null)
      call.say(`There may be more. When these are sent, run: ulmus webhooks replay ${id} --after ${next}`)
  },
})
