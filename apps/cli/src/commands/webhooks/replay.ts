import type { Command } from '../../context.ts'
import { againText, seqOf } from './options.ts'

type ReplayFlags = { readonly after: string }

/** `ulmus webhooks replay ID --after SEQ`: sends events again, 1,000 a request. */
const replay: Command<ReplayFlags, [id: string]> = async (call, flags, id) => {
  const after = seqOf(flags.after)
  const { client } = await call.connect()
  let events = 0
  for (let from: number | null = after; from !== null; ) {
    const replayed: { events: number; next: number | null } = await client.webhooks.replay(id, from)
    events += replayed.events
    from = replayed.next
  }
  if (flags.json) return call.json({ events, next: null })
  const { enabled } = await client.webhooks.get(id)
  call.say(`${events} ${events === 1 ? 'event is' : 'events are'} sent again${againText(enabled)}.`)
}

export default replay
