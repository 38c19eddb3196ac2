import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeObject, encodeObject, mayBeDelta, objectBytesMax } from './codec.ts'

/** Lines of some 700 bytes with a small vocabulary, like records; `changed` of them, evenly spread, differ. */
function body(lines: number, changed = 0): Buffer {
  const words = Array.from({ length: 300 }, (_, i) => `word${(i * 7_919) % 1_000}`)
  let seed = 7
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return seed
  }
  const line = (salt: string) => `${salt}${Array.from({ length: 90 }, () => words[next() % 300]).join(' ')}\n`
  const all = Array.from({ length: lines }, (_, i) => line(`{"id":"${i}"`))
  for (let i = 0; i < changed; i++) all[Math.floor((i * lines) / changed)] = line('{"changed"')
  return Buffer.from(all.join(''))
}

describe('encodings', () => {
  it('stores a body of 1,024 records of which 10 changed in a fiftieth', async () => {
    const [base, raw] = [body(1_024), body(1_024, 10)]
    expect(base.length).toBeGreaterThan(700_000)
    const alone = await encodeObject(raw)
    const delta = await encodeObject(raw, base)
    expect(delta.length).toBeLessThan(alone.length / 50)
    expect(Buffer.compare(await decodeObject(delta, objectBytesMax, base), raw)).toBe(0)
    expect(Buffer.compare(await decodeObject(alone, objectBytesMax), raw)).toBe(0)
  })

  it('finds what is unchanged from end to end of the largest usual body', async () => {
    const [base, raw] = [body(8_192), body(8_192, 80)]
    expect(base.length).toBeGreaterThan(5_000_000)
    const delta = await encodeObject(raw, base)
    expect(delta.length).toBeLessThan((await encodeObject(raw)).length / 20)
    expect(Buffer.compare(await decodeObject(delta, objectBytesMax, base), raw)).toBe(0)
  })

  it('gives back any bytes with any dictionary', async () => {
    for (const [dictionaryBytes, rawBytes] of [
      [8, 0],
      [8, 8],
      [9, 100_000],
      [100_000, 9],
      [131_072, 131_072],
      [3_000_000, 3_000_001],
    ] as const) {
      const dictionary = randomBytes(dictionaryBytes)
      const raw = Buffer.concat([dictionary.subarray(1, rawBytes), randomBytes(rawBytes)]).subarray(
        0,
        rawBytes,
      )
      const delta = await encodeObject(raw, dictionary)
      expect(Buffer.compare(await decodeObject(delta, objectBytesMax, dictionary), raw)).toBe(0)
    }
  })

  it('does not take for a dictionary what zstd would read otherwise', () => {
    const raw = randomBytes(100)
    expect(mayBeDelta(raw, randomBytes(100).fill(0, 0, 1))).toBe(true)
    expect(mayBeDelta(raw, randomBytes(7))).toBe(false)
    expect(mayBeDelta(raw, Buffer.concat([Buffer.from([0x37, 0xa4, 0x30, 0xec]), raw]))).toBe(false)
    expect(mayBeDelta(raw, Buffer.alloc(2 ** 27))).toBe(false)
  })

  it('refuses the other encoding, other dictionaries and too many bytes', async () => {
    const base = body(20)
    const raw = body(20, 2)
    const delta = await encodeObject(raw, base)
    await expect(decodeObject(delta, objectBytesMax)).rejects.toThrow('encoding')
    await expect(decodeObject(await encodeObject(raw), objectBytesMax, base)).rejects.toThrow('encoding')
    await expect(decodeObject(new Uint8Array(0), objectBytesMax)).rejects.toThrow('encoding')
    await expect(decodeObject(delta, raw.length - 1, base)).rejects.toThrow()
    await expect(decodeObject(delta.subarray(0, -1), objectBytesMax, base)).rejects.toThrow()
  })
})
