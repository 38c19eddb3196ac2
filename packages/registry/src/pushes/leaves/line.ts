/**
 * Lines of records in the leaves that a commit edits. A line is a record's canonical form; a large record is an object of its own,
 * and its line only names it. The format of leaf bodies is in docs/formats.md.
 */

import {
  type Edit,
  fileReferences,
  type Hash,
  isReferenceLine,
  parseCanonical,
  recordInlineBytesMax,
  referenceLineTo,
} from '@ulmus/content'
import type { ObjectReader, ObjectWriter } from '@ulmus/storage'
import { canonicalOf } from '../../stored-leaves/canonical-forms.ts'
import type { PushedRecord } from '../spills/entries.ts'
import type { FrameBuffer } from '../spills/frame-buffer.ts'

/** A record's line. */
export interface LeafLine {
  readonly bytes: Uint8Array
  /** Buffer of a run that contains `bytes`, to release once they are copied. */
  readonly buffer?: FrameBuffer
  /** False: the record is known to refer to no file. */
  readonly refers?: boolean
  /** Files referenced by a record of this push. Its object was just written and is not readable yet. */
  readonly files?: readonly Hash[]
}

/** A new line for a record of this push. `large`: its canonical form, if it becomes an object of its own. */
export interface NewLine extends LeafLine {
  readonly large?: Uint8Array
}

/** The line of a pushed record; takes over its `buffer`, unless the record is large. */
export const lineFor = ({
  hash,
  canonical,
  refers,
  buffer,
}: Pick<PushedRecord, 'hash' | 'canonical' | 'buffer'> & { refers?: boolean }): NewLine => {
  const known = refers === undefined ? {} : { refers }
  return canonical.length > recordInlineBytesMax
    ? { bytes: referenceLineTo(hash), large: canonical, ...known }
    : { bytes: canonical, ...known, ...(buffer && { buffer }) }
}

/** Stores large records as they arrive, so that none waits for its leaf in memory. */
export async function* storedApart(
  edits: AsyncGenerator<Edit<NewLine>[]>,
  writer: ObjectWriter,
): AsyncGenerator<Edit<LeafLine>[]> {
  for await (const batch of edits) {
    for (const { put } of batch) {
      if (put?.payload.large === undefined) continue
      const { bytes, large, refers } = put.payload
      await writer.add('plain', put.hash, large)
      put.payload = { bytes, files: refers === false ? [] : filesIn(large) }
    }
    yield batch
  }
}

const fileMark = Buffer.from('"$file"')
const decoder = new TextDecoder()

/** JCS escapes nothing in `"$file"`: a form without these bytes refers to no file. */
const holdsMark = (canonical: Uint8Array): boolean =>
  Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength).includes(fileMark)

/** Files that a canonical form refers to. */
export const filesIn = (canonical: Uint8Array): Hash[] =>
  holdsMark(canonical) ? fileReferences(parseCanonical(decoder.decode(canonical)).data) : []

/** Files that the record of a line refers to. */
export const filesOf = async (objects: ObjectReader, line: LeafLine): Promise<readonly Hash[]> =>
  line.files ?? filesIn(await canonicalOf(objects, line.bytes))

/** False: the record surely refers to no file. True: only reading it tells. */
export function mayRefer(line: LeafLine | undefined): line is LeafLine {
  if (line === undefined) return false
  if (line.files !== undefined) return line.files.length > 0
  return line.refers ?? (isReferenceLine(line.bytes) || holdsMark(line.bytes))
}
