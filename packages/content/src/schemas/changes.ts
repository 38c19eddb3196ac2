/** Describes the differences between two schemas in words, for comparisons in the web interface, the command line and the API. */
import { inFieldOrder, placeOf } from './field-order.ts'
import { type Field, fieldsOf, type PlainSchema } from './fields.ts'

/** A sentence with names in backquotes. */
export type Sentence = string

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * Changes of a type, each a sentence that begins after the type's name; empty if there are none.
 * @param before, after its schemas, their members in canonical order; undefined: there is no such type
 */
export function schemaChanges(before: PlainSchema | undefined, after: PlainSchema | undefined): Sentence[] {
  if (before === undefined || after === undefined)
    return before === after ? [] : [before === undefined ? 'is new' : 'was removed, with its records']
  return same(before, after) ? [] : typeChanges(before, after)
}

function typeChanges(before: PlainSchema, after: PlainSchema): Sentence[] {
  const was = new Map(fieldsOf(before).map((field) => [field.name, field]))
  const is = new Map(fieldsOf(after).map((field) => [field.name, field]))
  const names = [...new Set([...was.keys(), ...is.keys()])].sort()
  const changes = inFieldOrder(names, after).flatMap((name) => {
    const changes = fieldChanges(was.get(name), is.get(name))
    return changes.length === 0 ? [] : [`\`${name}\` ${changes.join(', ')}`]
  })
  if (!same(before['title'], after['title']))
    changes.push(
      typeof after['title'] === 'string'
        ? `has the title ${cut(after['title'])} now`
        : 'has no title any more',
    )
  if (!same(before['description'], after['description'])) changes.push('is described otherwise')
  if ((before['private'] === true) !== (after['private'] === true))
    changes.push(after['private'] === true ? 'became private' : 'is private no more')
  if (same(before['additionalProperties'], false) !== same(after['additionalProperties'], false))
    changes.push(
      after['additionalProperties'] === false ? 'takes no other fields now' : 'takes other fields now',
    )
  const inBoth = (fields: typeof is) => [...fields.keys()].filter((name) => was.has(name) && is.has(name))
  if (hasPlaces(before, after) && !same(inBoth(was), inBoth(is)))
    changes.push('has its fields in another order')
  return changes.length === 0 ? ['changed in ways that its fields do not show: see the JSON Schema'] : changes
}

/** A title in a sentence. Characters. */
const titleMax = 100
const cut = (title: string): string => (title.length > titleMax ? `${title.slice(0, titleMax)}…` : title)

const hasPlaces = (...schemas: PlainSchema[]): boolean =>
  schemas.some(({ properties }) => Object.values(properties ?? {}).some((one) => placeOf(one) !== undefined))

function fieldChanges(was: Field | undefined, is: Field | undefined): Sentence[] {
  if (was === undefined) return [`is new: ${is!.isRequired ? 'required ' : ''}${is!.type}`]
  if (is === undefined) return ['was removed']
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
