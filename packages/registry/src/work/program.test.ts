import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { Program, type ProgramOptions } from './program.ts'

type Task = { say?: string; after?: number; endLate?: boolean; end?: 'costly' | 'killed' | 'works' | 'waits' }
const open = (more: Partial<ProgramOptions> = {}) =>
  new Program<Task, string>({
    program: new URL('./program.fixture.ts', import.meta.url),
    heapMebibytes: 64,
    tasksMax: { owner: 2, all: 3 },
    idleMilliseconds: 60_000,
    ...more,
  })
const answer = (text: string) => ({ kind: 'answer', answer: text })

test('a task that ends its process is too costly, and the next one runs', async () => {
  const program = open()
  expect(await program.run('ada', { end: 'costly' })).toEqual({ kind: 'too_costly' })
  expect(await program.run('ada', { say: 'next' })).toEqual(answer('next'))
})

test('a process that is killed says nothing about its task', async () => {
  expect(await open().run('ada', { end: 'killed' })).toEqual({ kind: 'unavailable' })
})

test('a task does not pay for the one before, because of which the process ends late', async () => {
  const program = open()
  for (let round = 0; round < 5; round++) {
    expect(await program.run('ada', { say: 'late', endLate: true })).toEqual(answer('late'))
    await new Promise((resolve) => setTimeout(resolve, 45))
    expect(await program.run('eve', { say: `task ${round}` })).toEqual(answer(`task ${round}`))
  }
})

test('a task that is too costly in a process that has run others is tried in a new one', async () => {
  const program = open()
  expect(await program.run('ada', { say: 'first' })).toEqual(answer('first'))
  expect(await program.run('ada', { end: 'costly' })).toEqual({ kind: 'too_costly' })
})

test('tasks beyond the limits are not taken', async () => {
  const program = open()
  const results = ['ada', 'ada', 'ada', 'bob', 'eve'].map((owner) => program.run(owner, { say: owner }))
  expect((await Promise.all(results)).map(({ kind }) => kind)).toEqual([
    ...['answer', 'answer', 'unavailable'],
    ...['answer', 'unavailable'],
  ])
})

test.each([
  { end: 'works', kind: 'too_costly' },
  { end: 'waits', kind: 'unavailable' },
] as const)(
  'a task that $end for too long ends its process, and is not tried again',
  async ({ end, kind }) => {
    const program = open()
    expect(await program.run('ada', { say: 'first' })).toEqual(answer('first'))
    let started = 0
    const count = () => void started++
    subscribe('child_process', count)
    expect(await program.run('ada', { end }, { cpuMilliseconds: 500 })).toEqual({ kind })
    unsubscribe('child_process', count)
    expect(started).toBe(0)
    expect(await program.run('ada', { say: 'next' })).toEqual(answer('next'))
  },
)

test('a task that waits as long as it may work is answered', async () => {
  const program = open()
  expect(await program.run('ada', { say: 'first' })).toEqual(answer('first'))
  const run = program.run('ada', { say: 'late', after: 700 }, { cpuMilliseconds: 500 })
  expect(await run).toEqual(answer('late'))
})

test('a task is answered although its server stood still beyond its limits', async () => {
  const program = open()
  expect(await program.run('ada', { say: 'first' })).toEqual(answer('first'))
  const run = program.run('ada', { say: 'late', after: 50 }, { cpuMilliseconds: 100 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  expect(await run).toEqual(answer('late'))
})

test('a task that relies on earlier ones is not tried in a new process', async () => {
  const program = open({ keepsState: true })
  expect(await program.run('ada', { say: 'first' })).toEqual(answer('first'))
  expect(await program.run('ada', { end: 'killed' })).toEqual({ kind: 'unavailable' })
})

test('a task that is aborted ends its process, and is not tried again', async () => {
  const program = open()
  expect(await program.run('ada', { say: 'first' })).toEqual(answer('first'))
  const leaving = new AbortController()
  const running = program.run('ada', { end: 'waits' }, { signal: leaving.signal })
  setTimeout(() => leaving.abort(), 50)
  expect(await running).toEqual({ kind: 'unavailable' })
  expect(await program.run('eve', { say: 'next' })).toEqual(answer('next'))
})
