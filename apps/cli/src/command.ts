/** Declares commands: adds the common flags, and reports failures. A file of `commands/` declares the commands of a noun with their code. */
import {
  type BaseArgs,
  type BaseFlags,
  buildCommand,
  type Command as Routed,
  type RouteMap,
  type TypedCommandParameters,
} from '@stricli/core'
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

/** Facts for completions and docs/commands.md, beside the help. */
interface About {
  /** Heading of the table. Default: the noun's heading. */
  readonly section?: string
  /** Markdown (default: brief, description and flags). */
  readonly page?: string
  /** Further paragraphs of the help. */
  readonly description?: string
  /** The first argument is a new collection: propose none. */
  readonly takesNewCollection?: boolean
}

/** A command: its help, its own flags and arguments, and its code. */
type Declaration<Flags extends BaseFlags, Args extends BaseArgs> = About &
  AllParameters<Flags, Args> & {
    readonly brief: string
    /** Command lines. */
    readonly examples?: readonly string[]
    readonly run: Command<Flags, Args>
  }

export type DeclaredCommand = Routed<Context> & { readonly about: About }

export function command<Flags extends BaseFlags = Record<never, never>, Args extends BaseArgs = []>({
  brief,
  description,
  examples = [],
  section,
  page,
  takesNewCollection,
  run,
  ...parameters
}: Declaration<Flags, Args>): DeclaredCommand {
  const last = examples.length === 0 ? [] : [['EXAMPLES', ...examples.map((one) => `  ${one}`)].join('\n')]
  const more = [description, ...last].filter((part) => part !== undefined)
  const built = buildCommand<Flags & CommonFlags & BaseFlags, Args, Context>({
    docs: {
      brief,
      ...(more.length === 0 ? {} : { fullDescription: [`${brief}.`, ...more].join('\n\n') }),
    },
    parameters: {
      ...parameters,
      flags: { ...parameters.flags, ...commonFlags },
    } as unknown as AllParameters<Flags & CommonFlags & BaseFlags, Args>,
    func: async function (this: Context, flags: Flags & CommonFlags, ...args: Args) {
      await runCommand(run, this.terminal, flags, args)
    } as never,
  })
  return Object.assign(built, { about: { section, page, description, takesNewCollection } })
}

/** Groups of `ulmus --help`, in its order. */
export const groups = ['Start', 'Publish', 'Read', 'Manage'] as const

/** A first word of command lines: a command, or a group of commands. */
export interface Word {
  readonly command: DeclaredCommand | RouteMap<Context>
  /** Group of `ulmus --help`, and the order in it. */
  readonly group: (typeof groups)[number]
  readonly place: number
  /** Line of `ulmus --help`: words and their brief. Absent if the line of another word names this one. */
  readonly line?: readonly [words: string, brief: string]
}

/** Default export of a file of `commands/`. */
export interface Noun {
  /** Heading in docs/commands.md. */
  readonly section: string
  readonly words: Readonly<Record<string, Word>>
}

/** Declares the words of a noun. `npm run commands` enters them in the table, and writes docs/commands.md. */
export const noun = (declared: Noun): Noun => declared
