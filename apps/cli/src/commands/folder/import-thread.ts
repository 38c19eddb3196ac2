/** Thread that runs `ulmus import`. The main thread has the terminal and handles signals. */
import { parentPort, workerData } from 'node:worker_threads'
import type { CommonFlags } from '../../context.ts'
import { runCommand } from '../../run-command.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type ImportFlags, importFiles } from './import-files.ts'

/** Input of the thread. The main thread clones it, so it contains no functions. */
export interface ImportJob {
  readonly flags: ImportFlags & CommonFlags
  readonly files: string[]
  readonly terminal: Pick<Terminal, 'env' | 'cwd' | 'canAsk' | 'canRedraw' | 'columns'>
}

/** Methods of the terminal that the main thread runs for this one. Calls do not wait for it. */
const outputs = ['write', 'line', 'say', 'redraw', 'fail'] as const

/** Message to the main thread: a call of a terminal method. */
export interface Output {
  readonly output: (typeof outputs)[number]
  readonly args: readonly unknown[]
}

const { flags, files, terminal: given } = workerData as ImportJob

const methods = outputs.map((output) => [
  output,
  (...args: unknown[]) => parentPort!.postMessage({ output, args } satisfies Output),
])

const terminal: Terminal = {
  ...given,
  ...(Object.fromEntries(methods) as Pick<Terminal, Output['output']>),
  // The main thread terminates this thread instead.
  signal: new AbortController().signal,
  page: async () => undefined,
  endPage: async () => undefined,
  exitCode: undefined,
  close: () => undefined,
}

await runCommand(importFiles, terminal, flags, files)
