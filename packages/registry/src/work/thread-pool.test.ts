import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { firstGood } from '../../../content/src/testing/measured.ts'
import { Deadline, openThreadPool } from './thread-pool.ts'

const options = { filename: new URL('./begin.fixture.ts', import.meta.url).href }
let pool: ReturnType<typeof openThreadPool>
let begun: number

const open = (maxThreads: number) => {
  pool = openThreadPool({ ...options, maxThreads })
  pool.on('workerCreate', () => begun++)
}
/** A deadline of a tenth of a second for a program in a thread of its own. */
async function deadlineOf(program: string): Promise<{ deadline: Deadline; thread: Worker }> {
  const thread = new Worker(program, { eval: true })
  await once(thread, 'online')
  const deadline = new Deadline({ usual: 50, most: 100 }, () => undefined)
  const task = deadline.mark({})
  const notes = Reflect.get(task, Piscina.queueOptionsSymbol) as { begun(thread: Worker): void }
  notes.begun(thread)
  return { deadline, thread }
}
const run = () => pool.run(undefined, { name: 'begin' })

beforeEach(() => {
  begun = 0
})
afterEach(() => pool.close())

test('a task does not wait for a thread that begins while another is idle', async () => {
  const begunAfterTwo = async () => {
    if (begun > 0) await pool.close()
    begun = 0
    open(2)
    await run()
    await Promise.all([run(), run()])
    return begun
  }
  // A thread needs some 50 ms to begin, and the tasks next to nothing.
  expect(await firstGood(begunAfterTwo, (threads) => threads === 1)).toBe(1)
  await expect.poll(() => begun, { timeout: 20_000 }).toBe(2)
  await Promise.all(Array.from({ length: 100 }, run))
  expect(pool.queueSize).toBe(0)
})

test('no more threads begin than there are tasks at once', async () => {
  open(8)
  await run()
  await Promise.all([run(), run(), run()])
  expect(pool.threads.length).toBeLessThanOrEqual(3)
})

test('it closes while tasks wait for threads that begin', async () => {
  open(8)
  await run()
  const asked = Promise.allSettled([run(), run(), run()])
  await pool.close()
  expect((await asked).some(({ status }) => status === 'fulfilled')).toBe(true)
})

test('a thread that dies after its caller left ends nothing else', async () => {
  open(1)
  await run()
  // The event that Piscina emits for a thread without a task, such as one that ran out of memory after its task was abandoned.
  expect(() => pool.emit('error', new Error('out of memory'))).not.toThrow()
  await run()
})

test('a task is ended by the CPU time that it takes', async () => {
  const { deadline, thread } = await deadlineOf('for (;;) {}')
  await expect.poll(() => deadline.isOver, { timeout: 20_000 }).toBe(true)
  await thread.terminate()
})

test('a task is not ended by time in which its thread stands still, as that of a process that is stopped does', async () => {
  const still =
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700); setInterval(() => {}, 1_000)'
  const { deadline, thread } = await deadlineOf(still)
  await sleep(1_500)
  expect(deadline.isOver).toBe(false)
  deadline.settle()
  await thread.terminate()
})
