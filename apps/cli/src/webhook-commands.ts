/** Declares the commands for webhooks. Like account-commands.ts: code is in `commands/`. */
import { buildRouteMap } from '@stricli/core'
import { command } from './command.ts'
import { flag, limit, optional, required, text } from './parameters.ts'

const id = required('id', 'Id from `ulmus webhooks list`')
const ofOne = { positional: { kind: 'tuple', parameters: [id] } } as const
const filters = {
  kinds: text('kinds', 'Kinds of events, such as version.made,version.withdrawn (default: all)'),
  bumps: text('bumps', 'Of new versions, only these: major,minor,patch (default: all)'),
  label: text('text', 'Purpose, in your own words'),
}

const webhooks = buildRouteMap({
  docs: { brief: 'Webhooks: requests that the registry sends when something happens' },
  defaultCommand: 'list',
  routes: {
    list: command('List webhooks', () => import('./commands/webhooks/list.ts'), {
      positional: {
        kind: 'tuple',
        parameters: [optional('owner/slug or owner', 'Collection or account (default: your account)')],
      },
    }),
    add: command(
      'Make a webhook and print its secret',
      () => import('./commands/webhooks/add.ts'),
      {
        flags: filters,
        positional: {
          kind: 'tuple',
          parameters: [
            required('owner/slug or owner', 'Collection, or account for all of its collections'),
            required('url', 'Address of the receiver, with https'),
          ],
        },
      },
      'The secret signs all requests. It is shown only once.',
      [
        'ulmus webhooks add mercator/cities https://ci.example/ulmus --kinds version.made',
        'ulmus webhooks add mercator https://ci.example/ulmus --kinds version.made --bumps major,minor',
      ],
    ),
    show: command('Show a webhook', () => import('./commands/webhooks/show.ts'), ofOne),
    set: command(
      'Change a webhook',
      () => import('./commands/webhooks/set.ts'),
      {
        flags: {
          url: text('url', 'Address of the receiver'),
          ...filters,
          enable: flag('Send requests, also after the registry disabled it'),
          disable: flag('Send no requests'),
        },
        positional: { kind: 'tuple', parameters: [id] },
      },
      '--kinds all and --bumps all end a filter.',
    ),
    test: command('Send a test request', () => import('./commands/webhooks/test.ts'), ofOne),
    rotate: command(
      'Make a new secret and print it',
      () => import('./commands/webhooks/rotate.ts'),
      ofOne,
      'Requests are signed with both secrets for 24 hours.',
    ),
    deliveries: command('List deliveries, newest first', () => import('./commands/webhooks/deliveries.ts'), {
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
    }),
    retry: command('Send an event again', () => import('./commands/webhooks/retry.ts'), {
      positional: { kind: 'tuple', parameters: [id, required('number', 'Number of the event')] },
    }),
    replay: command('Send all events after one again', () => import('./commands/webhooks/replay.ts'), {
      flags: {
        after: { kind: 'parsed', parse: String, placeholder: 'number', brief: 'Number of the event before' },
      },
      ...ofOne,
    }),
    remove: command('Delete a webhook', () => import('./commands/webhooks/remove.ts'), ofOne),
  },
})

export const webhookCommands = { webhooks }
