/** Process object for the command-line library, `@stricli/core`, which writes help and usage errors itself. */
import { harmlessLines } from './harmless.ts'

export interface LibraryProcess {
  readonly stdout: Pick<NodeJS.WriteStream, 'write'>
  readonly stderr: { write(text: string): void }
  readonly env: NodeJS.ProcessEnv
  /** Set by the library. */
  exitCode: number | string | undefined
}

/**
 * The library's errors repeat the arguments, which may contain foreign text. Its standard error has no colours, because they could not be
 * distinguished from escape sequences in an argument.
 */
export const libraryProcess = ({ stdout, stderr, env }: NodeJS.Process): LibraryProcess => ({
  stdout,
  stderr: { write: (text) => void stderr.write(harmlessLines(text)) },
  env,
  exitCode: undefined,
})
