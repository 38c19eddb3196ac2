/**
 * Edits of both views of a type. Those of the full view are projected onto the public one (content-model §6) without private records
 * and private fields. Readers of the public tree get no further filter, so a private byte that passes here is published.
 */

import {
  type Edit,
  type Hash,
  parseCanonical,
  publicData,
  recordOf,
  type Schema,
  type Tree,
} from '@ulmus/content'
import { LeafCursor } from '@ulmus/content/stored'
import type { ObjectReader } from '@ulmus/storage'
import { lineFor, type NewLine } from '../leaves/line.ts'
import type { PushEntry } from '../spills/entries.ts'
import type { ResultingRecord } from './carried-over.ts'
import type { IdValueCounter } from './values-in-ids.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Edits of a record tree. */
export type Edits = AsyncGenerator<Edit<NewLine>[]>

/** The views of a type need trees of their own. */
export class PrivateRecordError extends Error {
  override name = 'PrivateRecordError'
}

/** Edits of a type's full tree. */
export async function* fullEdits(entries: AsyncGenerator<PushEntry[]>): Edits {
  for await (const batch of entries) yield batch.map(fullEdit)
}

/** Edits of the tree that both views of a type share. @throws PrivateRecordError before the first private record */
export async function* sharedEdits(entries: AsyncGenerator<PushEntry[]>): Edits {
  for await (const batch of entries) {
    if (batch.some(({ put }) => put?.private)) throw new PrivateRecordError()
    yield batch.map(fullEdit)
  }
}

const fullEdit = ({ id, put }: PushEntry): Edit<NewLine> =>
  put === undefined
    ? { key: id }
    : { key: id, put: { hash: put.hash, size: put.canonical.length, payload: lineFor(put) } }

/** Edits of a type's public tree (its hidden tree, if the type is private): records pushed as private leave it. */
export async function* publicEdits(
  schema: Pick<Schema, 'privateFields'>,
  entries: AsyncGenerator<PushEntry[]>,
  counter: IdValueCounter | undefined,
): Edits {
  for await (const batch of entries) {
    yield batch.map(({ id, put }) =>
      put === undefined || put.private ? { key: id } : publicPut(schema, id, put, counter),
    )
  }
}

/**
 * The whole public tree of a type, as edits of an empty one: for a change of its private fields, which changes every record.
 * Carried-over records that the base's public tree lacks stay private.
 */
export async function* reprojected(
  objects: ObjectReader,
  { schema, basePublic }: { schema: Pick<Schema, 'privateFields'>; basePublic: Tree },
  records: AsyncGenerator<ResultingRecord[]>,
  counter: IdValueCounter | undefined,
): Edits {
  const shown = new LeafCursor(objects, basePublic)
  for await (const batch of records) {
    const edits: Edit<NewLine>[] = []
    for (const one of batch) {
      if ('entry' in one) {
        const { id, put } = one.entry
        if (put !== undefined && !put.private) edits.push(publicPut(schema, id, put, counter))
      } else if ((await shown.find(one.carried.id)) !== undefined)
        edits.push(publicPut(schema, one.carried.id, one.carried, counter))
    }
    yield edits
  }
}

function publicPut(
  schema: Pick<Schema, 'privateFields'>,
  id: string,
  record: { hash: Hash; canonical: Uint8Array; refers?: boolean },
  counter: IdValueCounter | undefined,
): Edit<NewLine> {
  if (schema.privateFields.length === 0) {
    return { key: id, put: { hash: record.hash, size: record.canonical.length, payload: lineFor(record) } }
  }
  const { type, data } = parseCanonical(decoder.decode(record.canonical))
  counter?.count(id, data)
  const stripped = recordOf(id, type, publicData(schema, data))
  const payload = lineFor({ hash: stripped.hash, canonical: encoder.encode(stripped.canonical) })
  return { key: id, put: { hash: stripped.hash, size: stripped.size, payload } }
}
