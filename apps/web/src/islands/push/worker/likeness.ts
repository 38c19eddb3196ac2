/** Compares the types of the collection with a file, and describes their similarity. */
import { parseSemver } from '@ulmus/content'
import { hasMemory, type Inference, matchTypes, type Table, type TypeMatch } from '@ulmus/tabular'
import type { Report } from '../calls.ts'
import type { LikeType } from '../shapes.ts'
import { countText } from '../words.ts'
import type { LatestVersion, Schemas } from './latest.ts'

/** Maximum number of types whose records are read to find the type of the file. */
const matchedTypesMax = 3

/** All types, most similar first. Compares them by their columns, and the most similar ones by ids, too. */
export async function typesLike(
  table: Table,
  inference: Inference,
  latest: LatestVersion,
  report: Report,
): Promise<LikeType[]> {
  const all = Object.entries(latest.schemas).map(([type, schema]) => ({ type, schema }))
  const first = (await matchTypes(table, inference, all)).slice(0, matchedTypesMax)
  const read = await Promise.all(first.map(({ type }) => latest.known(type, report)))
  return likenesses(await matchTypes(table, inference, read), inference, latest.schemas)
}

/** @param matches for types that share anything with the file */
function likenesses(matches: readonly TypeMatch[], inference: Inference, schemas: Schemas): LikeType[] {
  const byType = new Map(matches.map((match) => [match.type, match]))
  const types = new Set([...byType.keys(), ...Object.keys(schemas)])
  return Array.from(types, (type) => {
    const match = byType.get(type)
    return {
      type,
      isLikely: match?.isLikely === true,
      isRemembered: hasMemory(schemas[type]),
      likeness: match === undefined ? `No column is a field of ${type}.` : likenessText(match, inference),
    }
  })
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
