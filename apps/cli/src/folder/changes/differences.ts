/** Differences of records between a folder and its base, a folder and a version, or two versions. */
import { compareUtf8, type Json } from '@ulmus/content'
import type { DiffPage } from '@ulmus/wire'
import { isSameJson } from '../files/content.ts'
import type { RecordChange } from './record-changes.ts'

/** A changed record. `before` absent: added, or its data was not sent; `change` decides. */
export interface Difference {
  readonly type: string
  readonly id: string
  readonly change: 'added' | 'updated' | 'removed'
  readonly before?: Json
  readonly after?: Json
  /** The new value, if it changed. */
  readonly visibility?: 'private' | 'public'
}

/** Differences of a folder from its base. Only these have `visibility`. */
export async function* localDifferences(
  changes: AsyncIterable<RecordChange>,
): AsyncGenerator<Difference, void, undefined> {
  for await (const { type, id, before, after } of changes) {
    const turned = before !== undefined && after !== undefined && before.private !== after.private
    yield {
      type,
      id,
      change: before === undefined ? 'added' : after === undefined ? 'removed' : 'updated',
      before: before?.data,
      after: after?.data,
      ...(turned ? { visibility: after.private ? 'private' : 'public' } : {}),
    }
  }
}

/** @param seePage called with each page; the first one contains schemas, metadata and files */
export async function* remoteDifferences(
  pages: AsyncIterable<DiffPage>,
  seePage: (page: DiffPage) => void,
): AsyncGenerator<Difference, void, undefined> {
  for await (const page of pages) {
    seePage(page)
    const differences: Difference[] = [
      ...page.added.map(({ type, id, data }) => ({
        type,
        id,
        change: 'added' as const,
        after: data as Json,
      })),
      ...page.updated.map(({ type, id, data, previousData }) => ({
        type,
        id,
        change: 'updated' as const,
        before: previousData as Json,
        after: data as Json,
      })),
      ...page.removed.map(({ type, id }) => ({ type, id, change: 'removed' as const })),
    ]
    yield* differences.sort(compareDifferences)
  }
}

const compareDifferences = (a: Difference, b: Difference): number =>
  compareUtf8(a.type, b.type) || compareUtf8(a.id, b.id)

/** Composes changes from A to B with changes from B to C, both sorted by type and id. */
export async function* composed(
  first: AsyncIterator<Difference>,
  second: AsyncIterator<Difference>,
): AsyncGenerator<Difference, void, undefined> {
  let a = await first.next()
  let b = await second.next()
  while (a.done !== true || b.done !== true) {
    const order = a.done === true ? 1 : b.done === true ? -1 : compareDifferences(a.value, b.value)
    if (order < 0) yield a.value as Difference
    else if (order > 0) yield b.value as Difference
    else {
      const both = join(a.value as Difference, b.value as Difference)
      if (both !== undefined) yield both
    }
    if (order <= 0) a = await first.next()
    if (order >= 0) b = await second.next()
  }
}

function join(a: Difference, b: Difference): Difference | undefined {
  const { type, id } = a
  const wasThere = a.change !== 'added'
  const isThere = b.change !== 'removed'
  if (!wasThere && !isThere) return undefined
  const { visibility } = b
  if (!wasThere) return { type, id, change: 'added', after: b.after, visibility }
  if (!isThere) return { type, id, change: 'removed', before: a.before }
  const isSame = a.before !== undefined && isSameJson(a.before, b.after) && visibility === undefined
  return isSame ? undefined : { type, id, change: 'updated', before: a.before, after: b.after, visibility }
}

/** A changed member of a record's data, with its path. */
export interface FieldDifference {
  /** Names joined by full stops; empty for the whole data. */
  readonly path: string
  readonly before?: Json
  readonly after?: Json
}

/** Compares objects member by member, and other values as a whole. */
export function fieldDifferences(
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): FieldDifference[] {
  if (isSameJson(before, after)) return []
  if (!isPlain(before) || !isPlain(after)) return [{ path, before, after }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) =>
    fieldDifferences(member(before, name), member(after, name), path === '' ? name : `${path}.${name}`),
  )
}

const isPlain = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const member = (object: { [name: string]: Json }, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
