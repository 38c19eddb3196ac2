/** Properties of a schema as entries of a form. */
import { fieldsOf, orderKeyword, type PlainSchema } from '@ulmus/content'
import { cutText } from '../../format.ts'
import type { Form } from '../../page.ts'

/** Kinds that the form can express, with their labels and schemas. */
export const kinds = {
  text: ['Text', { type: 'string' }],
  number: ['Number', { type: 'number' }],
  integer: ['Integer', { type: 'integer' }],
  boolean: ['Yes or no', { type: 'boolean' }],
  date: ['Date', { type: 'string', format: 'date' }],
  'date-time': ['Date and time', { type: 'string', format: 'date-time' }],
  texts: ['List of texts', { type: 'array', items: { type: 'string' } }],
  any: ['Anything', {}],
} as const satisfies Record<string, readonly [label: string, schema: PlainSchema]>
export type EntryKind = keyof typeof kinds
export const kindOptions = Object.entries(kinds).map(([kind, [label]]) => [kind, label] as const)

/** Maximum number of properties in the form: each takes some 3 kB of HTML. */
export const entriesMax = 300
/** Maximum number of new properties in one form. */
export const newEntriesMax = 300

/** A property in the form. Its texts are as browsers submit them. */
export interface Entry {
  readonly name: string
  /** False: the schema of the property is `true` or `false`, which has no members. */
  readonly hasMembers: boolean
  readonly title: string
  readonly description: string
  /** Undefined: the form cannot express the kind. */
  readonly kind: EntryKind | undefined
  /** The kind before the change, in words. */
  readonly type: string
  /** Type of the records that the property refers to, or empty. */
  readonly refersTo: string
  /** Allowed values, one a line. Undefined: the form cannot express them. */
  readonly values: string | undefined
  /** Position among the properties, from 1. */
  readonly order: string
  readonly isRequired: boolean
  readonly isPrivate: boolean
  readonly isRemoved: boolean
  /** If it is removed: from the records, too. */
  readonly isDropped: boolean
}

/** Changes of the form: words of the type, entries of its properties, and new ones. */
export interface SchemaEdit {
  readonly title: string
  readonly description: string
  readonly entries: readonly Entry[]
  readonly added: readonly Entry[]
}

const blank = { title: '', description: '', refersTo: '', values: '', order: '' } as const
export const newEntry: Entry = {
  ...{ ...blank, name: '', kind: 'text', type: '', hasMembers: true },
  ...{ isRequired: false, isPrivate: false, isRemoved: false, isDropped: false },
}

export const objectIn = (value: unknown): PlainSchema | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as PlainSchema) : undefined
export const propertiesOf = (schema: PlainSchema): PlainSchema => objectIn(schema['properties']) ?? {}

/** A text as a browser submits it from a field of several lines. */
const linesIn = (text: unknown): string =>
  typeof text === 'string' ? text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd').trim() : ''
/** The same from a field of one line. */
const lineIn = (text: unknown): string => linesIn(text).replaceAll('\n', '')

/** Title and description of a type in the form. */
export const wordsIn = ({ title, description }: PlainSchema) => ({
  title: lineIn(title),
  description: linesIn(description),
})

/** Entries in the order of pages. */
export const entriesOf = (schema: PlainSchema): Entry[] =>
  fieldsOf(schema).map(({ name, type, isRequired, isPrivate }, index) => {
    const at = objectIn(propertiesOf(schema)[name])
    const kind = at && kindOf(at)
    return {
      ...{
        name,
        hasMembers: at !== undefined,
        kind,
        type,
        isRequired,
        isPrivate,
        isRemoved: false,
        isDropped: false,
        order: String(index + 1),
      },
      ...wordsIn(at ?? {}),
      refersTo: lineIn(at && holderOf(at, kind)['x-ref-type']),
      values: at && valuesText(at, kind),
    }
  })

const plainTypes: readonly unknown[] = ['number', 'integer', 'boolean']
/** Keywords that leave a schema without a kind open for any. */
const open = new Set(['title', 'description', 'private', orderKeyword, 'default', 'examples', '$comment'])

function kindOf(at: PlainSchema): EntryKind | undefined {
  const { type, format } = at
  const types = [type].flat().filter((one) => one !== 'null')
  const [one] = types
  if (type === undefined) return Object.keys(at).every((name) => open.has(name)) ? 'any' : undefined
  if (types.length !== 1) return undefined
  if (plainTypes.includes(one)) return one as EntryKind
  if (one === 'string' && format === undefined) return 'text'
  if (one === 'string' && (format === 'date' || format === 'date-time')) return format
  const items = objectIn(at['items'])
  return one === 'array' && items?.['type'] === 'string' && items['format'] === undefined
    ? 'texts'
    : undefined
}

/** The schema that has `x-ref-type`: in a list, the schema of its items. */
export const holderOf = (at: PlainSchema, kind: EntryKind | undefined): PlainSchema =>
  (kind === 'texts' ? objectIn(at['items']) : undefined) ?? at

export const isNullable = ({ type }: PlainSchema): boolean => Array.isArray(type) && type.includes('null')

/** Undefined if lines of text cannot express the allowed values. */
function valuesText(at: PlainSchema, kind: EntryKind | undefined): string | undefined {
  if (!('enum' in at)) return kind === undefined ? undefined : ''
  const values = [at['enum']].flat().filter((value) => value !== null || !isNullable(at))
  const text = values.map(String).join('\n')
  try {
    const read = kind === undefined ? [] : valuesIn(text, kind)
    return JSON.stringify(read) === JSON.stringify(values) ? text : undefined
  } catch {
    return undefined
  }
}

const numeral = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** @throws RangeError, a sentence for the user */
export function valuesIn(text: string, kind: EntryKind): (string | number)[] {
  const lines = new Set(linesIn(text).split('\n').map(lineIn))
  lines.delete('')
  if (lines.size === 0 || kind === 'text') return [...lines]
  if (kind !== 'number' && kind !== 'integer')
    throw new RangeError('only texts and numbers can have allowed values: empty the field.')
  return Array.from(lines, (line) => {
    const isInKind = kind === 'number' ? Number.isFinite(Number(line)) : Number.isSafeInteger(Number(line))
    if (numeral.test(line) && isInKind) return Number(line)
    throw new RangeError(
      `the allowed value ${cutText(line, 100)} is not ${kind === 'number' ? 'a number' : 'an integer'}.`,
    )
  })
}

/** Prefix of the names of an entry's fields. */
export const prefixOf = (index: number, isNew: boolean): string => `${isNew ? 'n' : 'p'}${index}.`

/** Submitted entries. @param before entries of the version that the form was made from */
export const submittedEntries = (form: Form, before: readonly Entry[]): Entry[] =>
  before.map((entry, index) => entryIn(form, prefixOf(index, false), entry))

/** Indexes of the submitted new entries, without blank and removed ones. */
export const newIndexes = (form: Form): number[] =>
  Array.from({ length: newEntriesMax }, (_, index) => index).filter((index) => {
    const { name, title, description, refersTo, values, isRemoved } = newEntryIn(form, index)
    return !isRemoved && name + title + description + refersTo + values !== ''
  })

export const submittedNewEntries = (form: Form): Entry[] =>
  newIndexes(form).map((index) => newEntryIn(form, index))

function newEntryIn(form: Form, index: number): Entry {
  const prefix = prefixOf(index, true)
  return { ...entryIn(form, prefix, newEntry), name: lineIn(form[`${prefix}name`]) }
}

function entryIn(form: Form, prefix: string, before: Entry): Entry {
  // Checkboxes that are off are not submitted.
  if (form[`${prefix}order`] === undefined) return before
  const text = (name: 'title' | 'description' | 'refersTo' | 'order') =>
    linesIn(form[`${prefix}${name}`] ?? before[name])
  const isOn = (name: string) => form[`${prefix}${name}`] !== undefined
  const kind = form[`${prefix}kind`] ?? ''
  return {
    ...before,
    title: lineIn(text('title')),
    description: text('description'),
    kind: before.kind !== undefined && Object.hasOwn(kinds, kind) ? (kind as EntryKind) : before.kind,
    refersTo: lineIn(text('refersTo')),
    values: before.values === undefined ? undefined : linesIn(form[`${prefix}values`] ?? before.values),
    order: lineIn(text('order')),
    ...{ isRequired: isOn('required'), isPrivate: isOn('private') },
    ...{ isRemoved: isOn('remove'), isDropped: isOn('drop') },
  }
}

/** Entries of a form on another version than its own. `added` are those that the version lacks. */
export interface Rebased {
  readonly entries: Entry[]
  readonly added: Entry[]
}

/** `latest` with the changes that lead from `before` to `entries`: another version was published meanwhile. */
export function rebased(
  latest: readonly Entry[],
  before: readonly Entry[],
  entries: readonly Entry[],
): Rebased {
  const changes = new Map(
    entries.map((entry, index) => {
      const was = before[index]!
      const members = Object.entries(entry).filter(([name, value]) => was[name as keyof Entry] !== value)
      return [entry.name, Object.fromEntries(members)]
    }),
  )
  const isLost = ({ name, isRemoved }: Entry) =>
    !isRemoved && Object.keys(changes.get(name)!).some((member) => member !== 'order')
  return {
    entries: latest.map((entry) => ({ ...entry, ...changes.get(entry.name) })),
    added: without(latest, entries).filter(isLost).map(asNew),
  }
}

/** All submitted entries, by name: the version that the form was made from can no longer be read. */
export function onLatest(form: Form, latest: readonly Entry[]): Rebased {
  const prefixes = Array.from({ length: entriesMax }, (_, index) => prefixOf(index, false))
  const named = new Map(prefixes.map((prefix, index) => [lineIn(form[`${prefix}name`]), { prefix, index }]))
  named.delete('')
  const all = Array.from(named, ([name, { prefix }]): Entry => {
    const kind = form[`${prefix}kind`] === undefined ? undefined : newEntry.kind
    return { ...entryIn(form, prefix, { ...newEntry, kind }), name }
  })
  return {
    entries: latest.map((entry) => {
      const at = named.get(lineIn(entry.name))
      if (at === undefined) return entry
      const sent = entryIn(form, at.prefix, entry)
      const isMoved = sent.order !== String(at.index + 1)
      return isMoved ? sent : { ...sent, order: entry.order }
    }),
    added: without(latest, all)
      .filter(({ isRemoved }) => !isRemoved)
      .map(asNew),
  }
}

const without = (latest: readonly Entry[], entries: readonly Entry[]): Entry[] => {
  const names = new Set(latest.map(({ name }) => lineIn(name)))
  return entries.filter(({ name }) => !names.has(lineIn(name)))
}

/** An entry of a version as a new one at the end. */
const asNew = (entry: Entry): Entry => ({
  ...entry,
  ...{ kind: entry.kind ?? 'any', type: '', hasMembers: true, order: '', values: entry.values ?? '' },
})
