/**
 * Differing records in answers, made of stored canonical forms, which are copied and not parsed. The members that it adds, such as
 * `previousHash`, are public: change them together with packages/wire/src/diffs.ts.
 */

import { type Hash, type Located, leafLines } from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { JsonText } from '../../answers/json-text.ts'
import { canonicalOf } from '../../stored-leaves/canonical-forms.ts'
import type { RecordDifference } from './changes.ts'

/** Size of a difference in a page. @param withRemoved true: removed records have their data there; default: none */
export const dataBytes = ({ before, after }: RecordDifference, withRemoved = false): number =>
  after === undefined && !withRemoved ? 0 : (after?.size ?? 0) + (before?.size ?? 0)

/** Renders an added or updated record; of a removed one its former canonical form, by default nothing. */
export async function jsonOf(
  difference: RecordDifference,
  forms: FormReader,
  withRemoved = false,
): Promise<JsonText | undefined> {
  const { key, type, before, after, lines } = difference
  if (after === undefined)
    return withRemoved ? new JsonText(await forms.read(before!, lines?.before)) : undefined
  const [form, previous] = await Promise.all([
    forms.read(after, lines?.after),
    before && forms.read(before, lines?.before),
  ])
  const open = [form.subarray(0, -1), `,"hash":"${after.hash}"`]
  if (previous === undefined) return new JsonText(...open, '}')
  // Both forms begin alike: `{"id":…,"type":…,"data":`.
  const dataStart = Buffer.byteLength(`{"id":${JSON.stringify(key)},"type":${JSON.stringify(type)},"data":`)
  const past = `,"previousHash":"${before!.hash}","previousData":`
  return new JsonText(...open, past, previous.subarray(dataStart, -1), '}')
}

/** Kinds of change, as answers and queries name them. */
export type RecordChange = 'added' | 'updated' | 'removed'

/** A difference with the text of its record, or with the name and hash of a removed record. */
export interface ReadDifference {
  readonly change: RecordChange
  readonly text: JsonText | undefined
  readonly removed: { id: string; type: string; hash: Hash } | undefined
}

/** A line of NDJSON: inserts `change` after the opening brace of either form. */
export function lineOf({ change, removed, text }: ReadDifference): Uint8Array[] {
  const [first, ...rest] = text?.pieces ?? [Buffer.from(JSON.stringify(removed))]
  return [Buffer.from(`{"change":"${change}",`), first!.subarray(1), ...rest, newline]
}

const newline = Buffer.from('\n')

/** Reads canonical forms, in about tree order: splits the lines of a leaf only once. */
export class FormReader {
  readonly #objects: ObjectReader
  readonly #leaves = new Map<Hash, Promise<Uint8Array[]>>()

  constructor(objects: ObjectReader) {
    this.#objects = objects
  }

  /** @param line the record's line, if it is known */
  async read({ leaf, index }: Located, line?: Uint8Array): Promise<Uint8Array> {
    if (line !== undefined) return canonicalOf(this.#objects, line)
    let lines = this.#leaves.get(leaf)
    if (lines === undefined) {
      lines = this.#objects.body(leaf).then(leafLines)
      this.#leaves.set(leaf, lines)
    }
    return canonicalOf(this.#objects, (await lines)[index]!)
  }

  /** Releases the leaves that later differences do not use. */
  forgetAllBut({ before, after }: RecordDifference): void {
    for (const leaf of this.#leaves.keys()) {
      if (leaf !== before?.leaf && leaf !== after?.leaf) this.#leaves.delete(leaf)
    }
  }
}
