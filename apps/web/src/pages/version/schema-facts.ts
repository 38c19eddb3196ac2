/** Facts about the fields of types that their schemas lack: how many records have them, an example, their first version. */
import { findColumns, type JsonObject, type PlainSchema, parseSemver, tableColumns } from '@ulmus/content'
import { giveWay, profiledMax, RegistryError } from '@ulmus/registry'
import type { ColumnStatistics } from '@ulmus/wire'
import type { VersionResponse, VisitedCollection } from '../../data/collection.ts'
import { knownProfiles, type Profiles, readProfiles } from '../../data/profiles.ts'
import { isObject, type PageRecord, readRecords } from '../../data/records.ts'
import { own, type Visit } from '../../page.ts'

/** A page asks for statistics that are not known until this time has passed. Milliseconds. */
const patience = 700

export interface FieldFacts {
  /** Records with a value, and all. Undefined: not known. */
  readonly filled: readonly [records: number, all: number] | undefined
  /** True: more records may have the object, for each of its members may be missing in some. */
  readonly isLeast?: boolean
  /** Undefined: not known, or there is no value. */
  readonly example: unknown
  /** Semver. Undefined: not known. */
  readonly since: string | undefined
}

export interface TypeSchema {
  readonly type: string
  readonly schema: PlainSchema
}

/** `computing`: the page loads itself again. `on_request`: it has a link that computes them. */
export type FactsState = 'known' | 'computing' | 'on_request'

export interface Facts {
  readonly state: FactsState
  of(type: string, field: string): FieldFacts
}

/** Facts about the fields of some types, in the view of the page. */
export async function readFacts(
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  types: readonly TypeSchema[],
): Promise<Facts> {
  const since = await visit.registry.strips.since(seen.who, seen, parseSemver(version.semver)!)
  const { profiles, state } = await profilesOf(visit, seen, smallFirst(types, version))
  const samples = new Map<string, readonly PageRecord[]>()
  for (const { type } of types) samples.set(type, await firstRecords(visit, seen, type))
  const schemas = new Map(types.map(({ type, schema }) => [type, schema]))
  const members = new Map<string, Members>()
  for (const { type, schema } of types) {
    await giveWay()
    members.set(type, membersOf(schema))
  }
  return {
    state,
    of(type, field) {
      const sample = sampleOf(samples.get(type)!, field)
      if (isAmbiguous(schemas.get(type)!, field)) return { ...nothingKnown, example: sample }
      const ofType = members.get(type)!
      if (ofType.has(field)) {
        const ofObject = objectFacts(
          field,
          ofType.get(field),
          profiles.get(type),
          since.get(type) ?? new Map(),
        )
        return { ...ofObject, example: sample }
      }
      const found = profiles.get(type)?.get(field)
      return {
        filled: found && [found.count - emptyTexts(found), found.count + found.nulls],
        example:
          frequent(found) ?? sample ?? found?.top?.find(({ value }) => value !== '')?.value ?? found?.min,
        since: since.get(type)?.get(field),
      }
    },
  }
}

/** Records of a type that give examples. */
const samplesMax = 5
/** Share of the records that a frequent value has at least. The most frequent of rare values may be -1, for "not known". */
const frequentShare = 0.1

/** The first records of a type. None: they cannot be read. */
async function firstRecords(
  visit: Visit,
  seen: VisitedCollection,
  type: string,
): Promise<readonly PageRecord[]> {
  try {
    return (await readRecords(visit, seen, { type, limit: samplesMax, schema: undefined })).records
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error
    return []
  }
}

/** The first value of a field that says anything. */
function sampleOf(records: readonly PageRecord[], field: string): unknown {
  const values = records.map(({ data }) => (isObject(data) ? own(data, field) : undefined))
  return values.find((value) => !isEmpty(value))
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

function frequent(found: ColumnStatistics | undefined): unknown {
  const [one] = found?.top?.filter(({ value }) => value !== '') ?? []
  return one !== undefined && one.count >= frequentShare * found!.count ? one.value : undefined
}

/** Empty texts are no values. */
const emptyTexts = ({ top = [] }: ColumnStatistics): number =>
  top.find(({ value }) => value === '')?.count ?? 0

const nothingKnown: FieldFacts = { filled: undefined, example: undefined, since: undefined }

/** Columns of objects with fields of their own, by the field; undefined if another column has the name of one. */
type Members = ReadonlyMap<string, readonly string[] | undefined>

function membersOf(schema: PlainSchema): Members {
  const columns = findColumns(tableColumns(schema as JsonObject)).map(({ names }) => names)
  const byName = Map.groupBy(columns, (names) => names.join('.'))
  const members = new Map<string, readonly string[] | undefined>()
  for (const names of columns.filter(({ length }) => length > 1)) {
    const [field, name] = [names[0]!, names.join('.')]
    const isAlone = byName.get(name)!.length === 1
    const known = members.has(field) ? members.get(field) : []
    members.set(field, known && isAlone ? [...known, name] : undefined)
  }
  return members
}

function objectFacts(
  field: string,
  columns: readonly string[] | undefined,
  profiles: Profiles | undefined,
  since: ReadonlyMap<string, string>,
): FieldFacts {
  if (columns === undefined) return nothingKnown
  const found = columns.map((column) => profiles?.get(column)).filter((one) => one !== undefined)
  const [first] = found
  const all = first === undefined ? 0 : first.count + first.nulls
  const least = Math.max(0, ...found.map(({ count }) => count))
  return {
    filled: least === 0 ? undefined : [least, all],
    isLeast: least < all,
    example: undefined,
    // A column whose version is not known may be older than the others.
    since: columns.every((column) => since.has(column)) ? since.get(field) : undefined,
  }
}

/** A large table may take all the time. */
const smallFirst = (types: readonly TypeSchema[], { typeCounts }: VersionResponse): TypeSchema[] =>
  types.toSorted((a, b) => (typeCounts[a.type] ?? 0) - (typeCounts[b.type] ?? 0))

/** Visitors who are signed in, or follow the link, have large tables built, one after another. */
async function profilesOf(visit: Visit, seen: VisitedCollection, types: readonly TypeSchema[]) {
  const profiles = new Map<string, Profiles>()
  const isFollowed = visit.url.searchParams.has('profiles')
  const isRequested = isFollowed || visit.caller !== undefined
  const until = performance.now() + patience
  let [state, isAsking] = ['known' as FactsState, true]
  for (const { type, schema } of types) {
    await giveWay()
    const known = await knownProfiles(visit, seen, type)
    if (known !== undefined) profiles.set(type, known)
    if (known !== undefined || !isAsking || !hasProfiles(visit, schema)) continue
    const found = performance.now() < until ? await readProfiles(visit, seen, { type, isRequested }) : 'later'
    if (typeof found !== 'string') profiles.set(type, found)
    else if (found !== 'none') state = isFollowed ? 'computing' : 'on_request'
    isAsking = found !== 'later'
  }
  return { profiles, state }
}

function hasProfiles({ registry }: Visit, schema: PlainSchema): boolean {
  const columns = registry.tables.isAvailable ? findColumns(tableColumns(schema as JsonObject)).length : 0
  return columns > 0 && columns <= profiledMax
}

/** True for `a.b` beside an object `a`, whose member `b` has the same name in statistics. */
function isAmbiguous({ properties }: PlainSchema, field: string): boolean {
  for (let at = field.indexOf('.'); at >= 0; at = field.indexOf('.', at + 1))
    if (Object.hasOwn(properties as object, field.slice(0, at))) return true
  return false
}
