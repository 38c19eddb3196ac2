import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeObject, decodeObjectHere, encodeObject, encodeObjectHere, objectBytesMax } from './codec.ts'
import { patchOf, readPatch } from './patch.ts'

/** Lines of 100 to 200 bytes ordered by key, as in a body; `revisions` changes some of the records. */
function body(keys: Iterable<number>, revisions: ReadonlyMap<number, number> = new Map()): Buffer {
  const line = (key: number) => {
    const text = `${key * 7_919}-${key % 13}`.repeat(1 + (key % 9)).padEnd(90, '.')
    return `{"id":"${String(key).padStart(6, '0')}","text":"${text}","revision":${revisions.get(key) ?? 0}}\n`
  }
  const sorted = [...keys].sort((a, b) => a - b)
  return Buffer.from(sorted.map(line).join(''))
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

const patchEncoding = 2
const base = body(upTo(300))
const raw = body(
  upTo(304).filter((key) => key !== 20 && key !== 21),
  new Map([10, 11, 150, 299].map((key) => [key, 7])),
)

/** The lines after random edits, each of which drops up to two and adds up to two. */
const derived = (lines: string[]) =>
  fc
    .array(
      fc.tuple(fc.nat(lines.length), fc.nat(2), fc.array(fc.string({ maxLength: 40 }), { maxLength: 2 })),
    )
    .map((edits) => edits.reduce((all, [at, drop, add]) => all.toSpliced(at, drop, ...add), lines))

/** Two texts of lines, ended by `end`, with most lines in common; sorted or not, with or without a final line end. */
const pairOfTexts = fc
  .record({
    lines: fc.array(fc.string({ maxLength: 60 }), { maxLength: 60 }),
    end: fc.constantFrom('\n', '[', '\r\n'),
    sorted: fc.boolean(),
    ended: fc.tuple(fc.boolean(), fc.boolean()),
  })
  .chain(({ lines, end, sorted, ended }) =>
    derived(lines).map((others) =>
      [lines, others].map((text, i) =>
        Buffer.from((sorted ? text.toSorted() : text).join(end) + (ended[i] ? end : '')),
      ),
    ),
  )

function roundTrip(before: Uint8Array, after: Uint8Array): void {
  const patch = patchOf(after, before)
  if (patch === undefined) return
  const read = readPatch(Buffer.concat([patch.operations, patch.literals]), before, after.length)
  expect(read.length).toBe(patch.operations.length)
  expect(read.literalBytes).toBe(patch.literals.length)
  expect(Buffer.compare(read.like, patch.like)).toBe(0)
  const patched = read.apply(patch.literals)
  expect(patched.length).toBe(after.length)
  expect(Buffer.compare(patched.subarray(0, after.length), after)).toBe(0)
  for (const from of [0, 1, after.length >> 1, after.length, after.length + 1])
    for (const to of [from, from + 1, from + 30, after.length])
      expect(Buffer.compare(patched.subarray(from, to), after.subarray(from, to))).toBe(0)
}

describe('patches', () => {
  it('give back any text from any other', () => {
    fc.assert(
      fc.property(pairOfTexts, ([before, after]) => {
        roundTrip(before!, after!)
        roundTrip(after!, before!)
        roundTrip(before!, before!)
      }),
      { numRuns: 1_000 },
    )
  })

  it('give back any bytes from any others', () => {
    const few = fc.uint8Array({ maxLength: 200, max: 12 })
    const any = fc.uint8Array({ maxLength: 500 })
    const pair = fc.oneof(fc.tuple(few, few), fc.tuple(any, any))
    const inserted = fc.tuple(any, any, fc.nat(500)).map(([all, more, at]): [Uint8Array, Uint8Array] => {
      const other = Buffer.concat([all.subarray(0, at), more.subarray(0, 20), all.subarray(at)])
      return [all, other]
    })
    fc.assert(
      fc.property(fc.oneof(pair, inserted), ([before, after]) => roundTrip(before, after)),
      { numRuns: 2_000 },
    )
  })

  it('are made for sorted lines of which some changed, came or went, wherever they stand', async () => {
    const keys = fc.uniqueArray(fc.nat(499), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(keys, keys, keys, async (gone, came, changed) => {
        const before = body(upTo(500).filter((key) => !came.includes(key)))
        const after = body(
          upTo(500).filter((key) => came.includes(key) || !gone.includes(key)),
          new Map(changed.map((key) => [key, 1])),
        )
        const encoded = encodeObjectHere(after, before)
        expect(encoded[0]).toBe(patchEncoding)
        expect(Buffer.compare(await encodeObject(after, before), encoded)).toBe(0)
        expect(Buffer.compare(await decodeObject(encoded, objectBytesMax, before), after)).toBe(0)
        expect(Buffer.compare(decodeObjectHere(encoded, objectBytesMax, before), after)).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('take the literals of what changed only', () => {
    const patch = patchOf(raw, base)!
    const lines = Buffer.from(patch.literals).toString().trimEnd().split('\n')
    expect(lines.map((line) => Number(line.slice(7, 13)))).toEqual([10, 11, 150, 299, 300, 301, 302, 303])
    expect(patchOf(base, base)).toMatchObject({ literals: { length: 0 } })
  })

  it('are made for nodes, which have entries instead of lines', () => {
    const node = (changed: number) => {
      const entries = upTo(300).map((i) => [
        `key-${String(i).padStart(4, '0')}`,
        (i === changed ? 'new' : `${i}`).padStart(40),
        9,
      ])
      return Buffer.from(JSON.stringify({ e: entries, t: 'leaf' }))
    }
    for (const changed of [0, 150, 299]) {
      expect(patchOf(node(changed), node(-1))!.literals.length).toBeLessThan(100)
      expect(encodeObjectHere(node(changed), node(-1))[0]).toBe(patchEncoding)
      roundTrip(node(-1), node(changed))
    }
  })

  it('are not made where most is new, nor for what is small', () => {
    expect(patchOf(body(upTo(600)), base)).toBeUndefined()
    expect(encodeObjectHere(body(upTo(600)), base)[0]).toBe(1)
    expect(encodeObjectHere(body(upTo(10), new Map([[1, 1]])), body(upTo(10)))[0]).toBe(1)
  })

  it('are made for nothing, and not to nothing', () => {
    expect(patchOf(base, Buffer.alloc(0))).toBeUndefined()
    roundTrip(base, Buffer.alloc(0))
    roundTrip(Buffer.alloc(0), Buffer.alloc(0))
  })
})

describe('damaged patches', () => {
  const encoded = encodeObjectHere(raw, base)
  const operationsLength = patchOf(raw, base)!.operations.length

  it('are refused, or give as many bytes as they say, whichever bits are flipped', () => {
    for (let at = 0; at < encoded.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = Buffer.from(encoded)
        damaged[at]! ^= 1 << bit
        let decoded: Uint8Array
        try {
          decoded = decodeObjectHere(damaged, raw.length * 2, base)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
          continue
        }
        expect(decoded.length).toBe(damaged.readUInt32LE(1))
      }
    }
  })

  it('are refused wherever they are cut off', () => {
    for (let end = 0; end < encoded.length; end++)
      expect(() => decodeObjectHere(encoded.subarray(0, end), objectBytesMax, base)).toThrow()
  })

  it('are refused with more bytes than may be, without a base and with another', async () => {
    await expect(decodeObject(encoded, raw.length - 1, base)).rejects.toThrow('bytes')
    await expect(decodeObject(encoded, objectBytesMax)).rejects.toThrow('encoding')
    await expect(decodeObject(encoded, objectBytesMax, Buffer.alloc(0))).rejects.toThrow('beyond')
  })

  it('are refused when their literals are more or fewer than are inserted', () => {
    const head = encoded.subarray(0, 5 + operationsLength)
    for (const literals of [Buffer.alloc(0), Buffer.alloc(10), Buffer.alloc(1_000_000)]) {
      const frame = encodeObjectHere(literals).subarray(5)
      expect(() => decodeObjectHere(Buffer.concat([head, frame]), objectBytesMax, base)).toThrow()
    }
  })

  const refused = (bytes: number[], rawLength: number, why: string) =>
    expect(() => readPatch(Buffer.from(bytes), Buffer.alloc(100), rawLength)).toThrow(why)

  it('are refused when they go beyond their base or their length', () => {
    refused([1, 0, 1, 100], 100, 'beyond')
    refused([1, 0, 101, 0], 0, 'beyond')
    refused([2, 0, 60, 10, 0, 0, 31], 41, 'beyond')
    refused([1, 0, 0, 99], 100, 'give 99')
    refused([1, 5, 0, 100], 100, 'give 105')
    refused([0], 1, 'give 0')
    refused([1, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0], 100, 'give')
    expect(readPatch(Buffer.from([1, 0, 0, 100]), Buffer.alloc(100), 100).literalBytes).toBe(0)
  })

  it('are refused when their operations have no end or are too many', () => {
    refused([], 100, 'cut off')
    refused([2, 0, 0, 100], 100, 'cut off')
    refused([1, 0, 0, 0xe4], 100, 'cut off')
    refused([0x80, 0x80, 0x80, 0x80, 0x80, 0], 0, 'no end')
    refused([0x81, 0x80, 5], 0, 'operations')
  })

  it('have no more operations than can be read back', () => {
    const many = (lines: number, revision: number) =>
      Buffer.from(
        upTo(lines)
          .map((i) => `${String(i).padStart(6, '0')}${i % 2 === 0 ? '-'.repeat(20) : revision}\n`)
          .join(''),
      )
    roundTrip(many(70_000, 0), many(70_000, 1))
    expect(patchOf(many(70_000, 1), many(70_000, 0))).toBeDefined()
    expect(patchOf(many(100_000, 1), many(100_000, 0))).toBeUndefined()
  })

  it('are not made of more lines than any leaf has', () => {
    expect(patchOf(Buffer.from('z'), Buffer.alloc(100_000, '['))).toBeUndefined()
  })
})
