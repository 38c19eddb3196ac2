/** Differences between two metadata documents, two records, or two version numbers. */

import { inFieldOrder } from '@ulmus/content'
import { own } from '../page.ts'

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A member that differs between two objects. */
export interface Change {
  readonly name: string
  /** Undefined: absent in the older version. */
  readonly was: unknown
  readonly is: unknown
}

/** Members that differ between two objects, in the order of `schema`, else by name. */
export function memberChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  schema?: unknown,
): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return inFieldOrder(names, schema)
    .map((name) => ({ name, was: own(before, name), is: own(after, name) }))
    .filter(({ was, is }) => !same(was, is))
}

/** Reason for the version number. */
export function reasonOf(from: string, to: string): string {
  const [a, b] = [from, to].map((semver) => semver.replace(/^v/, '').split('.').map(Number))
  if (a?.[0] !== b?.[0]) return 'major: a schema or the set of types changed'
  if (a?.[1] !== b?.[1]) return 'minor: records or files changed'
  return a?.[2] === b?.[2] ? 'the same version' : 'patch: metadata or private data changed'
}
