/** Data Package 2.0: a version as CSV files with their Table Schemas, for catalogues. docs/reading.md */

import { type ColumnType, columnSchema, type Json, type JsonObject, type TableColumn } from '@ulmus/content'
import type { DataPackage } from '@ulmus/wire'
import { citationFacts } from '../data/citation.ts'
import { licenseOf } from '../data/licence.ts'
import {
  type DescribedType,
  type DescribedVersion,
  describedTypes,
  keywordsOf,
  wordsOf,
} from './described.ts'

/** @throws busy */
export async function dataPackageOf(described: DescribedVersion): Promise<DataPackage> {
  const { cited, slug, origin } = described
  const { title, creators, url, semver } = citationFacts(described, cited, origin)
  const licence = licenseOf(cited.metadata['license'])
  const keywords = keywordsOf(cited.metadata['keywords'])
  const types = await describedTypes(described)
  const names = resourceNames(types)
  // Only resources with a schema can be referred to.
  const targets = new Map(types.flatMap(({ name, columns }) => (columns ? [[name, names.get(name)!]] : [])))
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: slug,
    id: url,
    title,
    description: described.description,
    homepage: url,
    version: semver.slice(1),
    created: cited.createdAt,
    ...(keywords.length > 0 && { keywords }),
    contributors: creators.map((name) => ({ title: name, roles: ['creator'] })),
    ...(licence && {
      licenses: [
        {
          ...(licence.id !== undefined && { name: licence.id }),
          // A licence needs a name or a path: the page shows the text.
          path: licence.url ?? url,
          title: licence.text,
        },
      ],
    }),
    resources: types.map((type) => ({
      name: names.get(type.name)!,
      // Named by its type, not by the title of its schema.
      ...{ ...wordsOf(type.schema), title: type.name },
      path: type.file.url,
      format: type.file.format,
      mediatype: type.file.mediaType,
      encoding: 'utf-8',
      ...(type.columns !== undefined && {
        ...(type.file.format === 'csv' && { type: 'table' }),
        schema: type.file.format === 'csv' ? tableSchema(type, targets) : lineSchema,
      }),
    })),
  }
}

/** Names of resources by type. The standard wants lowercase letters, digits, `.`, `-` and `_`, and no name twice. */
function resourceNames(types: readonly DescribedType[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { name: type } of types) {
    const base = type.toLowerCase().replace(/[^a-z0-9._-]+/g, '-') || 'type'
    let name = base
    for (let n = 2; taken.has(name); n++) name = `${base}-${n}`
    taken.add(name)
    names.set(type, name)
  }
  return names
}

/** Lines of `records.ndjson`. */
const lineSchema = {
  $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
  fields: ['id', 'type', 'data', 'hash'].map((name) => ({
    name,
    type: name === 'data' ? 'object' : 'string',
  })),
  primaryKey: ['id'],
}

function tableSchema({ schema, columns }: DescribedType, targets: ReadonlyMap<string, string>): JsonObject {
  const foreignKeys = columns!.flatMap(({ name, refersTo }) => {
    const resource = refersTo === undefined ? undefined : targets.get(refersTo)
    return resource === undefined ? [] : [{ fields: [name], reference: { resource, fields: ['_id'] } }]
  })
  return {
    $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
    fields: columns!.map((column) => {
      const property = columnSchema(schema, column)
      const constraints = constraintsOf(column, property)
      return {
        name: column.name,
        type: fieldTypes[column.type],
        ...wordsOf(property),
        ...(Object.keys(constraints).length > 0 && { constraints }),
      }
    }),
    primaryKey: ['_id'],
    ...(foreignKeys.length > 0 && { foreignKeys }),
    missingValues: [''],
  }
}

/** Lists and objects are JSON in CSV, which Table Schema calls `array` and `object`. */
const fieldTypes: Record<ColumnType, string> = {
  text: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  'date-time': 'datetime',
  date: 'date',
  file: 'string',
  list: 'array',
  object: 'object',
  json: 'any',
}

/** Keywords of JSON Schema with the same meaning, by column. Not `pattern`: Table Schema anchors it and uses another regex dialect. */
const sharedKeywords: Partial<Record<ColumnType, Record<string, string>>> = {
  text: { minLength: 'minLength', maxLength: 'maxLength' },
  number: rangeKeywords(),
  integer: rangeKeywords(),
  list: { minItems: 'minLength', maxItems: 'maxLength' },
}

function rangeKeywords(): Record<string, string> {
  return Object.fromEntries(
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) => [name, name]),
  )
}

function constraintsOf({ type, nullable }: TableColumn, property: JsonObject): Record<string, Json> {
  const constraints: Record<string, Json> = nullable ? {} : { required: true }
  for (const [keyword, name] of Object.entries(sharedKeywords[type] ?? {})) {
    const limit = property[keyword]
    if (typeof limit === 'number') constraints[name] = limit
  }
  const values = property['const'] === undefined ? property['enum'] : [property['const']]
  const kind = enumKinds[type]
  if (!Array.isArray(values) || kind === undefined) return constraints
  const some = values.filter((value) => value !== null)
  if (some.length > 0 && some.every((value) => typeof value === kind)) constraints['enum'] = some
  return constraints
}

const enumKinds: Partial<Record<ColumnType, string>> = {
  text: 'string',
  number: 'number',
  integer: 'number',
}
