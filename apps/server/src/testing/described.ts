/** Checks documents about a version against the standards that define them. */
import { expect } from 'vitest'

export interface Link {
  readonly url: string
  readonly rel: string
  readonly type: string | undefined
}
/** Parses a `Link` header. RFC 8288 */
export function linksIn(header: unknown): Link[] {
  const text = String(header)
  const pattern = /<([^<>\s]*)>; rel="([\w-]+)"(?:; type="((?:[^"\\]|\\.)*)")?(?:, |$)/gy
  const found = [...text.matchAll(pattern)]
  expect(found.map(([one]) => one).join('')).toBe(text)
  return found.map(([, url, rel, type]) => ({ url: url!, rel: rel!, type: type?.replaceAll('\\', '') }))
}

// biome-ignore lint/suspicious/noExplicitAny: documents of other standards.
export type Document = any

/** Members that the Croissant standard requires, and ids that lead nowhere or are not unique. */
export function croissantFaults(document: Document): string[] {
  const required = [
    '@context',
    '@type',
    'conformsTo',
    'name',
    'description',
    'url',
    'creator',
    'datePublished',
  ]
  const [files, sets] = [document.distribution as Document[], document.recordSet as Document[]]
  const fields: Document[] = sets.flatMap(({ field }) => field)
  const ids = [...files, ...sets, ...fields].map((one) => one['@id'])
  const known = new Set(ids)
  const named = [
    ...sets.map(({ key }) => key),
    ...fields.flatMap(({ references, source }) => [
      source.fileObject,
      ...(references ? [references.field] : []),
    ]),
  ]
  return [
    ...required.filter((member) => !document[member]),
    ...(known.size < ids.length ? ['ids twice'] : []),
    ...named.map((one) => one['@id']).filter((id) => !known.has(id)),
    ...files.filter((file) => !URL.canParse(file.contentUrl) || !file.encodingFormat || !file.name),
    ...fields.filter(({ dataType }) => !/^sc:[A-Z]\w+$/.test(dataType)),
  ]
}

const fieldTypes = 'string number integer boolean object array date datetime any'.split(' ')
/** Faults by the standards Data Package 2.0 and Table Schema 2.0. */
export function packageFaults({ $schema, resources, licenses = [], contributors }: Document): string[] {
  const names = resources.map(({ name }: Document) => name)
  const schemas = resources.flatMap(({ schema }: Document) => schema ?? [])
  const fields = schemas.flatMap((schema: Document) => schema.fields)
  const lost = schemas.flatMap(({ fields, primaryKey, foreignKeys = [] }: Document) => {
    const own = fields.map(({ name }: Document) => name)
    const targets = foreignKeys.map(({ reference }: Document) => reference.resource)
    const used = [...primaryKey, ...foreignKeys.flatMap((key: Document) => key.fields)]
    return [
      ...used.filter((name) => !own.includes(name)),
      ...targets.filter((name: string) => !names.includes(name)),
    ]
  })
  return [
    ...($schema === 'https://datapackage.org/profiles/2.0/datapackage.json' ? [] : ['no $schema']),
    ...(resources.length === 0 || contributors.length === 0 ? ['empty'] : []),
    ...names.filter((name: string) => !/^[a-z0-9._-]+$/.test(name)),
    ...(new Set(names).size < names.length ? ['names twice'] : []),
    ...resources.filter(({ path }: Document) => !URL.canParse(path)),
    ...licenses.filter(
      ({ name = 'x', path }: Document) => !/^[-a-zA-Z0-9._+]+$/.test(name) || !URL.canParse(path),
    ),
    ...fields.filter(({ type }: Document) => !fieldTypes.includes(type)),
    ...lost,
  ]
}
