/**
 * Tar archives as streams: POSIX.1-2017 pax interchange format, regular files only, all readable by anyone and owned by nobody.
 * Written here because the sizes are known beforehand and nothing else is needed: a header is 512 bytes.
 */
import { utf8Length } from '@ulmus/content'

export interface TarEntry {
  /** Relative, `/` between folders. */
  name: string
  /** Bytes that `content` gives, exactly. */
  size: number
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

const blockBytes = 512
/** What the header's field holds; longer names, and those that are not ASCII, go into a pax header. Bytes. */
const nameBytesMax = 100
/** Eleven octal digits; larger sizes go into a pax header. Bytes. */
const sizeMax = 0o77777777777

/**
 * The archive of some entries: the same bytes for the same entries.
 * @param modifiedAt Of every entry; whole seconds are kept.
 * @throws RangeError from the iterator when an entry does not have its size.
 */
export async function* tarOf(entries: AsyncIterable<TarEntry>, modifiedAt: Date): AsyncGenerator<Uint8Array> {
  const mtime = Math.floor(modifiedAt.getTime() / 1_000)
  for await (const { name, size, content } of entries) {
    const extended = paxRecords(name, size)
    if (extended.length > 0) {
      yield header({ name: 'pax', size: extended.length, mtime, kind: 'x' })
      yield padded(extended)
    }
    yield header({ name: shortName(name), size: size > sizeMax ? 0 : size, mtime, kind: '0' })
    let left = size
    for await (const chunk of content) {
      left -= chunk.length
      if (left < 0) break
      yield chunk
    }
    if (left !== 0) throw new RangeError(`${name} is not of the ${size} bytes that its header says.`)
    if (size % blockBytes > 0) yield new Uint8Array(blockBytes - (size % blockBytes))
  }
  yield new Uint8Array(2 * blockBytes)
}

const isPlain = (name: string): boolean => name.length <= nameBytesMax && /^[\x20-\x7e]*$/.test(name)

/** What a reader that knows no pax headers sees. */
const shortName = (name: string): string =>
  isPlain(name) ? name : name.replace(/[^\x20-\x7e]/gu, '_').slice(0, nameBytesMax)

function paxRecords(name: string, size: number): Buffer {
  const path = isPlain(name) ? '' : paxRecord('path', name)
  return Buffer.from(path + (size > sizeMax ? paxRecord('size', String(size)) : ''))
}

/** `<length> <key>=<value>\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = utf8Length(rest)
  let length = bytes + String(bytes).length
  if (bytes + String(length).length > length) length++
  return `${length}${rest}`
}

function padded(bytes: Buffer): Buffer {
  const whole = Buffer.alloc(Math.ceil(bytes.length / blockBytes) * blockBytes)
  bytes.copy(whole)
  return whole
}

interface Header {
  name: string
  size: number
  /** Seconds since 1970. */
  mtime: number
  /** Of the entry: a regular file, or pax records for the next one. */
  kind: '0' | 'x'
}

function header({ name, size, mtime, kind }: Header): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1')
  block.write(name, 0, 'latin1')
  octal(0o644, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(size, 124, 11)
  octal(mtime, 136, 11)
  block.write(kind, 156, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  octal(0, 329, 7)
  octal(0, 337, 7)
  // The checksum is of the header with spaces where it stands.
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}
