/** Runs a command and reports its failure on standard error: a sentence, or with `--json` the body of `Failure`. */
import { type Call, type Command, type CommonFlags, callOf } from './context.ts'
import { failureOf } from './terminal/failure.ts'
import { jsonText } from './terminal/harmless.ts'
import type { Terminal } from './terminal/terminal.ts'
import { painted } from './terminal/text.ts'

export async function runCommand<Flags, Args extends readonly unknown[]>(
  run: Command<Flags, Args>,
  terminal: Terminal,
  flags: Flags & CommonFlags,
  args: Args,
): Promise<void> {
  const call = callOf(terminal, flags)
  try {
    await run(call, flags, ...args)
    await terminal.endPage()
  } catch (error) {
    await terminal.endPage()
    report(call, flags, call.signal.aborted ? call.signal.reason : error)
  }
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
