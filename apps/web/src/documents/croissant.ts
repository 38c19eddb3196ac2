/** Croissant 1.1 of MLCommons: a version as JSON-LD for data set search engines and machine learning. docs/reading.md */

import { columnSchema, type ScalarType, type TableColumn } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import { bibtex, citationFacts, oneLine } from '../data/citation.ts'
import { licenseOf } from '../data/licence.ts'
import { accountPath, apiVersionPath, withQuery } from '../paths.ts'
import {
  type DescribedType,
  type DescribedVersion,
  describedTypes,
  keywordsOf,
  wordsOf,
} from './described.ts'

const standard = 'http://mlcommons.org/croissant/1.1'

/** Media type, as the standard defines it. */
export const croissantType = `application/ld+json; profile="${standard}"`

const terms = [
  'annotation arrayShape citeAs column containedIn equivalentProperty excludes extract field fileProperty fileObject fileSet',
  'format includes isArray isLiveDataset jsonPath key md5 parentField path readLines recordSet references regex repeated replace',
  'samplingRate sdVersion separator source subField transform unArchive value',
].flatMap((line) => line.split(' '))

const context = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  sc: 'https://schema.org/',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  dct: 'http://purl.org/dc/terms/',
  conformsTo: 'dct:conformsTo',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  ...Object.fromEntries(terms.map((term) => [term, `cr:${term}`])),
}

/** @throws busy */
export async function croissantOf(described: DescribedVersion): Promise<object> {
  const { cited, owner, ownerName, origin } = described
  const facts = citationFacts(described, cited, origin)
  const { license, keywords } = cited.metadata
  const licence = licenseOf(license)
  const words = keywordsOf(keywords)
  const isByOwner = facts.creators.join() === oneLine(ownerName)
  const types = await describedTypes(described)
  const recordSet: object[] = []
  const names = new Set(types.filter(({ columns }) => columns !== undefined).map(({ name }) => name))
  for (const type of types) {
    recordSet.push(...recordSetOf(type, names))
    await giveWay()
  }
  return {
    '@context': context,
    '@type': 'sc:Dataset',
    conformsTo: standard,
    name: facts.title,
    description: described.description,
    url: facts.url,
    identifier: facts.digest,
    ...(licence && { license: licence.url ?? licence.text }),
    version: facts.semver.slice(1),
    // Or each file needs a hash: CSV is written for each reader, and Parquet at the first request.
    isLiveDataset: true,
    datePublished: cited.createdAt,
    creator: isByOwner
      ? [{ '@type': 'sc:Organization', name: ownerName, url: origin + accountPath(owner) }]
      : facts.creators.map((name) => ({ '@type': 'sc:Person', name })),
    ...(words.length > 0 && { keywords: words }),
    citeAs: bibtex(facts),
    distribution: types.flatMap((type) => filesOf(type, described)),
    recordSet,
  }
}

/** Ids are IRIs relative to the document. Those of files have two slashes, those of fields one: none is taken twice. */
const id = (...parts: string[]): string => parts.map(encodeURIComponent).join('/')

function filesOf({ name, file }: DescribedType, described: DescribedVersion): object[] {
  const { asPublic, hasTables, origin, ...place } = described
  const fileObject = (format: string, contentUrl: string, encodingFormat: string | string[]) => ({
    '@type': 'cr:FileObject',
    '@id': id('files', format, name),
    name: `${name}.${format}`,
    contentUrl,
    encodingFormat,
  })
  const query = { view: asPublic ? 'public' : undefined }
  const parquet = origin + withQuery(apiVersionPath(place, 'tables', `${name}.parquet`), query)
  return [
    fileObject(file.format, file.url, file.mediaType),
    ...(hasTables ? [fileObject('parquet', parquet, parquetTypes)] : []),
  ]
}

/** The registered type, and the one that mlcroissant reads. */
const parquetTypes = ['application/vnd.apache.parquet', 'application/x-parquet']

function recordSetOf(type: DescribedType, names: ReadonlySet<string>): object[] {
  const { name, schema, columns, file } = type
  if (columns === undefined) return []
  // Not CSV, whose readers guess: mlcroissant takes the text `NA` for a missing value, `007` for 7, and cannot read lists.
  const hasParquet = file.format === 'csv'
  const fileObject = { '@id': id('files', hasParquet ? 'parquet' : file.format, name) }
  return [
    {
      '@type': 'cr:RecordSet',
      '@id': id(name),
      name,
      ...pick(wordsOf(schema)),
      key: { '@id': id(name, columns[0]!.name) },
      field: columns.map((column) => ({
        '@type': 'cr:Field',
        '@id': id(name, column.name),
        name: column.name,
        ...pick(wordsOf(columnSchema(schema, column))),
        dataType: dataTypeOf(column, columnSchema(schema, column)['format']),
        ...(column.type === 'list' && { isArray: true }),
        source: {
          fileObject,
          extract: hasParquet ? { column: column.name } : { jsonPath: jsonPathOf(column) },
        },
        ...(column.refersTo !== undefined &&
          names.has(column.refersTo) && { references: { field: { '@id': id(column.refersTo, '_id') } } }),
      })),
    },
  ]
}

const pick = ({ title, description = title }: { title?: string; description?: string }) =>
  description === undefined ? {} : { description }

const dataTypes: Record<ScalarType, string> = {
  text: 'sc:Text',
  number: 'sc:Float',
  integer: 'sc:Integer',
  boolean: 'sc:Boolean',
  'date-time': 'sc:DateTime',
  date: 'sc:Date',
  file: 'sc:Text',
}
const addresses: ReadonlySet<unknown> = new Set(['uri', 'iri'])

/** Objects and unions are JSON text. */
function dataTypeOf({ type, items }: TableColumn, format: unknown): string {
  if (type === 'text' && addresses.has(format)) return 'sc:URL'
  if (type === 'list') return dataTypes[items!]
  return type === 'object' || type === 'json' ? 'sc:Text' : dataTypes[type]
}

/** Of a value in a line of `records.ndjson`. */
function jsonPathOf({ name, path }: TableColumn): string {
  if (path === '') return name === '_id' ? '$.id' : '$.data'
  const member = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
  return `$.data[${JSON.stringify(member)}]`
}
