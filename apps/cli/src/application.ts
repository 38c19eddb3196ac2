/** All commands by name. A command's module is loaded when it is called; `ulmus --help` loads none. */
import {
  buildApplication,
  buildRouteMap,
  run,
  type StricliDynamicCommandContext,
  text_en,
} from '@stricli/core'
import { apiCommands } from './api-commands.ts'
import type { Context } from './context.ts'
import { folderCommands } from './folder-commands.ts'
import { version } from './version.ts'

const root = buildRouteMap({
  routes: { ...folderCommands, ...apiCommands },
  docs: { brief: 'Versioned, structured data: publish it, read it, verify it' },
})

export const application = buildApplication(root, {
  name: 'ulmus',
  versionInfo: { currentVersion: version },
  scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
  documentation: { caseStyle: 'convert-camel-to-kebab', useAliasInUsageLine: true },
  localization: { text: text_en },
})

/** Runs the command that the words of a command line name. */
export const runWords = (
  words: readonly string[],
  context: StricliDynamicCommandContext<Context>,
): Promise<void> => run(application, withSortJoined(words), context)

/** The library takes `-population` after `--sort` for short flags, but not in `--sort=-population`. */
const withSortJoined = (words: readonly string[]): string[] =>
  words.flatMap((word, index) => {
    if (word === '--sort' && isDescending(words[index + 1])) return []
    return words[index - 1] === '--sort' && isDescending(word) ? [`--sort=${word}`] : [word]
  })

const isDescending = (word = ''): boolean => /^-[^-]/.test(word)
