/** The process as the library for command lines sees it. */
import { harmlessLines } from './harmless.ts'

export interface LibraryProcess {
  readonly stdout: Pick<NodeJS.WriteStream, 'write'>
  readonly stderr: { write(text: string): void }
  readonly env: NodeJS.ProcessEnv
  /** Written by the library. */
  exitCode: number | string | undefined
}

/**
 * The library's errors repeat the arguments, which may come from a stranger's text. Its standard error has no colours, since those could
 * not be told from escape sequences of an argument.
 */
export const libraryProcess = ({ stdout, stderr, env }: NodeJS.Process): LibraryProcess => ({
  stdout,
  stderr: { write: (text) => void stderr.write(harmlessLines(text)) },
  env,
  exitCode: undefined,
})
