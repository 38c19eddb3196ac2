/** Entry point of the command line. Static imports here delay every call, so commands are imported on demand. */
import { overview } from './overview.ts'
import { exitCodes } from './terminal/exit-codes.ts'
import { libraryProcess } from './terminal/library-process.ts'
import { openTerminal } from './terminal/terminal.ts'
import { release } from './version.ts'

// Node's warnings about its own modules are for developers of this program.
if (!process.env['ULMUS_DEBUG']) process.removeAllListeners('warning')

const given = process.argv.slice(2)
// `ulmus help push` is `ulmus push --help`.
const words = given[0] === 'help' && given.length > 1 ? [...given.slice(1), '--help'] : given
const terminal = openTerminal(process)
const [first = '--help'] = words
// Answer the most frequent calls without loading any command.
if (words.length < 2 && ['--help', '-h', 'help'].includes(first)) await terminal.write(overview())
else if (words.length === 1 && ['--version', '-v'].includes(first))
  await terminal.write(`${await release()}\n`)
else await runApplication()
terminal.close()

async function runApplication(): Promise<void> {
  if (first === '__complete') {
    const { writeCompletions } = await import('./completions.ts')
    return writeCompletions(words.slice(1), terminal)
  }
  const { runWords } = await import('./application.ts')
  const streams = libraryProcess(process)
  await runWords(words, { process: streams, terminal } as never)
  // The library uses negative codes for an invalid command line; ours are small and documented.
  const code = Number(streams.exitCode ?? exitCodes.done)
  process.exitCode = terminal.exitCode ?? (code < 0 || code > 127 ? exitCodes.usage : code)
}
