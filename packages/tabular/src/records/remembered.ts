/**
 * How files of a type were read, kept in its schema for the next file: `x-read` at the root has options of the file, `x-read` of a field
 * the notation and the missing marks of its column. Schemas are data of others, so members of another form are ignored.
 */
import { type Conversion, conversions } from '../inference/conversions.ts'
import type { Note, ReadOptions } from '../reading/options.ts'
import type { Table } from '../reading/table.ts'
import { shown, TableError } from '../reading/table-error.ts'

export const readKeyword = 'x-read'

/** Memory of a field. */
export interface FieldReading {
  readonly convert?: Conversion | undefined
  readonly unit?: string | undefined
  readonly missing?: readonly string[] | undefined
}

const optionTypes = {
  encoding: 'string',
  delimiter: 'string',
  quotes: 'string',
  header: 'boolean',
  skip: 'number',
  skipUnits: 'boolean',
  skipFooter: 'boolean',
  comment: 'string',
  sameNames: 'string',
  records: 'string',
} as const

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
    ? value
    : undefined

/** The options that are kept: not those of single columns, and not UTF-8, which every file shows. */
export function keptOptions(options: ReadOptions): ReadOptions {
  const kept = Object.entries(optionTypes).flatMap(([name, type]) => {
    const value = options[name as keyof typeof optionTypes]
    return typeof value === type && value !== 'utf-8' ? [[name, value] as const] : []
  })
  const missing = textsOf(options.missing)
  return { ...Object.fromEntries(kept), ...(missing === undefined ? {} : { missing }) }
}

/** Options that the schema keeps, without those of single fields. */
export const fileReading = (schema: unknown): ReadOptions =>
  keptOptions(objectOf(objectOf(schema)[readKeyword]) as ReadOptions)

export function fieldReading(property: unknown): FieldReading {
  const { convert, unit, missing } = objectOf(objectOf(property)[readKeyword])
  return {
    convert: conversions.find((one) => one === convert),
    unit: typeof unit === 'string' ? unit : undefined,
    missing: textsOf(missing),
  }
}

interface KnownSchema {
  readonly type: string
  readonly schema: unknown
}

const fieldsIn = (schema: unknown) => objectOf(objectOf(schema)['properties'])

/** Marks by column. @param columns of the file */
const missingMarks = (
  schema: unknown,
  columns: readonly string[],
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const fields = fieldsIn(schema)
      const marks = Object.hasOwn(fields, column) ? fieldReading(fields[column]).missing : undefined
      return marks === undefined ? [] : [[column, marks]]
    }),
  )

/** A file, and the type whose files were read in this way. */
export interface RememberedTable {
  readonly table: Table
  /** The type; undefined: the file is read as detected. */
  readonly type: string | undefined
  readonly notes: readonly Note[]
}

/**
 * Opens a file as earlier files of a type were read, if that finds at least as many fields of the type as detection does. Options that
 * are given take precedence. @param open opens the file @param types that the file may belong to @throws as `open`
 */
export async function openAsBefore(
  open: (options: ReadOptions) => Promise<Table>,
  given: ReadOptions,
  types: readonly KnownSchema[],
): Promise<RememberedTable> {
  const detected = await open(given).catch((error: unknown) => {
    if (error instanceof TableError) return error
    throw error
  })
  if (given.asBefore !== false)
    for (const type of types) {
      const found = await openAs(type, open, given, detected)
      if (found === undefined) continue
      if (!(detected instanceof TableError)) await detected.close()
      return found
    }
  if (detected instanceof TableError) throw detected
  return { table: detected, type: undefined, notes: [] }
}

/** True if the schema keeps how files of its type were read. */
export const hasMemory = (schema: unknown): boolean =>
  [schema, ...Object.values(fieldsIn(schema))].some((one) => Object.hasOwn(objectOf(one), readKeyword))

async function openAs(
  { type, schema }: KnownSchema,
  open: (options: ReadOptions) => Promise<Table>,
  given: ReadOptions,
  detected: Table | TableError,
): Promise<RememberedTable | undefined> {
  if (!hasMemory(schema)) return undefined
  const before = { ...fileReading(schema) }
  const plain = detected instanceof TableError ? [] : await columnsOf(detected)
  // A download is written in one way, whatever the files were.
  if (plain.includes('_id') && !Object.hasOwn(fieldsIn(schema), '_id')) return undefined
  // Text that is UTF-8 is hardly anything else.
  if (!(detected instanceof TableError) && /^utf/.test(detected.detected.encoding ?? ''))
    delete before.encoding
  const own = { ...before, ...withoutUndefined(given) }
  const table = await open(own).catch(() => undefined)
  if (table === undefined) return undefined
  const columns = await columnsOf(table)
  const missingIn = { ...missingMarks(schema, columns), ...given.missingIn }
  const used = { ...before, missingIn: missingMarks(schema, columns) }
  const isNone = Object.keys(before).length + Object.keys(used.missingIn).length === 0
  const known = (names: readonly string[]) =>
    names.filter((name) => Object.hasOwn(fieldsIn(schema), name)).length
  // Names such as `id` and `name` are in every table.
  const isSame = known(columns) * 2 >= columns.length && known(columns) >= Math.max(1, known(plain))
  await table.close()
  if (isNone || !isSame) return undefined
  return { table: await open({ ...own, missingIn }), type, notes: [noteOf(type, used)] }
}

const withoutUndefined = (options: ReadOptions): ReadOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

/** Columns of a table; those of JSON appear while rows are read. */
async function columnsOf(table: Table): Promise<readonly string[]> {
  try {
    if (table.columns.length === 0) for await (const _ of table.batches()) break
  } catch {
    // The fault is refused when all rows are read.
  }
  return table.columns
}

function noteOf(type: string, { missingIn = {}, missing = [], ...options }: ReadOptions): Note {
  const words = Object.entries(options).map(
    ([name, value]) =>
      `${optionWords[name as keyof typeof optionTypes]} ${typeof value === 'string' ? shown(value) : value}`,
  )
  const marks = [
    ...missing.map((mark) => `${shown(mark)} means missing`),
    ...Object.entries(missingIn).map(
      ([column, some]) => `${some.map(shown).join(', ')} in ${column} means missing`,
    ),
  ]
  return {
    option: 'asBefore',
    sentence: `Read as earlier files of ${type}: ${[...words, ...marks].join('; ')}.`,
    isUncertain: false,
    choices: [
      { label: 'Read it as before', options: { asBefore: true } },
      { label: 'Read it as a new file', options: { asBefore: false } },
    ],
  }
}

const optionWords = {
  encoding: 'encoding',
  delimiter: 'delimiter',
  quotes: 'quotes',
  header: 'header',
  skip: 'lines skipped:',
  skipUnits: 'units left out:',
  skipFooter: 'totals and sources left out:',
  comment: 'comments begin with',
  sameNames: 'columns of one name:',
  records: 'records at',
} as const
