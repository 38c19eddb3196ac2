/**
 * Compiles schemas with Ajv so that users' schemas and data cannot abuse it: patterns and formats run in linear time,
 * `uniqueItems` in n·log n, absent members are never found on `Object.prototype`, and schemas cannot refer to each other.
 */
import {
  _,
  Ajv,
  type CodeKeywordDefinition,
  type ErrorObject,
  type FormatDefinition,
  type KeywordCxt,
  type Options,
  type ValidateFunction,
} from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { canonicalize } from '../json/canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { compilePattern, PatternError } from './pattern.ts'
import { SchemaError } from './schema-error.ts'
import { isDateTime } from './times.ts'

/** Reason why data does not match a schema. */
export interface SchemaIssue {
  /** JSON pointer into the data; empty for the data itself. */
  path: string
  /** Expectation of the schema. */
  message: string
}

/** Maximum number of issues reported per value of data. */
export const schemaIssuesMax = 20
/**
 * Above this number of values in the data, report only the first issue: Ajv would create an object for every issue, and there may be one
 * per value and few characters.
 */
const allIssuesValuesMax = 10_000
/** Likewise, for the product of values and characters of the schema. */
const allIssuesWorkMax = 4_000_000

const draft2020 = 'https://json-schema.org/draft/2020-12/schema'
const draft07 = 'http://json-schema.org/draft-07/schema'

/** Names that every object inherits. Ajv takes them for members unless configured to check own ones, which costs time. */
const inheritedName =
  /"(?:__proto__|__(?:define|lookup)[GS]etter__|constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|toLocaleString|toString|valueOf)"/

/**
 * `url` of ajv-formats with `\S+(?::\S*)?@` replaced by `\S+@`: it matches the same strings, but no longer in quadratic time. The
 * other full formats were timed with 30,000 characters of every awkward kind and are linear.
 */
const urlPattern = new RegExp((fullFormats['url'] as RegExp).source.replace('\\S+(?::\\S*)?@', '\\S+@'), 'iu')

/** Matches most times, at a tenth of the cost of `isDateTime`. */
const usualDateTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/
const dateTime = fullFormats['date-time'] as FormatDefinition<string>

/** A compiled schema: returns the issues of the given data, none if it matches. */
export type Check = (data: Json) => SchemaIssue[]

/** Formats that are checked. */
const formats = new Set(Object.keys(fullFormats))

/** True if `format` is checked; any other is ignored, with a warning. */
export const isKnownFormat = (format: string): boolean => formats.has(format)

const withoutHash = (uri: string) => uri.replace(/#$/, '')

/** True if `$schema` names a supported draft. */
export const isKnownDraft = (named: Json): boolean =>
  typeof named === 'string' && [draft07, draft2020].includes(withoutHash(named))

/** True if `schema` declares JSON Schema 2020-12; the default is draft-07. */
function is2020(schema: JsonObject): boolean {
  const named = schema['$schema']
  return typeof named === 'string' && withoutHash(named) === draft2020
}

let metaChecks: { draft07: ValidateFunction; draft2020: ValidateFunction } | undefined

/** @throws SchemaError if `schema` does not match its meta-schema. */
export function checkAgainstMetaSchema(schema: JsonObject): void {
  metaChecks ??= {
    draft07: new Ajv({ strict: false, logger: false }).getSchema(draft07)!,
    draft2020: new Ajv2020({ strict: false, logger: false }).getSchema(draft2020)!,
  }
  const check = is2020(schema) ? metaChecks.draft2020 : metaChecks.draft07
  if (check(schema)) return
  const [issue] = issuesOf(check.errors)
  throw new SchemaError(
    `The schema is no valid JSON Schema (${is2020(schema) ? '2020-12' : 'draft-07'}): ${issue?.path || 'it'} ${issue?.message}.`,
    issue?.path,
  )
}

/**
 * Compiles a schema that obeys `checkSchemaRules`.
 * @throws SchemaError if Ajv cannot compile it, for example because a reference has no target.
 */
export function compileSchema(schema: JsonObject, canonical: string): Check {
  const ownProperties = inheritedName.test(canonical)
  const first = compile(schema, { ownProperties })
  const valuesMax = Math.min(allIssuesValuesMax, allIssuesWorkMax / canonical.length)
  let all: ValidateFunction | undefined
  return (data) => {
    try {
      if (first(data)) return []
      if (!hasFewerValues(data, valuesMax)) return issuesOf(first.errors)
      all ??= compile(schema, { ownProperties, allErrors: true })
      all(data)
      return issuesOf(all.errors)
    } catch (cause) {
      // The stack overflows if a schema refers to itself without descending into the data.
      if (cause instanceof RangeError)
        return [{ path: '', message: 'cannot be checked: the schema refers to itself without end' }]
      throw cause
    }
  }
}

function compile(schema: JsonObject, options: Options): ValidateFunction {
  // An asynchronous schema would return a promise, which counts as true.
  const { $async: _async, ...synchronous } = schema
  try {
    return engine(is2020(schema), options).compile(synchronous)
  } catch (cause) {
    if (cause instanceof PatternError) throw new SchemaError(cause.message)
    throw new SchemaError(`The schema cannot be compiled: ${cause instanceof Error ? cause.message : cause}.`)
  }
}

/**
 * Properties whose checks may lie in each other. Ajv writes the check of each property into the one before, and with some thousand the
 * stack of V8's parser overflows.
 */
const nestedPropertiesMax = 100

/** A name that Ajv leaves out of `properties`. */
const prototype = '__proto__'

/** Writes the checks of properties in groups, as Ajv does, and the check of `__proto__`. */
function checkProperties(context: KeywordCxt, { code }: CodeKeywordDefinition): void {
  const { gen, schema, data, it } = context
  const valid = gen.let('valid', true)
  /** Closes the checks that `write` nests, and continues if all of them passed. */
  const checked = (write: () => void) => {
    gen.if(valid)
    if (!it.allErrors) gen.assign(valid, false)
    gen.block(() => {
      write()
      if (!it.allErrors) gen.assign(valid, true)
    })
    gen.endIf()
  }
  const names = Object.keys(schema)
  for (let at = 0; at < names.length; at += nestedPropertiesMax) {
    const group = names.slice(at, at + nestedPropertiesMax).map((name) => [name, schema[name]] as const)
    checked(() => code(withOther(context, { schema: Object.fromEntries(group) })))
  }
  if (Object.hasOwn(schema, prototype))
    checked(() => {
      const isValid = gen.name('valid')
      gen.if(_`Object.prototype.hasOwnProperty.call(${data}, ${prototype})`)
      context.subschema({ keyword: 'properties', schemaProp: prototype, dataProp: prototype }, isValid)
      if (!it.allErrors) gen.else().var(isValid, true)
      gen.endIf()
      context.ok(isValid)
    })
  context.ok(valid)
}

/** Writes the check of properties that are not listed, as Ajv does; a listed `__proto__` is none of them. */
function checkOthers(context: KeywordCxt, { code }: CodeKeywordDefinition): void {
  const { parentSchema } = context
  const { properties, patternProperties } = parentSchema
  const isListed = isJsonObject(properties) && Object.hasOwn(properties, prototype)
  const patterns = isListed && { patternProperties: { ...patternProperties, [`^${prototype}$`]: true } }
  code(withOther(context, { parentSchema: { ...parentSchema, ...patterns } }))
}

const withOther = (context: KeywordCxt, other: Partial<KeywordCxt>): KeywordCxt =>
  Object.assign(Object.create(context), other)

/** Changes how Ajv writes the checks of a keyword, which keeps its place among the others. */
function changeKeyword(ajv: Ajv, keyword: string, write: typeof checkProperties): void {
  const rule = ajv.RULES.all[keyword] as { definition: CodeKeywordDefinition }
  const { definition } = rule
  rule.definition = { ...definition, code: (context) => write(context, definition) }
}

/** Contains no meta-schemas, so that a reference to one is refused as well. */
function engine(newer: boolean, options: Options): Ajv {
  const all: Options = {
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    ...options,
    code: { regExp: Object.assign((source: string) => compilePattern(source), { code: 'compilePattern' }) },
  }
  const ajv = newer ? new Ajv2020(all) : new Ajv(all)
  addFormats.default(ajv, { mode: 'full', keywords: true })
  ajv.addFormat('url', (text: string) => !/\s/.test(text) && urlPattern.test(text))
  ajv.addFormat('date-time', {
    ...dateTime,
    validate: (text: string) => usualDateTime.test(text) || isDateTime(text),
  })
  changeKeyword(ajv, 'properties', checkProperties)
  changeKeyword(ajv, 'additionalProperties', checkOthers)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: Json[]) =>
      !wanted || new Set(items.map(canonicalize)).size === items.length,
    error: { message: 'must not have equal items' },
  })
  return ajv
}

function hasFewerValues(data: Json, valuesMax: number): boolean {
  let left = valuesMax
  const visit = (value: Json): boolean => {
    if (--left < 0) return false
    return typeof value !== 'object' || value === null || Object.values(value).every(visit)
  }
  return visit(data)
}

function issuesOf(errors: ErrorObject[] | null | undefined): SchemaIssue[] {
  return (errors ?? [])
    .slice(0, schemaIssuesMax)
    .map((error) => ({ path: error.instancePath, message: messageOf(error) }))
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return `must not have the member ${JSON.stringify(params['additionalProperty'])}`
  if (keyword === 'enum') return `must be one of ${shortened(JSON.stringify(params['allowedValues']))}`
  if (keyword === 'const') return `must be ${shortened(JSON.stringify(params['allowedValue']))}`
  return message ?? `must match "${keyword}"`
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 197)}…`
}
