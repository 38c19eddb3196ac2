/** A record as it stands in the body of its leaf. */
import type { ObjectReader } from '@ulmus/storage'
import { canonicalOf, isReference, recordInlineBytesMax, referenceTo } from '../bodies.ts'
import type { PushedRecord } from './entry.ts'

/** A record's line in a body; a large record of this push brings its canonical form along, since no object holds it yet. */
export interface Line {
  readonly bytes: Uint8Array
  readonly large?: Uint8Array
  /** False: the record is known to refer to no file. */
  readonly refers?: boolean
}

export const lineFor = ({
  hash,
  canonical,
  refers,
}: Pick<PushedRecord, 'hash' | 'canonical'> & { refers?: boolean }): Line =>
  canonical.length > recordInlineBytesMax
    ? { bytes: referenceTo(hash), large: canonical, ...(refers !== undefined && { refers }) }
    : { bytes: canonical, ...(refers !== undefined && { refers }) }

export const canonicalOfLine = async (objects: ObjectReader, line: Line): Promise<Uint8Array> =>
  line.large ?? canonicalOf(objects, line.bytes)

const fileMark = Buffer.from('"$file"')

/** JCS escapes nothing in `"$file"`: a form without these bytes refers to no file. */
export const holdsMark = (canonical: Uint8Array): boolean =>
  Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength).includes(fileMark)

export const mayRefer = (line: Line | undefined): line is Line =>
  line !== undefined && (line.refers ?? (isReference(line.bytes) || holdsMark(line.bytes)))
