/** Compares the types of the collection with a file, and describes their similarity. */
import { parseSemver } from '@ulmus/content'
import type { Inference, TypeMatch } from '@ulmus/tabular'
import type { LikeType } from '../shapes.ts'
import { countText } from '../words.ts'
import type { Schemas } from './latest.ts'

export interface Likeness extends LikeType {
  /** True if the type is similar enough to be proposed. */
  readonly isLikely: boolean
}

/** All types, most similar first. @param matches for types that share anything with the file */
export function likenesses(
  matches: readonly TypeMatch[],
  inference: Inference,
  types: readonly string[],
): Likeness[] {
  const matched = new Set(matches.map(({ type }) => type))
  const others = types.filter((type) => !matched.has(type))
  return [
    ...matches.map((match) => ({
      type: match.type,
      isLikely: match.isLikely,
      likeness: likenessText(match, inference),
    })),
    ...others.map((type) => ({ type, isLikely: false, likeness: `No column is a field of ${type}.` })),
  ]
}

export function likenessText(
  { type, columns, sharedIds, isLikely }: TypeMatch,
  { columns: all, rows }: Inference,
): string {
  // The ids of a downloaded table are no field.
  const ids = all.some(({ name }) => name === '_id') && !columns.includes('_id') ? 1 : 0
  const begin = isLikely ? `These look like more ${type}` : `These are unlike ${type}`
  return `${begin}: ${columnsText(columns.length, all.length - ids)}${idsText(sharedIds, rows)}.`
}

function columnsText(shared: number, all: number): string {
  if (shared === all) return `all ${all} columns`
  return `${shared} of ${all} columns`
}

const idsText = (shared: number | undefined, rows: number): string =>
  shared === undefined ? ' match' : ` and ${countText(shared)} of ${countText(rows)} ids match`

/** A free type name, such as `Grants2`. */
export function freeName(name: string, schemas: Schemas): string {
  let free = name
  for (let number = 2; Object.hasOwn(schemas, free); number++) free = `${name}${number}`
  return free
}

/** True if the version has another major number than the latest one. */
export const isMajor = (head: string | null, next: string): boolean =>
  head !== null && parseSemver(head)?.major !== parseSemver(next)?.major
