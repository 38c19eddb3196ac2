/**
 * Contract suite that every blob store must pass, so that all other code may use any of them. Call it from the store's own test. A promise
 * added to blob-store.ts gets its test here.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BlobMissingError } from '../errors/stores.ts'
import type { BlobStore } from './blob-store.ts'
import { packName, spillName, spillsPrefix } from './names.ts'

/** All bytes of a stream. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const gathered: Uint8Array[] = []
  for await (const chunk of chunks) gathered.push(chunk)
  return Buffer.concat(gathered)
}

async function* pieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += pieceBytes) yield bytes.subarray(i, i + pieceBytes)
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export function blobStoreContract(
  kind: string,
  open: () => Promise<{ store: BlobStore; dispose(): Promise<void> }>,
) {
  describe(`a blob store (${kind})`, () => {
    let store: BlobStore
    let dispose: () => Promise<void>
    beforeAll(async () => {
      ;({ store, dispose } = await open())
    })
    afterAll(async () => {
      await store.close()
      await dispose()
    })
    const fresh = () => packName(randomUUID())
    const listed = async (prefix: string) => {
      const names: string[] = []
      for await (const { name } of store.list(prefix)) names.push(name)
      return names.sort()
    }

    it('returns what was put, whole or in pieces, whatever its size', async () => {
      for (const length of [0, 1, 4_096, 1_000_003]) {
        const name = fresh()
        const bytes = randomBytes(length)
        expect(await store.put(name, bytes)).toBe(length)
        expect(Buffer.from(await store.read(name)).equals(bytes)).toBe(true)
        expect((await collect(store.stream(name))).equals(bytes)).toBe(true)
        expect(await store.size(name)).toBe(length)
        const again = fresh()
        expect(await store.put(again, pieces(bytes, 70_001))).toBe(length)
        expect(digest(await store.read(again))).toBe(digest(bytes))
      }
    })

    it('keeps its own copy of written and read bytes', async () => {
      const name = fresh()
      const bytes = Buffer.from('untouched')
      await store.put(name, bytes)
      bytes.fill(0)
      ;(await store.read(name)).fill(1)
      expect(Buffer.from(await store.read(name)).toString()).toBe('untouched')
    })

    it('reads no piece of what is put when it asks for the next', async () => {
      const name = fresh()
      const bytes = randomBytes(1_500_000)
      async function* overwritten() {
        const piece = new Uint8Array(100_000)
        for (let at = 0; at < bytes.length; at += piece.length) {
          piece.set(bytes.subarray(at, at + piece.length))
          yield piece
        }
      }
      await store.put(name, overwritten())
      expect(digest(await store.read(name))).toBe(digest(bytes))
    })

    it("streams pieces that are the reader's own: what fills its buffer may be transferred away", async () => {
      const name = fresh()
      const bytes = randomBytes(1_500_000)
      await store.put(name, bytes)
      for (let round = 0; round < 2; round++) {
        const hashed = createHash('sha256')
        for await (const piece of store.stream(name)) {
          hashed.update(piece)
          if (piece.length === piece.buffer.byteLength) (piece.buffer as ArrayBuffer).transfer(0)
        }
        expect(hashed.digest('hex')).toBe(digest(bytes))
      }
    })

    it('reads and streams ranges', async () => {
      const name = fresh()
      const bytes = randomBytes(700_000)
      await store.put(name, bytes)
      for (const [start, length] of [
        [0, 1],
        [699_999, 1],
        [0, 700_000],
        [262_143, 262_146],
        [700_000, 0],
      ] as const) {
        const part = bytes.subarray(start, start + length)
        expect(Buffer.from(await store.read(name, { start, length })).equals(part)).toBe(true)
        expect((await collect(store.stream(name, { start, length }))).equals(part)).toBe(true)
      }
    })

    it('says what is missing: a blob, or the end of a range', async () => {
      const absent = fresh()
      const short = fresh()
      await store.put(short, Buffer.alloc(10))
      await expect(store.read(absent)).rejects.toThrow(BlobMissingError)
      await expect(collect(store.stream(absent))).rejects.toThrow(BlobMissingError)
      expect(await store.size(absent)).toBeUndefined()
      for (const range of [
        { start: 5, length: 6 },
        { start: 11, length: 0 },
      ]) {
        await expect(store.read(short, range)).rejects.toThrow(BlobMissingError)
        await expect(collect(store.stream(short, range))).rejects.toThrow(BlobMissingError)
      }
      await expect(store.read(absent)).rejects.toMatchObject({ blob: absent })
    })

    it('replaces at once', async () => {
      const name = fresh()
      const [first, second] = [Buffer.alloc(400_000, 1), Buffer.alloc(500_000, 2)]
      await store.put(name, first)
      await store.read(name)
      await store.put(name, pieces(second, 1_000))
      expect(Buffer.from(await store.read(name)).equals(second)).toBe(true)
      expect(await store.size(name)).toBe(500_000)
    })

    it('leaves nothing of a put whose source fails, and the old blob if there was one', async () => {
      async function* failing() {
        yield Buffer.alloc(100_000)
        throw new Error('source failed')
      }
      const [name, kept] = [fresh(), fresh()]
      await store.put(kept, Buffer.from('old'))
      await expect(store.put(name, failing())).rejects.toThrow('source failed')
      await expect(store.put(kept, failing())).rejects.toThrow('source failed')
      expect(await store.size(name)).toBeUndefined()
      expect(Buffer.from(await store.read(kept)).toString()).toBe('old')
      expect(await listed(name)).toEqual([])
    })

    it('shows no part of a put that is under way', async () => {
      const name = fresh()
      let sizeMeanwhile: number | undefined = -1
      async function* watching() {
        yield Buffer.alloc(100_000)
        sizeMeanwhile = await store.size(name)
        yield Buffer.alloc(1)
      }
      await store.put(name, watching())
      expect(sizeMeanwhile).toBeUndefined()
    })

    it('lets a stream be left, and never mixes two blobs', async () => {
      const name = fresh()
      await store.put(name, Buffer.alloc(900_000, 1))
      for (let i = 0; i < 300; i++) {
        for await (const chunk of store.stream(name)) {
          expect(chunk.length).toBeGreaterThan(0)
          break
        }
      }
      const values = new Set<number>()
      let replaced = false
      try {
        for await (const chunk of store.stream(name)) {
          for (const value of new Set(chunk)) values.add(value)
          if (!replaced) await store.put(name, Buffer.alloc(900_000, 2))
          replaced = true
        }
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
      expect(values.size).toBe(1)
    })

    it('removes, and does not mind what is absent', async () => {
      const name = fresh()
      await store.put(name, Buffer.from('x'))
      await store.read(name)
      await store.remove(name)
      await store.remove(name)
      expect(await store.size(name)).toBeUndefined()
      await expect(store.read(name)).rejects.toThrow(BlobMissingError)
      await store.put(name, Buffer.from('y'))
      expect(Buffer.from(await store.read(name)).toString()).toBe('y')
    })

    it('lists by prefix, with sizes and times', async () => {
      const [push, other] = [randomUUID(), randomUUID()]
      const runs = [spillName(push, 'a'), spillName(push, 'b')]
      for (const name of runs) await store.put(name, Buffer.alloc(7))
      await store.put(spillName(other, 'a'), Buffer.alloc(7))
      expect(await listed(spillsPrefix(push))).toEqual(runs)
      expect(await listed(`${spillsPrefix(push)}a`)).toEqual([runs[0]])
      expect(await listed(`spills/${push.slice(0, 20)}`)).toEqual(runs)
      expect(await listed(spillsPrefix(randomUUID()))).toEqual([])
      expect((await listed('')).length).toBeGreaterThan(3)
      for await (const blob of store.list(spillsPrefix(other))) {
        expect(blob.bytes).toBe(7)
        expect(Math.abs(Date.now() - blob.modifiedAt.getTime())).toBeLessThan(60_000)
      }
      for (const name of runs) await store.remove(name)
      expect(await listed(spillsPrefix(push))).toEqual([])
    })

    it('puts and removes beside one another', async () => {
      const push = randomUUID()
      const work = Array.from({ length: 40 }, async (_, i) => {
        const name = spillName(push, `n${i}`)
        await store.put(name, Buffer.from(String(i)))
        if (i % 2 === 0) await store.remove(name)
      })
      await Promise.all(work)
      const left = await listed(spillsPrefix(push))
      expect(left).toHaveLength(20)
      for (const name of left) expect(name.endsWith(`n${Buffer.from(await store.read(name))}`)).toBe(true)
    })

    it('refuses names that lead elsewhere', async () => {
      for (const name of [
        '',
        'a',
        '/etc/passwd',
        '../a/b',
        'a/../b',
        'a//b',
        'a/b/',
        'A/b',
        'a\\b/c',
        'a/b\0',
        'a/.b',
      ]) {
        await expect(store.put(name, Buffer.alloc(1))).rejects.toThrow(RangeError)
        await expect(store.read(name)).rejects.toThrow(RangeError)
        await expect(collect(store.stream(name))).rejects.toThrow(RangeError)
        await expect(store.size(name)).rejects.toThrow(RangeError)
        await expect(store.remove(name)).rejects.toThrow(RangeError)
      }
    })

    it('answers a ping', async () => {
      await store.ping()
    })
  })
}
