/** Questions to a person, on standard error. Ask only where `terminal.canAsk`. */
import { exitCodes } from './exit-codes.ts'
import { CommandError, usageError } from './failure.ts'
import { harmless } from './harmless.ts'
import type { Terminal } from './terminal.ts'

const cancelled = (): CommandError =>
  new CommandError('Cancelled.', { exitCode: exitCodes.cancelled, code: 'cancelled' })

/** @throws CommandError when it is not answered */
export async function askText(message: string, suggestion?: string): Promise<string> {
  const { text, isCancel } = await import('@clack/prompts')
  const initialValue = suggestion === undefined ? undefined : harmless(suggestion)
  const answer = await text({ message: harmless(message), initialValue, output: process.stderr })
  if (isCancel(answer)) throw cancelled()
  return answer
}

/** @throws CommandError when it is not answered */
export async function askYes(message: string, initialValue = true): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message: harmless(message), initialValue, output: process.stderr })
  if (isCancel(answer)) throw cancelled()
  return answer
}

/** @throws CommandError when it is not answered */
export async function askOneOf(
  message: string,
  options: readonly string[],
  initialValue?: string,
): Promise<string> {
  const { select, isCancel } = await import('@clack/prompts')
  const answer = await select({
    message: harmless(message),
    options: options.map((value) => ({ value, label: harmless(value) })),
    initialValue,
    output: process.stderr,
  })
  if (isCancel(answer)) throw cancelled()
  return answer
}

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
  if (!terminal.canAsk) throw usageError(`${loss} Say so with --yes.`)
  const typed = await askText(`${loss} Type ${name} to go on`)
  if (typed !== name) throw new CommandError(otherwise, { exitCode: exitCodes.cancelled, code: 'cancelled' })
}
