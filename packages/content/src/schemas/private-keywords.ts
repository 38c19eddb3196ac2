/**
 * Checks the positions of `private` in a schema: only at the root and in the root's `properties` does it hide anything (content-model §4).
 */

import { meansPrivate } from '../records/private-likeness.ts'
import { type Place, pointerTo, type SchemaPlaces } from './places.ts'
import { SchemaError } from './schema-error.ts'

/**
 * Refuses the keyword wherever it hides nothing, and below keywords that JSON Schema does not define: the author would believe that
 * the data is hidden.
 * @throws SchemaError
 */
export function checkPrivateKeywords({ places }: SchemaPlaces): void {
  for (const place of places) {
    for (const keyword of Object.keys(place.schema)) {
      if (meansPrivate(keyword)) checkKeyword(place, keyword)
    }
  }
}

function checkKeyword(place: Place, keyword: string): void {
  const refuse = (reason: string): never => {
    throw new SchemaError(reason, pointerTo(place.at, keyword))
  }
  if (keyword !== 'private') {
    refuse(
      `${JSON.stringify(keyword)} hides nothing: write "private", or rename it to something less like "private".`,
    )
  }
  if (!isRootOrField(place)) {
    refuse(
      '"private" hides nothing here. It marks a whole type, at the root of its schema, or a field, in a member of the root\'s "properties": mark the field of the root that holds this, or remove it.',
    )
  }
  if (typeof place.schema['private'] !== 'boolean') refuse('"private" must be true or false.')
}

function isRootOrField({ at }: Place): boolean {
  if (at.parent === undefined) return true
  const { parent: holder } = at
  return holder.key === 'properties' && holder.parent !== undefined && holder.parent.parent === undefined
}
