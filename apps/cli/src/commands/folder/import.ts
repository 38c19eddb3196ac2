/** Runs `ulmus import` in a thread: a hostile file may block a thread for ever, and the main thread must handle signals. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Command } from '../../context.ts'
import { answerTo, type Question } from '../../terminal/ask.ts'
import { CommandError } from '../../terminal/failure.ts'
import type { ImportFlags } from './import-files.ts'
import type { ImportJob, Output } from './import-thread.ts'

const importInThread: Command<ImportFlags, string[]> = async ({ terminal, signal }, flags, ...files) => {
  signal.throwIfAborted()
  const { env, cwd, canAsk, canRedraw, columns } = terminal
  const job: ImportJob = { flags, files, terminal: { env: { ...env }, cwd, canAsk, canRedraw, columns } }
  const thread = new Worker(new URL('./import-thread.ts', import.meta.url), { workerData: job })
  thread.on('message', async (message: Output | Question) => {
    if ('ask' in message) thread.postMessage(await answerTo(message, signal))
    else Reflect.apply(terminal[message.output], terminal, message.args)
  })
  const end = () => void thread.terminate()
  signal.addEventListener('abort', end)
  try {
    const [code] = await once(thread, 'exit')
    if (code !== 0) signal.throwIfAborted()
  } catch (error) {
    await releaseFolder(cwd)
    throw isOutOfMemory(error) ? new CommandError(tooLarge, { cause: error }) : error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'

const tooLarge =
  'The import needs more memory than Node.js may use, so nothing was imported. Split the file, or set NODE_OPTIONS=--max-old-space-size to more MiB.'

/** Cleans up after a terminated thread: finishes its moves, and removes its lock and staged files. */
async function releaseFolder(cwd: string): Promise<void> {
  const [{ findRoot }, { withFolder }, { Staging }] = await Promise.all([
    import('../../folder/files/layout.ts'),
    import('../../folder/files/lock.ts'),
    import('../../folder/files/staging.ts'),
  ])
  const root = findRoot(cwd)
  if (root === undefined) return
  // Fails if another command holds the lock; then the thread did not hold it.
  await withFolder(root, async () => new Staging(root).discard()).catch(() => undefined)
}

export default importInThread
