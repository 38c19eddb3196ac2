/** Commands that list, make, change and remove webhooks. */
import { buildRouteMap } from '@stricli/core'
import { command, noun } from '../../command.ts'
import { flag, optional, required, text } from '../../parameters.ts'
import { usageError } from '../../terminal/failure.ts'
import { table, timeText } from '../../terminal/table.ts'
import { deliveries, replay, retry, test } from './deliveries.ts'
import {
  fieldsOf,
  id,
  ofOne,
  pageOf,
  placeText,
  printWebhook,
  sourceOf,
  stateText,
  type WebhookFlags,
  withSteps,
} from './options.ts'

const filters = {
  kinds: text('kinds', 'Kinds of events, such as version.made,version.withdrawn (default: all)'),
  bumps: text('bumps', 'Of new versions, only these: major,minor,patch (default: all)'),
  label: text('text', 'Purpose, in your own words'),
}

/** `ulmus webhooks list [REF|OWNER]`: default: all of the signed-in account. */
const list = command<Record<never, never>, [source?: string]>({
  brief: 'List webhooks',
  page: 'List [webhooks](webhooks.md) of a collection or an account (default: your account)',
  positional: {
    kind: 'tuple',
    parameters: [optional('owner/slug or owner', 'Collection or account (default: your account)')],
  },
  run: async (call, flags, text) => {
    const named = text === undefined ? undefined : sourceOf(text)
    const { client } = await call.connect({ host: named?.host })
    const source = named?.source ?? { account: (await client.accounts.me()).slug }
    const webhooks = await client.webhooks.list(source)
    if (flags.json) return call.json(webhooks)
    const rows = webhooks.map((one) => [one.id, placeText(one), stateText(one), one.url, one.label])
    await table(call, ['id', 'events of', 'state', 'url', 'label'], rows)
  },
})

/** `ulmus webhooks add REF|OWNER URL`: prints only the secret on standard output, for scripts. The registry never returns it again. */
const add = command<WebhookFlags, [source: string, url: string]>({
  brief: 'Make a webhook and print its secret',
  description: 'The secret signs all requests. It is shown only once.',
  examples: [
    'ulmus webhooks add mercator/cities https://ci.example/ulmus --kinds version.made',
    'ulmus webhooks add mercator https://ci.example/ulmus --kinds version.made --bumps major,minor',
  ],
  page: 'Make one, and print its secret, once; `owner` in place of `owner/slug` is for all collections of an account. `--kinds version.made,version.withdrawn` and `--bumps major,minor` (default: all) filter the events; `--label`. The key must not expire: choose *never* at `ulmus login --scope admin`',
  flags: filters,
  positional: {
    kind: 'tuple',
    parameters: [
      required('owner/slug or owner', 'Collection, or account for all of its collections'),
      required('url', 'Address of the receiver, with https'),
    ],
  },
  run: async (call, flags, text, url) => {
    const { source, host } = sourceOf(text)
    const fields = fieldsOf(flags)
    const { client, host: registry } = await call.connect({ host })
    const made = await client.webhooks.create(source, { url, ...fields }).catch((error) => {
      throw withSteps(error, pageOf(registry, source))
    })
    if (flags.json) return call.json(made)
    await call.line(made.secret)
    call.say(`Made the webhook ${made.id} for ${placeText(made)}.`)
    call.warn('Store the secret with the receiver: it is not shown again.')
  },
})

/** `ulmus webhooks show ID` */
const show = command<Record<never, never>, [id: string]>({
  brief: 'Show a webhook',
  ...ofOne,
  run: async (call, flags, id) => {
    const { client } = await call.connect()
    const webhook = await client.webhooks.get(id)
    if (flags.json) return call.json(webhook)
    await printWebhook(call, webhook)
  },
})

type SetFlags = WebhookFlags & {
  readonly url?: string
  readonly enable: boolean
  readonly disable: boolean
}

/** `ulmus webhooks set ID`: changes what the flags name. */
const set = command<SetFlags, [id: string]>({
  brief: 'Change a webhook',
  page: 'Change `--url`, `--kinds`, `--bumps` (`all` ends a filter), `--label`; `--enable`, `--disable`',
  description: '--kinds all and --bumps all end a filter.',
  flags: {
    url: text('url', 'Address of the receiver'),
    ...filters,
    enable: flag('Send requests, also after the registry disabled it'),
    disable: flag('Send no requests'),
  },
  positional: { kind: 'tuple', parameters: [id] },
  run: async (call, flags, id) => {
    const { enable, disable, url } = flags
    if (enable && disable) throw usageError('--enable and --disable exclude each other. Use one of them.')
    const enabled = enable || disable ? enable : undefined
    const changes = { url, enabled, ...fieldsOf(flags) }
    if (Object.values(changes).every((value) => value === undefined))
      throw usageError('Nothing to change. Give --url, --kinds, --bumps, --label, --enable or --disable.')
    const { client } = await call.connect()
    const webhook = await client.webhooks.update(id, changes).catch((error) => {
      throw withSteps(error, 'its page')
    })
    if (flags.json) return call.json(webhook)
    await printWebhook(call, webhook)
  },
})

/** `ulmus webhooks rotate ID`: prints only the new secret on standard output, for scripts. */
const rotate = command<Record<never, never>, [id: string]>({
  brief: 'Make a new secret and print it',
  description: 'Requests are signed with both secrets for 24 hours.',
  page: 'Make a new secret and print it, once. Requests are signed with both for 24 hours',
  ...ofOne,
  run: async (call, flags, id) => {
    const { client } = await call.connect()
    const made = await client.webhooks.rotate(id)
    if (flags.json) return call.json(made)
    await call.line(made.secret)
    if (made.formerUntil !== null)
      call.say(`Requests are also signed with the former secret until ${timeText(made.formerUntil)}.`)
    call.warn('Store the secret with the receiver: it is not shown again.')
  },
})

/** `ulmus webhooks remove ID` */
const remove = command<Record<never, never>, [id: string]>({
  brief: 'Delete a webhook',
  ...ofOne,
  run: async (call, flags, id) => {
    const { client } = await call.connect()
    const done = await client.webhooks.remove(id)
    if (flags.json) return call.json(done)
    call.say('The webhook is deleted.')
  },
})

const webhooks = buildRouteMap({
  docs: { brief: 'Webhooks: requests that the registry sends when something happens' },
  defaultCommand: 'list',
  routes: { list, add, show, set, test, rotate, deliveries, retry, replay, remove },
})

export default noun({
  section: 'Collections and versions',
  words: {
    webhooks: {
      command: webhooks,
      group: 'Manage',
      place: 50,
      line: ['webhooks', 'send a request when something happens'],
    },
  },
})
