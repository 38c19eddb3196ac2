/** What a file would change, by comparing hashes with the latest version's; and the push that does it. */
import { type Client, cursorAfter, type DryRunResult, type Push, type PushOptions } from '@ulmus/client'
import { recordOf } from '@ulmus/content'
import { type Plan, recordsOf, schemaOf, type Table, type TableRecord } from '@ulmus/tabular'

export interface Target {
  /** `owner/slug` */
  readonly ref: string
  /** The latest version; null: there is none. */
  readonly head: string | null
}

export interface Comparison {
  readonly plan: Plan
  readonly added: readonly TableRecord[]
  readonly updated: readonly (TableRecord & { private?: boolean })[]
  /** Ids. */
  readonly removed: readonly string[]
  readonly unchanged: number
  /** In sentences; none: the schema stays. */
  readonly schemaChanges: readonly string[]
  /** Undefined: the base's stay. */
  readonly schemas: Record<string, object> | undefined
}

export interface Ask {
  readonly table: Table
  readonly plan: Plan
  /** `everything`: records of the type that the file does not name go. */
  readonly mode: 'changes' | 'everything'
}

type Say = (text: string) => void

/** @throws TableError for a row that does not fit the plan, one without an id, and two of one id */
export async function compareWith(
  client: Client,
  { ref, head }: Target,
  { table, plan, mode }: Ask,
  say: Say,
): Promise<Comparison> {
  const schemas = head === null ? {} : ((await client.versions.schemas(ref, head)) as Record<string, object>)
  const held =
    head === null || schemas[plan.type] === undefined
      ? new Map<string, Held>()
      : await heldOf(client, { ref, head }, plan.type, say)
  const added: TableRecord[] = []
  const updated: (TableRecord & { private?: boolean })[] = []
  const seen = new Set<string>()
  for await (const record of recordsOf(table, plan)) {
    seen.add(record.id)
    const before = held.get(record.id)
    if (before === undefined) added.push(record)
    // Whatever was pushed as private stays private: a push that does not say so would make it public.
    else if (before.hash !== recordOf(record.id, record.type, record.data as never).hash)
      updated.push(before.isPrivate ? { ...record, private: true } : record)
  }
  const removed = mode === 'everything' ? [...held.keys()].filter((id) => !seen.has(id)) : []
  return {
    ...{ plan, added, updated, removed, unchanged: seen.size - added.length - updated.length },
    ...schemaOfPush(schemas, plan),
  }
}

interface Held {
  readonly hash: string
  readonly isPrivate: boolean
}

/** What the latest version has of a type. */
async function heldOf(
  client: Client,
  { ref, head }: { ref: string; head: string },
  type: string,
  say: Say,
): Promise<Map<string, Held>> {
  const held = new Map<string, Held>()
  // Records come by type: from the first of this one on, until another begins.
  for await (const page of client.versions.manifest(ref, head, { cursor: cursorAfter(type, '') })) {
    const entries = (page.records ?? []).filter((entry) => entry.type === type)
    for (const { id, hash, private: isPrivate } of entries)
      held.set(id, { hash, isPrivate: isPrivate === true })
    if (entries.length < (page.records?.length ?? 0)) break
    say(`Comparing… ${held.size.toLocaleString('en-US')} records of the latest version`)
  }
  return held
}

interface FieldsOfType {
  readonly properties?: Readonly<Record<string, { readonly private?: boolean } | undefined>>
}

/**
 * A type that is there keeps its schema, but for fields that the file brings and it does not know, and for those that are to be private
 * from now on. What is private already stays so, whatever the form says.
 */
export function schemaOfPush(
  schemas: Readonly<Record<string, object>>,
  plan: Plan,
): Pick<Comparison, 'schemas' | 'schemaChanges'> {
  const before: FieldsOfType | undefined = schemas[plan.type]
  const wanted = schemaOf(plan)['properties'] as Record<string, object>
  if (before === undefined)
    return {
      schemas: { ...schemas, [plan.type]: schemaOf(plan) },
      schemaChanges: [`The type ${plan.type} is new.`],
    }
  const known = before.properties ?? {}
  const fresh = plan.columns.filter(({ name }) => known[name] === undefined)
  const hidden = plan.columns.filter(
    ({ name, isPrivate }) => isPrivate && known[name] !== undefined && known[name].private !== true,
  )
  if (fresh.length + hidden.length === 0) return { schemas: undefined, schemaChanges: [] }
  const properties = {
    ...known,
    ...Object.fromEntries(fresh.map(({ name }) => [name, wanted[name]])),
    ...Object.fromEntries(hidden.map(({ name }) => [name, { ...known[name], private: true }])),
  }
  const sentences = [
    ...fresh.map(({ name }) => `The schema of ${plan.type} gets the field ${name}.`),
    ...hidden.map(
      ({ name }) => `The field ${name} of ${plan.type} becomes private. Versions before still show it.`,
    ),
  ]
  return { schemas: { ...schemas, [plan.type]: { ...before, properties } }, schemaChanges: sentences }
}

export const changesIn = ({ added, updated, removed, schemaChanges }: Comparison): number =>
  added.length + updated.length + removed.length + schemaChanges.length

/** What publishing would make, as the registry says. @throws what it would be refused for */
export const tryOut = (
  client: Client,
  target: Target,
  comparison: Comparison,
  say: Say,
): Promise<DryRunResult> =>
  client.dryRun.push(target.ref, pushOf(target, comparison), telling(comparison, say))

/** @returns the new version */
export async function publish(
  client: Client,
  target: Target,
  comparison: Comparison,
  message: string,
  say: Say,
): Promise<string> {
  const said = message.trim() === '' ? {} : { message: message.trim() }
  const what = { ...pushOf(target, comparison), ...said }
  return (await client.push(target.ref, what, telling(comparison, say))).semver
}

const pushOf = ({ head }: Target, { plan, added, updated, removed, schemas }: Comparison): Push => ({
  baseVersion: head,
  records: [...added, ...updated] as never,
  deletes: removed.map((id) => ({ id, type: plan.type })),
  ...(schemas === undefined ? {} : { schemas: schemas as never }),
})

function telling({ added, updated, removed }: Comparison, say: Say): PushOptions {
  const all = (added.length + updated.length + removed.length).toLocaleString('en-US')
  return {
    onProgress: ({ phase, recordsSent, deletesSent }) => {
      if (phase === 'committing') say('Making the version…')
      else if (phase === 'checking') say('Asking what version that makes…')
      else say(`Sent ${(recordsSent + deletesSent).toLocaleString('en-US')} of ${all}`)
    },
  }
}
