import { expect, test } from 'vitest'
import { batchesOf } from './batches.ts'
import { sendOverlapping } from './overlap.ts'

const records = (...ids: string[]) => ids.map((id) => ({ id, type: 'T' }))
const oneEach = { bytes: 1_000, lines: 1 }

/** Sends that end when the test decides. */
function controlled() {
  const started: { name: string; end: () => void; fail: (error: Error) => void; stop: AbortSignal }[] = []
  const send = (batch: { body: Uint8Array }, stop: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const { id } = JSON.parse(new TextDecoder().decode(batch.body).split('\n')[0]!) as { id: string }
      started.push({ name: id, end: resolve, fail: reject, stop })
      stop.addEventListener('abort', () => reject(stop.reason))
    })
  return { started, send, names: () => started.map(({ name }) => name) }
}

/** Long enough for everything that does not wait for the test. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 10))

test('as many batches as allowed are on their way, no more', async () => {
  const { started, send, names } = controlled()
  const sending = sendOverlapping(batchesOf(records('a', 'b', 'c', 'd'), oneEach), 2, send)
  await settle()
  expect(names()).toEqual(['a', 'b'])
  started[0]!.end()
  await settle()
  expect(names()).toEqual(['a', 'b', 'c'])
  for (const name of ['b', 'c', 'd']) {
    started.find((one) => one.name === name)!.end()
    await settle()
  }
  await sending
})

test('a batch that holds a record of one on its way waits for it', async () => {
  const { started, send, names } = controlled()
  const sending = sendOverlapping(batchesOf(records('a', 'b', 'a', 'c'), oneEach), 3, send)
  await settle()
  expect(names()).toEqual(['a', 'b'])
  started[1]!.end()
  await settle()
  expect(names()).toEqual(['a', 'b'])
  started[0]!.end()
  await settle()
  expect(names()).toEqual(['a', 'b', 'a', 'c'])
  started[2]!.end()
  started[3]!.end()
  await sending
})

test('ids of different types are different records', async () => {
  const { started, send } = controlled()
  const lines = [
    { id: 'x', type: 'A' },
    { id: 'x', type: 'B' },
  ]
  const sending = sendOverlapping(batchesOf(lines, oneEach), 2, send)
  await settle()
  expect(started).toHaveLength(2)
  for (const { end } of started) end()
  await sending
})

test('the first failure in order stops the others, and waits for their end', async () => {
  const { started, send } = controlled()
  const sending = sendOverlapping(batchesOf(records('a', 'b', 'c'), oneEach), 2, send)
  const failure = sending.catch((error: Error) => error.message)
  await settle()
  started[0]!.fail(new Error('refused'))
  expect(await failure).toBe('refused')
  expect(started[1]!.stop.aborted).toBe(true)
  expect(started).toHaveLength(2)
})
