import { crc32 } from 'node:zlib'
import { hashBytes, hashText } from '@ulmus/content'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeObjectHere } from './delta.ts'
import { decodeChain, decodeChainInParts, type EncodedObject } from './encoded-object.ts'

const lineOf = (key: number, version: number) =>
  `{"id":"${1_000 + key}","text":"${`${version} of ${key} `.repeat(9)}"}\n`

/** Versions of 300 lines, each of which changes, drops and adds some; the last one first. */
const versions = fc
  .array(fc.array(fc.tuple(fc.nat(330), fc.constantFrom('put', 'drop')), { maxLength: 12 }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((edits) => {
    const lines = new Map(Array.from({ length: 300 }, (_, key) => [key, lineOf(key, 0)]))
    const textOf = () =>
      Buffer.from(
        [...lines]
          .toSorted(([a], [b]) => a - b)
          .map(([, line]) => line)
          .join(''),
      )
    const texts = [textOf()]
    for (const [version, some] of edits.entries()) {
      for (const [key, edit] of some)
        if (edit === 'put') lines.set(key, lineOf(key, version + 1))
        else lines.delete(key)
      texts.unshift(textOf())
    }
    return texts
  })

/** @param isWhole true: the last link has no base; else its base is given raw */
function stored(raws: readonly Buffer[], isWhole: boolean): EncodedObject {
  const chain = raws.slice(0, isWhole ? raws.length : -1).map((raw, index) => {
    const bytes = encodeObjectHere(raw, raws[index + 1])
    return { hash: hashBytes(raw), pack: 'pack', crc: crc32(bytes), bytes }
  })
  const hash = hashText('leaf')
  return { kind: 'body', hash, checksum: hashBytes(raws[0]!), chain, base: isWhole ? undefined : raws.at(-1) }
}

describe('chains', () => {
  it('decode to the same in parts as in whole, link by link', async () => {
    const ranges = fc.array(fc.tuple(fc.nat(40_000), fc.nat(40_000)), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(versions, fc.boolean(), ranges, async (raws, isWhole, some) => {
        const encoded = stored(raws, isWhole)
        const wholes = await decodeChain(encoded)
        const parts = decodeChainInParts(encoded)
        expect(parts.length).toBe(encoded.chain.length)
        for (const [link, part] of parts.entries()) {
          expect(Buffer.compare(wholes[link]!, raws[link]!)).toBe(0)
          expect(part.length).toBe(raws[link]!.length)
          for (const [from, to] of [[0, part.length] as const, ...some])
            expect(Buffer.compare(part.subarray(from, to), raws[link]!.subarray(from, to))).toBe(0)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('are damaged by a flipped bit anywhere in any link', async () => {
    await fc.assert(
      fc.asyncProperty(versions, fc.nat(), fc.nat(), fc.nat(7), async (raws, link, at, bit) => {
        const encoded = stored(raws, true)
        const place = encoded.chain[link % encoded.chain.length]!
        place.bytes = Uint8Array.from(place.bytes)
        place.bytes[at % place.bytes.length]! ^= 1 << bit
        expect(() => decodeChainInParts(encoded)).toThrow('pack')
        await expect(decodeChain(encoded)).rejects.toMatchObject({
          name: 'ObjectCorruptError',
          hash: encoded.hash,
        })
      }),
      { numRuns: 60 },
    )
  })
})
