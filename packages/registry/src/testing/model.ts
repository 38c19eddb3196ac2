/** Model of a collection's expected content after a history of pushes, computed the simple way to compare reads with. */
import { acceptSchema, hashText, type Json, type JsonObject, publicData, recordOf } from '@ulmus/content'
import fc from 'fast-check'

export interface ModelRecord {
  type: string
  id: string
  data: JsonObject
  private: boolean
}

export interface ModelType {
  private: boolean
  /** True: the member `s` of its records is private. */
  privateField: boolean
}

/** A state of the collection. */
export interface Model {
  types: Record<string, ModelType>
  records: Map<string, ModelRecord>
  metadata: JsonObject
}

export interface ModelStep {
  puts: {
    type: string
    id: string
    n: number
    secret: boolean
    file?: number | undefined
    private: boolean
  }[]
  deletes: { type: string; id: string }[]
  types?: Record<string, ModelType> | undefined
  license?: string | undefined
}

/**
 * `__proto__` is a name like others. The last one is too long for a plain tar header and has the maximum length of a type in
 * bytes.
 */
export const modelTypes = ['A', 'B b', '__proto__', 'ä'.repeat(64)]
export const modelIds = ['1', '2', '3', '..', 'é/"', '\u{ffff}', '\u{1f600}']

export const arbitraryStep: fc.Arbitrary<ModelStep> = fc.record({
  puts: fc.array(
    fc.record({
      type: fc.constantFrom(...modelTypes),
      id: fc.constantFrom(...modelIds),
      n: fc.integer({ min: 0, max: 3 }),
      secret: fc.boolean(),
      file: fc.option(fc.nat(2), { nil: undefined }),
      private: fc.boolean(),
    }),
    { maxLength: 8 },
  ),
  deletes: fc.array(fc.record({ type: fc.constantFrom(...modelTypes), id: fc.constantFrom(...modelIds) }), {
    maxLength: 3,
  }),
  types: fc.option(
    fc.dictionary(
      fc.constantFrom(...modelTypes),
      fc.record({ private: fc.boolean(), privateField: fc.boolean() }),
      { minKeys: 1, noNullPrototype: true },
    ),
    { nil: undefined },
  ),
  license: fc.option(fc.constantFrom('MIT', 'ISC'), { nil: undefined }),
})

export const emptyModel = (): Model => ({ types: {}, records: new Map(), metadata: {} })

const hasType = (model: Model, type: string) => Object.hasOwn(model.types, type)

/** The state after a step, and the push that leads to it. `files`: names of the files that records refer to by number. */
export function takeStep(model: Model, step: ModelStep, files: readonly string[]) {
  const isFirst = Object.keys(model.types).length === 0
  const types = step.types ?? (isFirst ? { A: { private: false, privateField: false } } : undefined)
  const next: Model = {
    types: types ?? model.types,
    records: new Map(model.records),
    metadata: step.license === undefined ? model.metadata : { license: step.license },
  }
  for (const [key, { type }] of next.records) if (!hasType(next, type)) next.records.delete(key)
  const puts = step.puts.filter(({ type }) => hasType(next, type)).map((put) => recordOfPut(put, files))
  const deletes = step.deletes.filter(({ type }) => hasType(next, type))
  for (const put of puts) next.records.set(`${put.type}/${put.id}`, put)
  for (const { type, id } of deletes) next.records.delete(`${type}/${id}`)
  const gone = Object.keys(model.types).filter((type) => types && !Object.hasOwn(types, type))
  const schemas =
    types &&
    Object.fromEntries([
      ...gone.map((type) => [type, null] as const),
      ...Object.keys(types).map((type) => [type, schemaOf(next, type)] as const),
    ])
  const metadata = step.license === undefined ? {} : { metadata: next.metadata }
  return { next, push: { puts, deletes, ...(schemas && { schemas }), ...metadata } }
}

function recordOfPut(put: ModelStep['puts'][number], files: readonly string[]): ModelRecord {
  const data: JsonObject = { n: put.n }
  if (put.secret) data['s'] = `secret-${put.n}`
  if (put.file !== undefined) data['f'] = { $file: files[put.file]! }
  return { type: put.type, id: put.id, data, private: put.private }
}

function schemaOf(model: Model, type: string): JsonObject {
  const { private: hidden, privateField } = model.types[type]!
  return { private: hidden, properties: { n: {}, s: privateField ? { private: true } : {}, f: {} } }
}

export interface ModelEntry {
  type: string
  id: string
  data: Json
  hash: string
  /** True: only readers of the full view see it. */
  private: boolean
}

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The records of a view, by type, then id. */
export function recordsOfModel(model: Model, view: 'full' | 'public'): ModelEntry[] {
  const isShown = ({ type, private: hidden }: ModelRecord) => !hidden && !model.types[type]!.private
  const shown = [...model.records.values()].filter((record) => view === 'full' || isShown(record))
  const entries = shown.map((record) => {
    const { type, id } = record
    const schema = acceptSchema(schemaOf(model, type))
    const data = view === 'full' ? record.data : publicData(schema, record.data)
    return { type, id, data, hash: recordOf(id, type, data).hash, private: record.private }
  })
  return entries.sort((a, b) => compareBytes(a.type, b.type) || compareBytes(a.id, b.id))
}

/** Files that the records of a view refer to, ascending. */
export function filesOfModel(model: Model, view: 'full' | 'public'): string[] {
  const files = recordsOfModel(model, view).flatMap(({ data }) => {
    const file = (data as { f?: { $file: string } }).f
    return file === undefined ? [] : [file.$file]
  })
  return [...new Set(files)].sort()
}

/** Types of a view. */
export const typesOfModel = (model: Model, view: 'full' | 'public'): string[] =>
  Object.keys(model.types).filter((type) => view === 'full' || !model.types[type]!.private)

/** Hash of a state's types and schemas in a view. */
export const schemasOfModel = (model: Model, view: 'full' | 'public'): string =>
  hashText(
    JSON.stringify(
      typesOfModel(model, view)
        .sort()
        .map((type) => [type, view === 'full' ? model.types[type] : model.types[type]!.privateField]),
    ),
  )
