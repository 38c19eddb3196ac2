import type { Command } from '../../context.ts'
import { againText, seqOf } from './options.ts'

type ReplayFlags = { readonly after: string }

/** `ulmus webhooks replay ID --after SEQ`: sends events again, as many as the registry lets wait at once. */
const replay: Command<ReplayFlags, [id: string]> = async (call, flags, id) => {
  const { client } = await call.connect()
  const { events, next } = await client.webhooks.replay(id, seqOf(flags.after))
  if (flags.json) return call.json({ events, next })
  const { enabled } = await client.webhooks.get(id)
  call.say(`${events} ${events === 1 ? 'event is' : 'events are'} sent again${againText(enabled)}.`)
  if (next !== null)
    call.say(`There may be more. When these are sent, run: ulmus webhooks replay ${id} --after ${next}`)
}

export default replay
