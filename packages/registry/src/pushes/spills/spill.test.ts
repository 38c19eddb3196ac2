import { hash } from 'node:crypto'
import type { Hash } from '@ulmus/content'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PushEntry } from './entries.ts'
import { SpillDamagedError } from './frame.ts'
import { encodeSpill, encodeSpillStream, readSpill } from './spill.ts'

const anId = fc.integer({ min: 0, max: 1e6 }).map((n) => `r${n}`)
/** Incompressible data, so that frames span many pieces, or compressible data. */
const canonical = fc
  .tuple(fc.integer({ min: 0, max: 60_000 }), fc.boolean(), fc.nat())
  .map(([length, isRandom, seed]) =>
    isRandom
      ? hash('shake256', String(seed), { outputEncoding: 'buffer', outputLength: length })
      : Buffer.alloc(length, 97),
  )
const entries = fc
  .uniqueArray(fc.record({ id: anId, canonical: fc.option(canonical, { nil: undefined }) }), {
    selector: ({ id }) => id,
    maxLength: 30,
  })
  .map((list) => list.sort((a, b) => (a.id < b.id ? -1 : 1)).map(entryOf))

function entryOf({ id, canonical }: { id: string; canonical: Buffer | undefined }): PushEntry {
  if (canonical === undefined) return { type: 'A', id }
  const put = { hash: hash('sha256', id) as Hash, canonical, refers: false, private: false, needed: false }
  return { type: 'A', id, put }
}

const dropOf = (id: string): PushEntry => entryOf({ id, canonical: undefined })

const read = async (pieces: Iterable<Uint8Array>) =>
  (await Array.fromAsync(readSpill(pieces))).flatMap((frame) => [...frame])

/** Pieces of these lengths in rotation, each in a buffer of its own, or all views of one. */
function* cut(spill: Uint8Array, lengths: readonly number[], own: boolean): Generator<Uint8Array> {
  const whole = new Uint8Array(spill)
  for (let at = 0, i = 0; at < whole.length; i++) {
    const piece = whole.subarray(at, at + lengths[i % lengths.length]!)
    yield own ? new Uint8Array(piece) : piece
    at += piece.length
  }
}

const lengths = fc.oneof(
  fc.constantFrom([1], [12], [11, 1], [262_144], [Number.MAX_SAFE_INTEGER]),
  fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 }),
)

test('a spill is read as it was made, in whatever pieces it comes', async () => {
  await fc.assert(
    fc.asyncProperty(entries, lengths, fc.boolean(), async (made, lengths, own) => {
      const spill = encodeSpill(made)
      const found = await read(cut(spill, lengths, own))
      expect(found.map(comparable)).toEqual(made.map(comparable))
    }),
    { numRuns: 150 },
  )
})

/** Compares bytes as text: comparing their elements takes minutes. */
const comparable = ({ put, ...name }: PushEntry) => ({
  ...name,
  put: put && { ...put, buffer: undefined, canonical: Buffer.from(put.canonical).toString('latin1') },
})

test('a spill that is cut off within a frame, or damaged anywhere, is refused', async () => {
  const some = entries.filter((made) => made.length > 0)
  await fc.assert(
    fc.asyncProperty(some, lengths, fc.nat(), fc.boolean(), async (made, lengths, place, own) => {
      const spill = encodeSpill(made)
      const damaged = new Uint8Array(spill)
      damaged[place % spill.length]! ^= 1 << (place % 8)
      await expect(read(cut(damaged, lengths, own))).rejects.toThrow(SpillDamagedError)
      const bounds = await frameBounds(made)
      const kept = place % spill.length
      if (!bounds.has(kept))
        await expect(read(cut(spill.subarray(0, kept), lengths, own))).rejects.toThrow(SpillDamagedError)
    }),
    { numRuns: 150 },
  )
})

/** Boundaries of a spill's frames, in bytes: cut off at one, it is a shorter spill. */
async function frameBounds(made: readonly PushEntry[]): Promise<Set<number>> {
  const ends = new Set([0])
  let at = 0
  async function* all() {
    yield made
  }
  const pieces = await Array.fromAsync(encodeSpillStream(all()))
  for (const [i, piece] of pieces.entries()) {
    at += piece.length
    if (i % 2 === 1) ends.add(at)
  }
  return ends
}

test('a length that no frame has is refused before there is room for it', async () => {
  const header = Buffer.alloc(12)
  header.writeUInt32LE(0xffff_ffff, 0)
  await expect(read([header])).rejects.toThrow(SpillDamagedError)
})

test('a piece that fills its buffer is given back once it is read, and no other', async () => {
  const canonical = hash('shake256', 'x', { outputEncoding: 'buffer', outputLength: 200_000 })
  const spill = encodeSpill([entryOf({ id: 'a', canonical })])
  const view = new Uint8Array(Buffer.concat([spill, spill])).subarray(0, spill.length)
  await read([view])
  expect(view.length).toBe(spill.length)
  await read([spill])
  expect(spill.length).toBe(0)
})

test('memory of a frame is released once all of its entries have left it', async () => {
  const canonical = hash('shake256', 'x', { outputEncoding: 'buffer', outputLength: 50_000 })
  const spill = encodeSpill([entryOf({ id: 'a', canonical }), dropOf('b'), entryOf({ id: 'c', canonical })])
  const [one, , other] = (await read([spill])).map(({ put }) => put)
  one!.buffer!.release()
  expect(canonical.equals(other!.canonical)).toBe(true)
  other!.buffer!.release()
  expect([one!.canonical.length, other!.canonical.length]).toEqual([0, 0])
})

test('entries may leave a frame before those behind them are read', async () => {
  const made = [entryOf({ id: 'a', canonical: Buffer.alloc(50_000) }), ...['b', 'c'].map(dropOf)]
  for await (const frame of readSpill([encodeSpill(made)])) {
    const ids: string[] = []
    for (const { id, put } of frame) {
      ids.push(id)
      put?.buffer?.release()
    }
    expect(ids).toEqual(['a', 'b', 'c'])
  }
})
