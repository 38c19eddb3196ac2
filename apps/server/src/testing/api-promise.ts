/** Compares two descriptions of the API (OpenAPI): what docs/releases.md promises to keep. */

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: Schema
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content }
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>
}

export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** Requests may ask for less than before and answers may say more; never the other way round. */
type Direction = 'request' | 'answer'

interface Comparison {
  readonly kept: ApiDescription
  readonly present: ApiDescription
  readonly direction: Direction
  /** Pairs of references under way: schemas may contain themselves. */
  readonly open: ReadonlySet<string>
}

/** Everything that programs written for `kept` may stumble over in `present`, one line each. */
export function brokenPromises(kept: ApiDescription, present: ApiDescription): string[] {
  return Object.entries(kept.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      const now = own(present.paths[path] ?? {}, method)
      if (now === undefined) return [`${name} is gone`]
      const of = (direction: Direction): Comparison => ({ kept, present, direction, open: new Set() })
      return [
        ...requestFaults(of('request'), operation, now),
        ...answerFaults(of('answer'), operation, now),
      ].map((fault) => `${name}: ${fault}`)
    }),
  )
}

function requestFaults(comparison: Comparison, before: Operation, now: Operation): string[] {
  const faults: string[] = []
  const find = ({ parameters = [] }: Operation, name: string, where: string) =>
    parameters.find((one) => one.name === name && one.in === where)
  for (const one of before.parameters ?? []) {
    const found = find(now, one.name, one.in)
    if (found === undefined) faults.push(`the parameter ${one.name} is gone`)
    else faults.push(...schemaFaults(comparison, one.schema, found.schema, `the parameter ${one.name}`))
  }
  for (const one of now.parameters ?? [])
    if (one.required && find(before, one.name, one.in)?.required !== true)
      faults.push(`the parameter ${one.name} is newly required`)
  if (now.requestBody?.required && before.requestBody?.required !== true)
    faults.push('the body is newly required')
  return [
    ...faults,
    ...contentFaults(comparison, before.requestBody?.content, now.requestBody?.content, 'body'),
  ]
}

const answerFaults = (comparison: Comparison, before: Operation, now: Operation): string[] =>
  Object.entries(before.responses ?? {})
    .filter(([status]) => Number(status) < 400)
    .flatMap(([status, { content }]) => {
      const found = own(now.responses ?? {}, status)
      return found === undefined
        ? [`the answer ${status} is gone`]
        : contentFaults(comparison, content, found.content, status)
    })

const contentFaults = (comparison: Comparison, before: Content = {}, now: Content = {}, where: string) =>
  Object.entries(before).flatMap(([type, { schema }]) => {
    const found = own(now, type)
    return found === undefined
      ? [`${where} is no longer ${type}`]
      : schemaFaults(comparison, schema, found.schema, where)
  })

function schemaFaults(
  comparison: Comparison,
  before: Schema | undefined,
  now: Schema | undefined,
  where: string,
): string[] {
  if (before === undefined || now === undefined)
    return (before === undefined) === (now === undefined) ? [] : [`${where} has another type`]
  const { direction, open } = comparison
  const pair = `${before.$ref} ${now.$ref}`
  if (before.$ref !== undefined || now.$ref !== undefined) {
    if (open.has(pair)) return []
    const within = { ...comparison, open: new Set([...open, pair]) }
    return schemaFaults(within, resolved(comparison.kept, before), resolved(comparison.present, now), where)
  }
  const [wide, narrow] = direction === 'request' ? [now, before] : [before, now]
  const faults = [
    ...optionFaults(comparison, before, now, where),
    ...(typesOf(narrow).every((type) => accepts(typesOf(wide), type)) ? [] : [`${where} has another type`]),
    ...lostValues(before, now).map((value) => `${where} no longer knows ${JSON.stringify(value)}`),
  ]
  if (direction === 'request') faults.push(...limitFaults(before, now, where))
  const [needed, given] = direction === 'request' ? [now, before] : [before, now]
  for (const name of needed.required ?? [])
    if (!given.required?.includes(name))
      faults.push(
        `${where}.${name} is ${direction === 'request' ? 'newly required' : 'no longer always there'}`,
      )
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const found = own(now.properties ?? {}, name)
    if (found === undefined) faults.push(`${where}.${name} is gone`)
    else faults.push(...schemaFaults(comparison, schema, found, `${where}.${name}`))
  }
  if (before.items !== undefined || now.items !== undefined)
    faults.push(...schemaFaults(comparison, before.items ?? {}, now.items ?? {}, `${where}[]`))
  if (typeof before.additionalProperties === 'object' && typeof now.additionalProperties === 'object')
    faults.push(
      ...schemaFaults(comparison, before.additionalProperties, now.additionalProperties, `${where}.*`),
    )
  if (direction === 'request' && now.additionalProperties === false && before.additionalProperties !== false)
    faults.push(`${where} no longer takes other members`)
  return faults
}

/** A request must still match one of the alternatives; an answer must match one of the former ones. */
function optionFaults(comparison: Comparison, before: Schema, now: Schema, where: string): string[] {
  const [kept, present] = [optionsOf(before), optionsOf(now)]
  if (kept.length === 0 && present.length === 0) return []
  const fits = (a: Schema, b: Schema) => schemaFaults(comparison, a, b, where).length === 0
  const fitting =
    comparison.direction === 'request'
      ? kept.every((one) => present.some((other) => fits(one, other)))
      : present.every((one) => kept.some((other) => fits(other, one)))
  return fitting ? [] : [`${where} has other alternatives`]
}

const optionsOf = ({ anyOf = [], oneOf = [], allOf = [] }: Schema) => [...anyOf, ...oneOf, ...allOf]

/** An absent type accepts all. */
const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? ['any'] : [type].flat())

const accepts = (types: readonly string[], type: string): boolean =>
  types.includes(type) || types.includes('any') || (type === 'integer' && types.includes('number'))

function lostValues(before: Schema, now: Schema): unknown[] {
  const [values, left] = [valuesOf(before), valuesOf(now)]
  return left === undefined ? [] : (values ?? []).filter((value) => !left.includes(value))
}

const valuesOf = (schema: Schema): readonly unknown[] | undefined =>
  schema.enum ?? ('const' in schema ? [schema.const] : undefined)

const [lower, upper] = [
  ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'],
  ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'],
]

function limitFaults(before: Schema, now: Schema, where: string): string[] {
  const limit = (schema: Schema, name: string, none: number) =>
    typeof schema[name] === 'number' ? schema[name] : none
  const [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return [
    ...lower.filter((name) => limit(now, name, low) > limit(before, name, low)),
    ...upper.filter((name) => limit(now, name, high) < limit(before, name, high)),
    ...['pattern', 'format'].filter((name) => now[name] !== undefined && now[name] !== before[name]),
    ...(valuesOf(now) !== undefined && valuesOf(before) === undefined ? ['enum'] : []),
  ].map((name) => `${where} has a narrower ${name}`)
}

function resolved(description: ApiDescription, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const name = schema.$ref.replace('#/components/schemas/', '')
  const found = own(description.components?.schemas ?? {}, name)
  if (found === undefined) throw new Error(`The description has no ${schema.$ref}.`)
  return resolved(description, found)
}

const own = <T>(members: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined
