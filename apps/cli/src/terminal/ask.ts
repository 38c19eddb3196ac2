/** Prompts on standard error. Use only if `terminal.canAsk`. The import thread sends its questions to the main thread. */
import { once } from 'node:events'
import { isMainThread, parentPort } from 'node:worker_threads'
import { exitCodes } from './exit-codes.ts'
import { CommandError, usageError } from './failure.ts'
import { harmless } from './harmless.ts'
import type { Terminal } from './terminal.ts'

/** A prompt, as sent between the threads. */
export type Question =
  | { readonly ask: 'text'; readonly message: string; readonly suggestion: string | undefined }
  | { readonly ask: 'yes'; readonly message: string; readonly suggestion: boolean }
  | {
      readonly ask: 'one'
      readonly message: string
      readonly suggestion: string | undefined
      readonly options: readonly string[]
    }

/** Prompts in the main thread, which has the terminal. Undefined: no answer. */
export async function answerTo(question: Question, signal?: AbortSignal): Promise<unknown> {
  const { text, confirm, select, isCancel } = await import('@clack/prompts')
  const common = { message: harmless(question.message), output: process.stderr, signal }
  const answer = await (question.ask === 'yes'
    ? confirm({ ...common, initialValue: question.suggestion })
    : question.ask === 'text'
      ? text({
          ...common,
          initialValue: question.suggestion === undefined ? undefined : harmless(question.suggestion),
        })
      : select({
          ...common,
          options: question.options.map((value) => ({ value, label: harmless(value) })),
          initialValue: question.suggestion,
        }))
  return isCancel(answer) ? undefined : answer
}

async function answered<Answer>(question: Question): Promise<Answer> {
  const answer = isMainThread ? await answerTo(question) : await answerOfMainThread(question)
  if (answer === undefined)
    throw new CommandError('Cancelled.', { exitCode: exitCodes.cancelled, code: 'cancelled' })
  return answer as Answer
}

/** Runs in the import thread, see commands/folder/import.ts. */
async function answerOfMainThread(question: Question): Promise<unknown> {
  parentPort!.postMessage(question)
  const [answer] = await once(parentPort!, 'message')
  return answer
}

/** @throws CommandError if there is no answer */
export const askText = (message: string, suggestion?: string): Promise<string> =>
  answered({ ask: 'text', message, suggestion })

/** @throws CommandError if there is no answer */
export const askYes = (message: string, suggestion = true): Promise<boolean> =>
  answered({ ask: 'yes', message, suggestion })

/** @throws CommandError if there is no answer */
export const askOneOf = (message: string, options: readonly string[], suggestion?: string): Promise<string> =>
  answered({ ask: 'one', message, options, suggestion })

/**
 * Asks the user to type a name before data is lost. Without a terminal, requires `--yes`.
 * @param loss describes the consequences
 * @param otherwise the error message if another text is typed
 * @throws CommandError unless the name is typed
 */
export async function confirmTyped(
  terminal: Terminal,
  loss: string,
  name: string,
  otherwise: string,
): Promise<void> {
  if (!terminal.canAsk) throw usageError(`${loss} Confirm with --yes.`)
  const typed = await askText(`${loss} Type ${name} to confirm`)
  if (typed !== name) throw new CommandError(otherwise, { exitCode: exitCodes.cancelled, code: 'cancelled' })
}
