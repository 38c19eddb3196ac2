import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Relay } from './relay.ts'

const never = new Promise<never>(() => undefined)

/** Reads slowly to the end; returns the hash of the bytes and the lengths of the pieces. */
async function readAll(relay: Relay) {
  const hashed = createHash('sha256')
  const lengths: number[] = []
  for await (const piece of relay.pieces()) {
    await new Promise((resolve) => setImmediate(resolve))
    hashed.update(piece)
    lengths.push(piece.length)
  }
  return { digest: hashed.digest('hex'), lengths }
}

test.each([[0], [1], [524_288], [524_289], [3_000_000]])(
  '%i bytes arrive as they were sent',
  async (length) => {
    for (const step of [1_000, 262_144, 524_288, 5_000_000]) {
      const relay = new Relay()
      const reading = readAll(relay)
      const bytes = randomBytes(length)
      for (let at = 0; at < length; at += step) await relay.write(bytes.subarray(at, at + step), reading)
      await relay.end(reading)
      const { digest, lengths } = await reading
      expect(digest).toBe(createHash('sha256').update(bytes).digest('hex'))
      expect(lengths).toHaveLength(Math.ceil(length / 524_288))
    }
  },
)

test('two pieces are ahead of the reader at most', async () => {
  const relay = new Relay()
  let done = false
  const writing = relay.write(new Uint8Array(1_600_000), never).then(() => {
    done = true
  })
  const pieces = relay.pieces()
  await pieces.next()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(done).toBe(false)
  await pieces.next()
  await pieces.next()
  await writing
})

test('a reader that leaves fails what is written then', async () => {
  const relay = new Relay()
  const reading = Promise.reject(new Error('no room'))
  reading.catch(() => undefined)
  await expect(relay.write(new Uint8Array(2_000_000), reading)).rejects.toThrow('no room')
})

test.each(['before', 'while'])('a failure reaches the reader, told %s it waits', async (when) => {
  const relay = new Relay()
  await relay.write(new Uint8Array(600_000), never)
  const pieces = relay.pieces()
  await pieces.next()
  if (when === 'before') relay.fail(new Error('given up'))
  const next = pieces.next()
  if (when === 'while') relay.fail(new Error('given up'))
  await expect(next).rejects.toThrow('given up')
})
