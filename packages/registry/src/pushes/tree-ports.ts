/** Where the edits of a commit read old nodes from and write new ones to. */
import type { EditPort, Entry, Hash } from '@ulmus/content'
import type { ObjectReader, ObjectWriter } from '@ulmus/storage'
import { bodyOf, canonicalOf, linesOf, recordInlineBytesMax, referenceTo } from '../bodies.ts'
import type { PushedRecord } from './entry.ts'

/** A record's line in a body; a large record of this push brings its canonical form along, since no object holds it yet. */
export interface Line {
  readonly bytes: Uint8Array
  readonly large?: Uint8Array
  /** False: the record is known to refer to no file. */
  readonly refers?: boolean
}

export const lineFor = ({ hash, canonical, refers }: LinePart): Line =>
  canonical.length > recordInlineBytesMax
    ? { bytes: referenceTo(hash), large: canonical, refers }
    : { bytes: canonical, refers }

type LinePart = Pick<PushedRecord, 'hash' | 'canonical'> & { refers?: boolean }

export const canonicalOfLine = async (objects: ObjectReader, line: Line): Promise<Uint8Array> =>
  line.large ?? canonicalOf(objects, line.bytes)

export type RecordChange = { key: string; before?: Entry<Line> | undefined; after?: Entry<Line> | undefined }

/** Record trees: nodes and bodies, and large records beside them. */
export function recordPort(
  objects: ObjectReader,
  writer: ObjectWriter,
  change: (change: RecordChange) => void | Promise<void>,
): EditPort<Line> {
  return {
    node: (hash) => objects.node(hash),
    payloads: async (leaf: Hash) => linesOf(await objects.body(leaf)).map((bytes) => ({ bytes })),
    leaf: async (made) => {
      for (let index = 0; index < made.payloads.length; index++) {
        const { large } = made.payloads[index]!
        if (large !== undefined) await writer.add('plain', made.leaf.hashes[index]!, large)
      }
      const { replaces } = made
      await writer.add('plain', made.hash, made.text, { replaces })
      await writer.add('body', made.hash, bodyOf(made.payloads.map((line) => line.bytes)), { replaces })
    },
    interior: (made) => writer.add('plain', made.hash, made.text, { replaces: made.replaces }),
    change,
  }
}

/** Set trees (files, references): keys with a size, nothing beside them. */
export function setPort(objects: ObjectReader, writer: ObjectWriter): EditPort<null> {
  return {
    node: (hash) => objects.node(hash),
    payloads: async (_hash, leaf) => leaf.keys.map(() => null),
    leaf: (made) => writer.add('plain', made.hash, made.text, { replaces: made.replaces }),
    interior: (made) => writer.add('plain', made.hash, made.text, { replaces: made.replaces }),
  }
}
