import type { EncodedObject } from '@ulmus/storage'
import { expect, test } from 'vitest'
import { free, freeWhole, wholeBuffers } from './buffers.ts'

const stored = (...links: Uint8Array[]): EncodedObject =>
  ({ kind: 'body', chain: links.map((bytes) => ({ bytes })) }) as unknown as EncodedObject
const buffer = (length = 2 * Buffer.poolSize) => new ArrayBuffer(length)
const half = (buffer: ArrayBuffer, which: 0 | 1) =>
  new Uint8Array(buffer, (which * buffer.byteLength) / 2, buffer.byteLength / 2)

test('buffers that stored leaves fill can be transferred, buffers that may be shared cannot', () => {
  const [filled, shared, alone, twice, common, small] = [
    buffer(),
    buffer(),
    buffer(),
    buffer(),
    buffer(),
    buffer(16),
  ]
  const leaves = [
    { node: stored(half(filled, 0), half(shared, 0)), body: stored(half(filled, 1)) },
    { node: stored(new Uint8Array(alone)), body: stored(new Uint8Array(small)) },
    { node: stored(new Uint8Array(twice)), body: stored(half(twice, 1)) },
    { node: stored(half(common, 0), half(common, 1)) },
    { node: stored(half(common, 1)) },
  ]
  expect(wholeBuffers(leaves)).toEqual([filled, alone, common])
})

test('views of one buffer are freed together, and may be freed again', () => {
  const [both, small] = [buffer(), new Uint8Array(16)]
  for (const bytes of [half(both, 0), half(both, 1), small, small]) free(bytes)
  expect([both.detached, small.buffer.detached]).toEqual([true, true])
  expect(() => freeWhole(small)).not.toThrow()
})
