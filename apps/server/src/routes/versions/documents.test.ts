/** Documents about a version for other programs: Croissant, Data Package, citations, `Link` headers. docs/reading.md */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { croissantFaults, type Document, linksIn, packageFaults } from '../../testing/described.ts'
import { type Stage, setStage } from '../../testing/stage.ts'
import {
  comparableParts,
  expectStatus,
  type TestClient,
  testClient,
  whenBuilt,
} from '../../testing/test-client.ts'

const schemas = {
  Place: {
    title: 'Populated place',
    description: 'Cities and towns',
    type: 'object',
    properties: {
      name: { type: 'string', description: 'In English', minLength: 1, maxLength: 80, pattern: '^[A-Z]' },
      kind: { type: ['string', 'null'], enum: ['city', 'town', null] },
      country: { type: 'string', 'x-ref-type': 'Country' },
      guild: { type: 'string', 'x-ref-type': 'Hidden' },
      area: { type: 'number', exclusiveMinimum: 0 },
      people: { $ref: '#/$defs/Count' },
      open: { type: 'boolean' },
      founded: { type: 'string', format: 'date' },
      seen: { type: 'string', format: 'date-time' },
      home: { type: 'string', format: 'uri' },
      'a/b "c"': { type: 'array', items: { type: 'integer' }, maxItems: 3 },
      extra: {},
      secretField: { type: 'string', private: true, description: 'secretWords' },
    },
    required: ['name', 'people'],
    $defs: { Count: { type: 'integer', minimum: 0, maximum: 50_000_000 } },
  },
  Country: { type: 'object', properties: { name: { type: 'string' } } },
  Hidden: { type: 'object', private: true, properties: { secretCode: { type: 'string' } } },
}
const puts = [
  { id: 'osl', type: 'Place', data: { name: 'Oslo', country: 'NOR', people: 709037, secretField: 'x' } },
  { id: 'NOR', type: 'Country', data: { name: 'Norway' } },
  { id: 'x', type: 'Hidden', data: { secretCode: '007' } },
]
const metadata = {
  title: 'Places & people',
  description: 'Where people live.',
  license: 'CC-BY-4.0',
  creators: ['Ada Lovelace', { name: 'Émilie' }],
  keywords: ['cities', 'cities', 7, 'towns'],
}
const citations = ['citation.txt', 'citation.bib', 'citation.csl.json', 'citation.ris']
const documents = ['croissant.json', 'datapackage.json', ...citations]

describe.each(serviceDatabases)('documents about a version, on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient
  let path: string
  const read = async (client: TestClient, file: string) =>
    expectStatus(client.get(`${path}/versions/v1.0.0/${file}`), 200)
  const croissant = async (client: TestClient, query = ''): Promise<Document> =>
    JSON.parse((await read(client, `croissant.json${query}`)).text)

  beforeAll(async () => {
    stage = await setStage(database)
    ;({ ada, anyone } = stage)
    path = (await stage.newCollection()).path
    await stage.push(path, { opening: { schemas, metadata }, puts })
  })
  afterAll(() => stage.end())

  test('Croissant has the facts, a file for each type and a field for each column', async () => {
    const { headers } = await read(anyone, 'croissant.json')
    expect(headers['content-type']).toBe('application/ld+json; profile="http://mlcommons.org/croissant/1.1"')
    const document = await croissant(anyone)
    expect(croissantFaults(document)).toEqual([])
    const page = `${stage.server.url}${path.replace('/collections', '')}/v/v1.0.0`
    expect(document).toMatchObject({
      '@type': 'sc:Dataset',
      conformsTo: 'http://mlcommons.org/croissant/1.1',
      name: metadata.title,
      description: metadata.description,
      url: page,
      license: 'https://spdx.org/licenses/CC-BY-4.0',
      version: '1.0.0',
      creator: [{ name: 'Ada Lovelace' }, { name: 'Émilie' }],
      keywords: ['cities', 'towns'],
    })
    expect(`${document.citeAs}\n`).toBe((await read(anyone, 'citation.bib')).text)
    expect(document.distribution.map(({ name }: Document) => name)).toEqual([
      ...['Country.csv', 'Country.parquet', 'Place.csv', 'Place.parquet'],
    ])
    const place = document.recordSet[1]
    expect(place).toMatchObject({
      name: 'Place',
      description: 'Cities and towns',
      key: { '@id': 'Place/_id' },
    })
    const told = place.field.map(({ name, dataType, isArray, references }: Document) =>
      [name, dataType, isArray && 'array', references?.field['@id']].filter(Boolean).join(' '),
    )
    expect(told.sort()).toEqual([
      '_id sc:Text',
      'a/b "c" sc:Integer array',
      'area sc:Float',
      'country sc:Text Country/_id',
      'extra sc:Text',
      'founded sc:Date',
      'guild sc:Text',
      'home sc:URL',
      'kind sc:Text',
      'name sc:Text',
      'open sc:Boolean',
      'people sc:Integer',
      'seen sc:DateTime',
    ])
  })

  test('the files that are named have the columns that are described', async () => {
    const document = await croissant(anyone)
    const described = (await read(anyone, 'datapackage.json')).json
    const csv = async (url: string) => {
      const { text } = await whenBuilt(() => testClient(url, undefined, '').get(new URL(url).pathname))
      return text.split('\n', 1)[0]
    }
    const texts = document.distribution.filter(
      ({ encodingFormat }: Document) => encodingFormat === 'text/csv',
    )
    for (const [index, { contentUrl }] of texts.entries()) {
      const header = await csv(contentUrl)
      const quoted = (name: string) => (/["/]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)
      const columns = document.recordSet[index].field.map(({ source }: Document) => source.extract.column)
      expect(columns.map(quoted).join()).toBe(header)
      expect(described.resources[index].path).toBe(contentUrl)
      expect(described.resources[index].schema.fields.map(({ name }: Document) => name)).toEqual(columns)
    }
  })

  test('Croissant lists the Parquet file of each type, whether it was made or not', async () => {
    const before = await croissant(anyone)
    const file = before.distribution.find(({ name }: Document) => name === 'Country.parquet')
    expect(file.encodingFormat).toEqual(['application/vnd.apache.parquet', 'application/x-parquet'])
    await whenBuilt(() => anyone.get(new URL(file.contentUrl).pathname.replace('/api', '')))
    expect(await croissant(anyone)).toEqual(before)
  })

  test('a Data Package has a Table Schema for each type', async () => {
    const { json, headers } = await read(anyone, 'datapackage.json')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(packageFaults(json)).toEqual([])
    expect(json).toMatchObject({
      title: metadata.title,
      version: '1.0.0',
      contributors: [{ title: 'Ada Lovelace', roles: ['creator'] }, { title: 'Émilie' }],
      licenses: [{ name: 'CC-BY-4.0', path: 'https://spdx.org/licenses/CC-BY-4.0' }],
    })
    const { name, title, format, mediatype, schema } = json.resources[1]
    expect([name, title, format, mediatype]).toEqual(['place', 'Place', 'csv', 'text/csv'])
    expect(schema.foreignKeys).toEqual([
      { fields: ['country'], reference: { resource: 'country', fields: ['_id'] } },
    ])
    const constraints = schema.fields.flatMap((field: Document) =>
      field.constraints ? [[field.name, field.type, field.constraints]] : [],
    )
    expect(Object.fromEntries(constraints.map(([name, ...rest]: Document[]) => [name, rest]))).toEqual({
      _id: ['string', { required: true }],
      name: ['string', { required: true, minLength: 1, maxLength: 80 }],
      kind: ['string', { enum: ['city', 'town'] }],
      area: ['number', { exclusiveMinimum: 0 }],
      people: ['integer', { required: true, minimum: 0, maximum: 50_000_000 }],
      'a/b "c"': ['array', { maxLength: 3 }],
    })
  })

  test('citations are those of the page', async () => {
    const site = testClient(stage.server.url, undefined, '')
    const page = await site.get(`${path.replace('/collections', '')}/v/v1.0.0`)
    const types = ['text/plain', 'application/x-bibtex', 'application/vnd.citationstyles.csl+json']
    for (const [index, file] of citations.entries()) {
      const { text, headers } = await read(anyone, file)
      const type = types[index] ?? 'application/x-research-info-systems'
      expect(String(headers['content-type']).split(';')[0]).toBe(type)
      const escaped = text
        .trimEnd()
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('"', '&quot;')
      const plain = page.text.replaceAll('&#39;', "'")
      expect(plain.includes(escaped) || plain.includes(escaped.replaceAll('&quot;', '"')), file).toBe(true)
    }
    expect(page.text).toContain(`href="/api${path}/versions/v1.0.0/croissant.json"`)
  })

  test('outsiders learn nothing private; members see all, and the public view on request', async () => {
    for (const file of documents) {
      const [theirs, publicly] = [await read(anyone, file), await read(ada, `${file}?view=public`)]
      expect([file, /secret|Hidden/.test(theirs.text)]).toEqual([file, false])
      expect(publicly.text.replaceAll('?view=public', '')).toBe(theirs.text)
    }
    const own = await croissant(ada)
    expect(own.recordSet.map(({ name }: Document) => name)).toEqual(['Country', 'Hidden', 'Place'])
    const guild = own.recordSet[2].field.find(({ name }: Document) => name === 'guild')
    expect(guild.references).toEqual({ field: { '@id': 'Hidden/_id' } })
    expect(packageFaults((await read(ada, 'datapackage.json')).json)).toEqual([])
  })

  test('they are cached, tagged and refused as the version is', async () => {
    const hidden = await stage.newCollection({ public: false })
    await stage.push(hidden.path, {
      opening: { schemas: { A: {} } },
      puts: [{ id: '1', type: 'A', data: {} }],
    })
    for (const file of documents) {
      const { headers } = await read(anyone, file)
      expect(headers['cache-control']).toBe('public, max-age=300')
      const at = `${path}/versions/v1.0.0/${file}`
      expect((await anyone.get(at, { 'if-none-match': headers.etag! })).status).toBe(304)
      const head = await anyone.request('HEAD', at)
      expect([head.status, head.headers.etag, head.bytes.length]).toEqual([200, headers.etag, 0])
      expect((await anyone.get(`${path}/versions/latest/${file}`)).headers['cache-control']).toBe('no-cache')
      const [one, other] = [hidden.path, `${hidden.path}z`]
      const refusals = [one, other].map(async (way) =>
        comparableParts(
          await anyone.get(`${way}/versions/v1.0.0/${file}`),
          way.slice('/collections/'.length),
        ),
      )
      expect((await refusals[0])!.status).toBe(404)
      expect(await refusals[0]).toEqual(await refusals[1])
      expect((await anyone.get(`${path}/versions/v9.0.0/${file}`)).json.code).toBe('version_not_found')
      expect((await anyone.get(`${at}?x=1`)).status).toBe(400)
    }
  })

  test('`Link` names the documents, on the detail and on the page', async () => {
    const site = testClient(stage.server.url, undefined, '')
    const at = path.replace('/collections', '')
    const { headers } = await anyone.get(`${path}/versions/latest`)
    const links = linksIn(headers['link'])
    const version = `${stage.server.url}/api${path}/versions/v1.0.0`
    expect(links.map(({ rel, url }) => `${rel} ${url}`)).toEqual([
      `cite-as ${stage.server.url}${at}/v/v1.0.0`,
      `describedby ${version}/croissant.json`,
      `describedby ${version}/datapackage.json`,
      `describedby ${version}/citation.bib`,
      'license https://spdx.org/licenses/CC-BY-4.0',
      `item ${version}/tables/Country.csv`,
      `item ${version}/tables/Place.csv`,
    ])
    for (const page of [at, `${at}/v/v1.0.0`])
      expect((await site.get(page)).headers['link']).toBe(headers['link'])
    for (const { url, type, rel } of links.filter(({ rel }) => rel === 'describedby' || rel === 'item')) {
      const answer = await whenBuilt(() => testClient(url, undefined, '').get(new URL(url).pathname))
      expect([rel, String(answer.headers['content-type']).replace('; charset=utf-8', '')]).toEqual([
        rel,
        type,
      ])
    }
  })
})
