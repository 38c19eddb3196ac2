/** What differs between two schemas, two sets of metadata, two records, in words. */
import { type Field, fieldsOf, type Schema } from './schema.ts'

/** A sentence, in which names stand between backquotes. */
export type Sentence = string

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** By type; types without a difference are left out. Texts of stored, canonical JSON are compared. */
export function schemaChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): { type: string; changes: Sentence[] }[] {
  const types = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return types.flatMap((type) => {
    const [was, is] = [before[type] as Schema | undefined, after[type] as Schema | undefined]
    if (was === undefined) return [{ type, changes: ['is new'] }]
    if (is === undefined) return [{ type, changes: ['went, with its records'] }]
    return same(was, is) ? [] : [{ type, changes: typeChanges(was, is) }]
  })
}

function typeChanges(before: Schema, after: Schema): Sentence[] {
  const was = new Map(fieldsOf(before).map((field) => [field.name, field]))
  const is = new Map(fieldsOf(after).map((field) => [field.name, field]))
  const changes = [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((name) => {
    const changes = fieldChanges(was.get(name), is.get(name))
    return changes.length === 0 ? [] : [`\`${name}\` ${changes.join(', ')}`]
  })
  if ((before['private'] === true) !== (after['private'] === true))
    changes.push(after['private'] === true ? 'became private' : 'is private no more')
  if (same(before['additionalProperties'], false) !== same(after['additionalProperties'], false))
    changes.push(
      after['additionalProperties'] === false ? 'takes no other fields now' : 'takes other fields now',
    )
  return changes.length === 0 ? ['changed in ways that its fields do not show: see the JSON Schema'] : changes
}

function fieldChanges(was: Field | undefined, is: Field | undefined): Sentence[] {
  if (was === undefined) return [`is new: ${is!.isRequired ? 'required ' : ''}${is!.type}`]
  if (is === undefined) return ['went']
  const rules = (field: Field) => field.rules.join('; ')
  return [
    ...(was.type === is.type ? [] : [`became ${is.type}, was ${was.type}`]),
    ...(was.isRequired === is.isRequired ? [] : [is.isRequired ? 'became required' : 'is required no more']),
    ...(was.isPrivate === is.isPrivate ? [] : [is.isPrivate ? 'became private' : 'is private no more']),
    ...(was.refersTo === is.refersTo
      ? []
      : [is.refersTo ? `refers to ${is.refersTo}` : 'refers to no type any more']),
    ...(rules(was) === rules(is)
      ? []
      : [`has other rules: ${rules(is) || 'none'}, was ${rules(was) || 'none'}`]),
    ...(was.title === is.title && was.description === is.description ? [] : ['is described otherwise']),
  ]
}

export interface Change {
  readonly name: string
  /** Undefined: it was not there. */
  readonly was: unknown
  readonly is: unknown
}

/** Members of two objects that differ, by name. */
export function memberChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names
    .filter((name) => !same(before[name], after[name]))
    .map((name) => ({ name, was: before[name], is: after[name] }))
}

/** Why a version has the number that it has. */
export function reasonOf(from: string, to: string): string {
  const [a, b] = [from, to].map((semver) => semver.replace(/^v/, '').split('.').map(Number))
  if (a?.[0] !== b?.[0]) return 'major: a schema or the set of types changed'
  if (a?.[1] !== b?.[1]) return 'minor: records or files changed'
  return a?.[2] === b?.[2] ? 'the same version' : 'patch: metadata changed, or what is private'
}
