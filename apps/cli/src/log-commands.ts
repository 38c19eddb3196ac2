/** Declares the commands for versions in order, and for the signed log. Like account-commands.ts: code is in `commands/`. */
import { buildRouteMap } from '@stricli/core'
import { command } from './command.ts'
import { flag, limit, optional, policy, required } from './parameters.ts'

const reference = {
  kind: 'tuple',
  parameters: [optional('owner/slug', 'Collection (default: the one of the working folder)')],
} as const

const log = buildRouteMap({
  docs: { brief: 'List versions; show and monitor the signed log' },
  defaultCommand: 'list',
  routes: {
    list: command('List versions, newest first', () => import('./commands/versions/log.ts'), {
      flags: { limit },
      positional: reference,
    }),
    show: command(
      'List what the signed log says about a collection',
      () => import('./commands/log/show.ts'),
      {
        positional: reference,
      },
    ),
    monitor: command(
      'Read new entries of the signed log, and compare them with your collections',
      () => import('./commands/log/monitor.ts'),
      {
        flags: { policy },
        positional: { kind: 'array', minimum: 1, parameter: required('owner/slug', 'Your collections') },
      },
      'Exits with 1 if the registry contradicts its log. Run it every day.',
      ['ulmus log monitor ada/cities ada/birds --quiet'],
    ),
  },
})

const trust = command(
  'Forget the remembered log of a registry',
  () => import('./commands/log/trust.ts'),
  {
    flags: { yes: flag('Skip the confirmation') },
    positional: { kind: 'tuple', parameters: [required('registry', 'Address of the registry')] },
  },
  'First prints how the log differs from the remembered one. The next verification remembers it anew.',
)

export const logCommands = { log, trust }
