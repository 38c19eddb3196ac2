/** Questions to a person, on standard error. Ask only where `terminal.canAsk`. */
import { exitCodes } from './exit-codes.ts'
import { CommandError } from './failure.ts'

const cancelled = (): CommandError =>
  new CommandError('Cancelled.', { exitCode: exitCodes.cancelled, code: 'cancelled' })

/** @throws CommandError when it is not answered */
export async function askText(message: string, initialValue?: string): Promise<string> {
  const { text, isCancel } = await import('@clack/prompts')
  const answer = await text({ message, initialValue, output: process.stderr })
  if (isCancel(answer)) throw cancelled()
  return answer
}

/** @throws CommandError when it is not answered */
export async function askYes(message: string, initialValue = true): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message, initialValue, output: process.stderr })
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
    message,
    options: options.map((value) => ({ value, label: value })),
    initialValue,
    output: process.stderr,
  })
  if (isCancel(answer)) throw cancelled()
  return answer
}
