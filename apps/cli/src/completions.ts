/** What may follow some words of a command line, for the shells' completions. */
import { proposeCompletions } from '@stricli/core'
import { application } from './application.ts'
import type { Terminal } from './terminal/terminal.ts'

/** A line each: a word, a tab, what it means. @param words after `ulmus`; the last one is being written */
export async function writeCompletions(words: readonly string[], terminal: Terminal): Promise<void> {
  const found = await proposeCompletions(application, words, { process, terminal } as never)
  for (const { completion, brief } of found) await terminal.write(`${completion}\t${brief}\n`)
}
