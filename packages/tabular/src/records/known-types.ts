/** Compares a file with the existing types of a collection: which type it matches, and a plan based on that type's schema. */
import { idOf } from '../inference/column.ts'
import type { HashSet } from '../inference/hash-set.ts'
import { type IdProposal, joinIds, proposeId, registryId } from '../inference/ids.ts'
import type { Inference } from '../inference/infer.ts'
import { joinedIds } from '../inference/key-pairs.ts'
import type { Table } from '../reading/table.ts'
import { shown, TableError } from '../reading/table-error.ts'
import { assumedConversion } from './assumed-conversion.ts'
import { type FieldState, isPrivateType, statesFor } from './field-states.ts'
import { goneFields } from './gone-fields.ts'
import { checkNames, type Plan, type PlannedColumn, type PlanWishes, planOf, typeNameOf } from './plan.ts'
import { keptOptions } from './remembered.ts'

/** An existing type of the collection. The more the caller provides, the better the proposal. */
export interface KnownType {
  readonly type: string
  readonly schema: unknown
  /** Ids of all its records: `new HashSet()`, then `add(id)` for each. */
  readonly ids?: HashSet | undefined
  /** Some of its records; a hundred are plenty. They show which fields make the id, and which fields are in use. */
  readonly samples?: readonly { readonly id: string; readonly data: unknown }[] | undefined
}

/** Evidence that the file belongs to a type. */
export interface TypeMatch {
  readonly type: string
  /** Columns of the file that are fields of the type. */
  readonly columns: readonly string[]
  /** Number of the file's ids that the type has; undefined if the caller knows no ids, or no column can be the id. */
  readonly sharedIds: number | undefined
  /** True if the match is likely enough to propose it. */
  readonly isLikely: boolean
  /** For people: `3 of 4 columns are fields of Ward, and 119 of 120 ids are in it.` */
  readonly reason: string
}

const isBareId = /^_?id$/i

/**
 * Types of the collection that the file may belong to, likeliest first. Reads the table once more for each set of several columns that
 * makes the ids of a type. @param known types of the collection
 */
export async function matchTypes(
  table: Table,
  inference: Inference,
  known: readonly KnownType[],
): Promise<TypeMatch[]> {
  const weighed: ReturnType<typeof matchOf>[] = []
  const joined: JoinedIds = new Map()
  for (const type of known)
    weighed.push(matchOf(inference, type, await sharedWith(table, inference, type, joined)))
  weighed.sort((a, b) => b.weight - a.weight)
  return weighed.filter(({ weight }) => weight > 0).map(({ match }) => match)
}

function matchOf(
  inference: Inference,
  known: KnownType,
  sharedIds: number | undefined,
): { match: TypeMatch; weight: number } {
  const all = inference.columns.map(({ name }) => name)
  const names = all.filter((name) => !isBareId.test(name))
  const states = statesFor(known.schema, all)
  const fields = [...states.keys()].filter((field) => !isBareId.test(field))
  const columns = names.filter((name) => states.has(name))
  const likeness = columns.length / (new Set([...names, ...fields]).size || 1)
  const ofIds = sharedIds === undefined ? 0 : sharedIds / inference.rows
  const isNamed = stemOf(typeNameOf(inference.name)) === stemOf(known.type)
  // Weak evidence: names such as `name` and `code` are in every table, and ids are often numbers from 1 on.
  const byColumns = likeness >= 0.5 && (columns.length >= 3 || sharedIds === undefined)
  const byIds = ofIds >= 0.5 && !(known.samples ?? []).every(({ id }) => /^\d+$/.test(id))
  const match: TypeMatch = {
    type: known.type,
    columns,
    sharedIds,
    isLikely: columns.length > 0 && (byColumns || byIds || isNamed),
    reason: reasonOf(known.type, columns.length, names.length, sharedIds, inference.rows),
  }
  return { match, weight: likeness + ofIds + (isNamed ? 0.5 : 0) }
}

/** `Grants2` and `Grants` count as the same type. */
const stemOf = (type: string): string => type.replace(/\d+$/, '')

function reasonOf(type: string, shared: number, all: number, ids: number | undefined, rows: number): string {
  const number = (value: number) => value.toLocaleString('en-US')
  const some = shared === 0 ? 'No column is a field' : `${shared} of ${all} columns are fields`
  const ofIds = ids === undefined ? '' : `, and ${number(ids)} of ${number(rows)} ids are in it`
  return `${some} of ${type}${ofIds}.`
}

/** Joined ids by the names of their columns, cached because types often share them. */
type JoinedIds = Map<string, Awaited<ReturnType<typeof joinedIds>>>

/**
 * Number of ids that the file and the type share: with the type's id columns, if there are several; otherwise with the column that shares
 * most.
 */
async function sharedWith(
  table: Table,
  inference: Inference,
  known: KnownType,
  joined: JoinedIds,
): Promise<number | undefined> {
  const { ids } = known
  if (ids === undefined || ids.size === 0) return undefined
  const isDownloaded = hasRegistryId(inference, known)
  if (!isDownloaded && isNumbered(known)) return undefined
  const made = isDownloaded ? [] : (idColumnsOf(inference, known) ?? inference.key ?? [])
  if (made.length > 1) {
    const columns = JSON.stringify(made)
    const found = joined.get(columns) ?? (await joinedIds(table, inference, made))
    joined.set(columns, found)
    return found.ids.sharedWith(ids)
  }
  const counts = inference.columns.flatMap((column) =>
    column.ids === undefined ? [] : [column.ids.sharedWith(ids)],
  )
  return counts.length === 0 ? undefined : Math.max(...counts)
}

/** Like `IdProposal`; `known`: the columns make the ids of existing records. No columns: their rows were numbered. */
export interface KnownIdProposal {
  readonly columns: readonly string[]
  readonly why: IdProposal['why'] | 'known'
  readonly repeats?: IdProposal['repeats']
}

/**
 * Undefined if no column can be the id. Columns that make the ids of existing records are proposed even if they are private: with others,
 * all records would be new.
 * @param rename fields by column, as in the wishes @param hidden private columns
 */
export function proposeIdFor(
  inference: Inference,
  known: KnownType,
  rename: Readonly<Record<string, string>> = {},
  hidden: readonly string[] = [],
): KnownIdProposal | undefined {
  if (hasRegistryId(inference, known)) return { columns: [registryId], why: 'known' }
  const made = idColumnsOf(inference, known, rename)
  if (made !== undefined) return { columns: made, why: 'known' }
  if (known.ids !== undefined) {
    const counts = inference.columns.map(({ name, ids }) => ({
      name,
      count: ids?.sharedWith(known.ids!) ?? 0,
    }))
    const most = counts.reduce((a, b) => (b.count > a.count ? b : a), { name: '', count: 0 })
    if (most.count * 2 > inference.rows) return { columns: [most.name], why: 'known' }
  }
  return isNumbered(known) ? { columns: [], why: 'known' } : proposeId(inference, hidden)
}

/** True if the ids are the numbers of rows: with any column as the id, all records would be new. */
export const isNumbered = ({ ids, samples = [] }: KnownType): boolean =>
  ids?.has('1') === true && ids.has(String(ids.size)) && idFieldsOf(samples) === undefined

/** True for a downloaded table, even if edited rows repeat or lack an id: those are then refused by line. */
function hasRegistryId({ columns }: Inference, { schema }: KnownType): boolean {
  const names = columns.map(({ name }) => name)
  return names.includes(registryId) && !statesFor(schema, names).has(registryId)
}

/** Columns of the file that make the ids of the type. Undefined if its samples are inconclusive, or the file lacks one of the columns. */
function idColumnsOf(
  { columns }: Inference,
  { samples = [] }: KnownType,
  rename: Readonly<Record<string, string>> = {},
): string[] | undefined {
  const names = columns.map(({ name }) => name)
  const columnOf = (field: string) =>
    names.find((name) => (Object.hasOwn(rename, name) ? rename[name] === field : name === field))
  const made = idFieldsOf(samples)?.map(columnOf)
  return made?.every((name) => name !== undefined) ? made : undefined
}

/** Fields whose values make the ids of all `samples`. */
function idFieldsOf(samples: NonNullable<KnownType['samples']>): string[] | undefined {
  const [first] = samples
  if (first === undefined) return undefined
  const memberOf = (data: unknown, field: string) =>
    typeof data === 'object' && data !== null && Object.hasOwn(data, field)
      ? idOf((data as Record<string, unknown>)[field])
      : undefined
  const fields = typeof first.data === 'object' && first.data !== null ? Object.keys(first.data) : []
  const single = fields.find((field) => samples.every(({ id, data }) => memberOf(data, field) === id))
  if (single !== undefined) return [single]
  const count = first.id.split('~').length
  if (count < 2) return undefined
  const partOf = (id: string, place: number) => id.split('~')[place]
  const several = Array.from({ length: count }, (_, place) =>
    fields.find((field) =>
      samples.every(({ id, data }) => {
        const value = memberOf(data, field)
        // Join with an empty value, so that the part is escaped as in a joined id.
        return value !== undefined && joinIds([value, '']).slice(0, -1) === partOf(id, place)
      }),
    ),
  )
  return several.every((field) => field !== undefined) ? several : undefined
}

/**
 * The plan for a file of an existing type: kinds, required, private, closed lists and references from its schema; new columns as
 * inferred. Wishes change it; `changeSchema` applies it to the schema, `checkTable` reports rows that do not fit.
 * @throws TableError as `planOf`
 */
export function planFor(inference: Inference, known: KnownType, wishes: PlanWishes): Plan {
  const { rename = {}, kinds = {}, optional = [], required = [], allow = {} } = wishes
  const states = statesFor(
    known.schema,
    inference.columns.map(({ name }) => (Object.hasOwn(rename, name) ? rename[name]! : name)),
  )
  const stateOf = (name: string) => states.get(Object.hasOwn(rename, name) ? rename[name]! : name)
  const kept = inference.columns.flatMap(({ name }) => {
    const state = stateOf(name)
    return state === undefined ? [] : [[name, state.kind] as const]
  })
  const isPrivate = isPrivateType(known.schema)
  // The ids of a private type are private too.
  const hidden = inference.columns
    .filter(({ name }) => !isPrivate && (stateOf(name)?.isPrivate || wishes.private?.includes(name)))
    .map(({ name }) => name)
  const id =
    wishes.id === undefined ? (proposeIdFor(inference, known, rename, hidden)?.columns ?? []) : wishes.id
  const fields = new Set(states.keys())
  checkNames(
    inference,
    optional.filter((name) => !fields.has(name)),
  )
  const isDownload = hasRegistryId(inference, known)
  const assumed = new Map(
    inference.columns.flatMap((column) => {
      const state = stateOf(column.name)
      const kind = kinds[column.name] ?? state?.kind
      const found = state && kind && assumedConversion(column, kind, isDownload ? {} : state.read)
      return found === undefined ? [] : [[column.name, found] as const]
    }),
  )
  const plan = planOf(inference, {
    ...{ ...wishes, id, kinds: { ...Object.fromEntries(kept), ...kinds } },
    conversions: { ...Object.fromEntries(assumed), ...wishes.conversions },
  })
  const columns = plan.columns.map((column): PlannedColumn => {
    const state = stateOf(column.name)
    if (state === undefined) return { ...column, isRequired: required.includes(column.name) }
    if (state.path !== undefined) checkMember(inference, column, state, wishes)
    const isOptional = optional.includes(column.name) || optional.includes(column.field ?? column.name)
    return {
      ...column,
      isKnown: true,
      assumed: assumed.get(column.name),
      unit: column.conversion === state.read.convert ? (state.read.unit ?? column.unit) : column.unit,
      isRequired: (state.isRequired && !isOptional) || required.includes(column.name),
      isNullable: state.isNullable,
      isPrivate: state.isPrivate || column.isPrivate,
      choices: column.choices ?? allowed(state, allow[column.name]),
      reference: state.reference ?? column.reference,
      stored: state.stored,
      ...(state.path === undefined ? {} : { path: state.path }),
    }
  })
  const privateIds = plan.id.filter(
    (name) => hidden.includes(name) && !columns.some((column) => column.name === name),
  )
  // Detected options are kept for a new type alone: a change of the schema makes a major version.
  const reading = isDownload ? {} : keptOptions(inference.options)
  return {
    ...plan,
    columns,
    reading,
    gone: goneFields(inference, known, states, { ...plan, columns }, wishes),
    ...(isPrivate ? { isPrivate } : {}),
    ...(privateIds.length > 0 ? { privateIds } : {}),
  }
}

const memberText = ([first, ...inner]: readonly string[]): string => {
  if (first === undefined) return 'the whole record'
  return inner.length === 0 ? `the field ${shown(first)}` : `a member of the object ${shown(first)}`
}

/** @throws TableError for a wish that would change the schema of an object */
function checkMember(
  { name: file }: Inference,
  { name, kind }: PlannedColumn,
  state: FieldState,
  { private: hidden = [], required = [], closed = [], optional = [], allow = {} }: PlanWishes,
): void {
  const isNamed = [hidden, required, closed, optional, Object.keys(allow)].some((names) =>
    names.includes(name),
  )
  if (!isNamed && kind === state.kind) return
  const sentence = `${shown(name)} is ${memberText(state.path!)}. To change what it may be, change the schema.`
  throw new TableError(sentence, file, { column: name }, file)
}

const allowed = ({ choices }: FieldState, more: readonly string[] = []): readonly string[] | undefined =>
  choices === undefined ? undefined : [...choices, ...more.filter((value) => !choices.includes(value))]
