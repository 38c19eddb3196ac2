/** The command line's entry: the process around the application. */
import { run } from '@stricli/core'
import { application } from './application.ts'
import { exitCodes } from './terminal/exit-codes.ts'
import { openTerminal } from './terminal/terminal.ts'

const terminal = openTerminal(process)
await run(application, process.argv.slice(2), { process, terminal })
// The library's codes for a command line that it cannot read are negative; ours are documented and small.
const code = Number(process.exitCode ?? exitCodes.done)
process.exitCode = terminal.exitCode ?? (code < 0 || code > 127 ? exitCodes.usage : code)
terminal.close()
