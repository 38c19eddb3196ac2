/** Runs the command that a command line names. Loads only the file of its noun. */
import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  run,
  type StricliDynamicCommandContext,
  text_en,
} from '@stricli/core'
import { words as known } from './command-table.ts'
import type { Context } from './context.ts'
import { version } from './version.ts'

/**
 * The application with the command of one word.
 * @param word if no command has this name, the application has only the names of all, for the error and its proposals
 */
export async function applicationOf(word = ''): Promise<Application<Context>> {
  const root = buildRouteMap<string, Context>({
    routes: Object.hasOwn(known, word) ? { [word]: await commandOf(word) } : names(),
    docs: { brief: 'Versioned, structured data: publish it, read it, verify it' },
  })
  return buildApplication(root, {
    name: 'ulmus',
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: { caseStyle: 'convert-camel-to-kebab', useAliasInUsageLine: true },
    localization: { text: text_en },
  })
}

async function commandOf(word: string) {
  const { default: noun } = await known[word]!.load()
  return noun.words[word]!.command
}

/** Commands of these names that do nothing. */
const names = () =>
  Object.fromEntries(
    Object.entries(known).map(([name, { brief }]) => [
      name,
      buildCommand<object, [], Context>({ docs: { brief }, parameters: {}, func: () => undefined }),
    ]),
  )

/** Runs the command that the words of a command line name. */
export const runWords = async (
  words: readonly string[],
  context: StricliDynamicCommandContext<Context>,
): Promise<void> => run(await applicationOf(words[0]), withSortJoined(words), context)

/** The library takes `-population` after `--sort` for short flags, but not in `--sort=-population`. */
const withSortJoined = (words: readonly string[]): string[] =>
  words.flatMap((word, index) => {
    if (word === '--sort' && isDescending(words[index + 1])) return []
    return words[index - 1] === '--sort' && isDescending(word) ? [`--sort=${word}`] : [word]
  })

const isDescending = (word = ''): boolean => /^-[^-]/.test(word)
