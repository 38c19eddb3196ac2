/** Builds commands: adds the common flags, and loads their code when they are called. */
import { type BaseArgs, type BaseFlags, buildCommand, type TypedCommandParameters } from '@stricli/core'
import type { Command, CommonFlags, Context } from './context.ts'
import { runCommand } from './run-command.ts'

/** Flags of every command, for the parser. `CommonFlags` in context.ts has their types: change both together. */
const commonFlags = {
  json: {
    kind: 'boolean',
    brief: 'Print results as JSON (as the API returns them)',
    default: false,
    withNegated: false,
  },
  quiet: {
    kind: 'boolean',
    brief: 'Print only results and errors',
    default: false,
    withNegated: false,
  },
  host: { kind: 'parsed', parse: String, placeholder: 'URL', brief: 'Registry to use', optional: true },
} as const

type AllParameters<Flags extends BaseFlags, Args extends BaseArgs> = TypedCommandParameters<
  Flags,
  Args,
  Context
>

/**
 * Declares a command.
 * @param load imports the module of the command
 * @param parameters its own flags and arguments
 * @param examples command lines
 */
export function command<Flags extends BaseFlags = Record<never, never>, Args extends BaseArgs = []>(
  brief: string,
  load: () => Promise<{ default: Command<Flags, Args> }>,
  parameters: AllParameters<Flags, Args>,
  fullDescription?: string,
  examples: readonly string[] = [],
) {
  const shown = examples.length === 0 ? [] : [['EXAMPLES', ...examples.map((one) => `  ${one}`)].join('\n')]
  const more = [fullDescription, ...shown].filter((part) => part !== undefined)
  return buildCommand<Flags & CommonFlags & BaseFlags, Args, Context>({
    docs: {
      brief,
      ...(more.length === 0 ? {} : { fullDescription: [`${brief}.`, ...more].join('\n\n') }),
    },
    parameters: {
      ...parameters,
      flags: { ...parameters.flags, ...commonFlags },
    } as unknown as AllParameters<Flags & CommonFlags & BaseFlags, Args>,
    loader: async () => {
      const { default: run } = await load()
      return async function (this: Context, flags, ...args) {
        await runCommand(run, this.terminal, flags, args)
      }
    },
  })
}
