/** Projects the edits of a push onto the public trees of its types, and guards what this would publish. */
import type { Tree } from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import type { PushSchema } from '../schemas/push-schema.ts'
import type { PushEntry } from '../spills/entries.ts'
import { resultingRecords } from './carried-over.ts'
import { LostMarks } from './lost-marks.ts'
import { ValuesInIds } from './values-in-ids.ts'
import { type Edits, publicEdits, reprojected } from './views.ts'

export interface ProjectedType {
  readonly schema: PushSchema
  /** The base's trees of the type: all records, and those without a private mark. */
  readonly full: Tree
  readonly unmarked: Tree
  /** True: edits of an empty tree, from all records. */
  readonly isAnew: boolean
}

export class Projection {
  readonly #objects: ObjectReader
  readonly #lostMarks: LostMarks
  readonly #valuesInIds: ValuesInIds

  /** @param confirmed `confirm_public` of the push */
  constructor(objects: ObjectReader, confirmed: ReadonlySet<string>) {
    this.#objects = objects
    this.#lostMarks = new LostMarks(objects, confirmed)
    this.#valuesInIds = new ValuesInIds(confirmed)
  }

  edits({ schema, full, unmarked, isAnew }: ProjectedType, entries: AsyncGenerator<PushEntry[]>): Edits {
    const watched = this.#lostMarks.watched(schema.type, { full, unmarked }, entries)
    const counter = this.#valuesInIds.counterFor(schema, isAnew || unmarked.count === 0)
    if (!isAnew) return publicEdits(schema, watched, counter)
    const records = resultingRecords(this.#objects, full, watched)
    return reprojected(this.#objects, { schema, basePublic: unmarked }, records, counter)
  }

  /** Call it when the edits of all types are read. @throws private_record_made_public, private_value_in_id */
  demandConfirmed(): void {
    this.#lostMarks.demandConfirmed()
    this.#valuesInIds.demandConfirmed()
  }
}

/** True if a type has other private fields than in the base: then every public record changes. */
export function fieldsChanged(before: PushSchema | undefined, after: PushSchema): boolean {
  if (before === undefined) return false
  const fields = new Set(after.privateFields)
  return before.privateFields.length !== fields.size || before.privateFields.some((name) => !fields.has(name))
}

/** True if a private type becomes public with private fields: their values may be in its ids, which become public, too. */
export const showsIds = (before: PushSchema | undefined, after: PushSchema): boolean =>
  before?.publicHash === null && after.publicHash !== null && after.privateFields.length > 0
