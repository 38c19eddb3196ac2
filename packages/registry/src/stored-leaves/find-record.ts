/** Finds one record in a leaf's stored form: a task for a reading thread. */
import type { Hash } from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { decodeEncoded } from '@ulmus/storage/decoding'
import { type Damaged, orDamaged } from '../threads/damage.ts'
import { free } from '../threads/free.ts'
import { linesIn } from './checked-lines.ts'
import { LeafRows } from './leaf-rows.ts'

export interface FindTask {
  node: EncodedObject
  body: EncodedObject
  /** The leaf's last key, from its parent. */
  lastKey: string
  id: string
}

/** A record's entry, and the line that its leaf's body has for it. */
export interface FoundRecord {
  hash: Hash
  /** Of the canonical form. Bytes. */
  size: number
  line: Uint8Array
}

export type FindOutcome = ({ kind: 'found' } & FoundRecord) | { kind: 'absent' } | Damaged

export const findRecord = (task: FindTask): Promise<FindOutcome> => orDamaged(found(task))

async function found({ node, body, lastKey, id }: FindTask): Promise<FindOutcome> {
  const text = await decodeEncoded(node, { mayHoldUp: true })
  const rows = new LeafRows({ hash: node.hash, lastKey }, text)
  const entry = rows.find(id)
  if (entry === undefined) return { kind: 'absent' }
  const raw = await decodeEncoded(body, { mayHoldUp: true, isCheckedInParts: true })
  const line = linesIn(body, raw, rows)(entry)!
  for (const bytes of [text, raw, ...[...node.chain, ...body.chain].map((link) => link.bytes)]) free(bytes)
  return { kind: 'found', hash: entry.hash, size: entry.size, line }
}
