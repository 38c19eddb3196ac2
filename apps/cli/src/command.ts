/** How a command is made: its flags beside those of every command, its code loaded when it is called, its failures reported. */
import { type BaseArgs, type BaseFlags, buildCommand, type TypedCommandParameters } from '@stricli/core'
import { type Call, type Command, type CommonFlags, type Context, callOf } from './context.ts'
import { failureOf } from './terminal/failure.ts'
import { jsonText } from './terminal/harmless.ts'
import { painted } from './terminal/text.ts'

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
 * @param load imports the file of the command
 * @param parameters its own flags and arguments
 */
export function command<Flags extends BaseFlags = Record<never, never>, Args extends BaseArgs = []>(
  brief: string,
  load: () => Promise<{ default: Command<Flags, Args> }>,
  parameters: AllParameters<Flags, Args>,
  fullDescription?: string,
) {
  return buildCommand<Flags & CommonFlags & BaseFlags, Args, Context>({
    docs: {
      brief,
      ...(fullDescription === undefined ? {} : { fullDescription: `${brief}.\n\n${fullDescription}` }),
    },
    parameters: {
      ...parameters,
      flags: { ...parameters.flags, ...commonFlags },
    } as unknown as AllParameters<Flags & CommonFlags & BaseFlags, Args>,
    loader: async () => {
      const { default: run } = await load()
      return async function (this: Context, flags, ...args) {
        const call = callOf(this.terminal, flags)
        try {
          await run(call, flags, ...args)
          await this.terminal.endPage()
        } catch (error) {
          await this.terminal.endPage()
          report(call, flags, call.signal.aborted ? call.signal.reason : error)
        }
      }
    },
  })
}

function report({ terminal, anonymousAt }: Call, flags: CommonFlags, error: unknown): void {
  const { message, next, body, exitCode } = failureOf(error, anonymousAt)
  terminal.fail(exitCode)
  if (flags.json) {
    terminal.say(...jsonText(body, 2).split('\n'))
    return
  }
  const [first = '', ...rest] = message.split('\n')
  terminal.say([painted('red', 'ulmus:'), ` ${first}`], ...rest)
  terminal.say(...next.map((line) => ['  ', painted('cyan', line)]))
  if (terminal.env['ULMUS_DEBUG'] && error instanceof Error) terminal.say(...`${error.stack}`.split('\n'))
}
