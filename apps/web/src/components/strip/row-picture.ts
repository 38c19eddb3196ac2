/**
 * A row of cells as a PNG with a pixel for each: 200 cells take some 300 bytes, as elements 12,000. Browsers enlarge it. PNG: ISO/IEC 15948.
 */
import { crc32, deflateSync } from 'node:zlib'

/** Steps of a share: blank, unchanged, then up to 1 %, 10 %, 50 % and 100 %. */
export const steps = [null, 0, 0.01, 0.1, 0.5, 1] as const

export const stepOf = (share: number | null): number =>
  share === null ? 0 : steps.findIndex((most) => most !== null && share <= most)

/** Opacity of the steps, in 255ths. From the third on they contrast with both grounds by 3.2 or more: strip.css has the same. */
const opacities = [0, 26, 140, 173, 209, 255]
/** A dark green. In the dark theme the style sheet inverts it. */
const green = [8, 64, 28]

/** @returns a `data:` address */
export function rowPicture(shares: readonly (number | null)[]): string {
  const size = Buffer.alloc(13)
  size.writeUInt32BE(shares.length, 0)
  size.writeUInt32BE(1, 4)
  // Four bits a pixel, indices of a palette.
  size.set([4, 3], 8)
  const pixels = Buffer.alloc(1 + Math.ceil(shares.length / 2))
  for (const [index, share] of shares.entries()) {
    const at = 1 + (index >> 1)
    pixels[at] = pixels[at]! | (stepOf(share) << (index % 2 === 0 ? 4 : 0))
  }
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', size),
    chunk('PLTE', Buffer.from(opacities.flatMap(() => green))),
    chunk('tRNS', Buffer.from(opacities)),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
  return `data:image/png;base64,${png.toString('base64')}`
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
