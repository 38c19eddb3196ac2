/** Documents about a version with hostile or large metadata and schemas, and of a server without tables. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { croissantFaults, type Document, linksIn, packageFaults } from '../../testing/described.ts'
import { type Stage, setStage } from '../../testing/stage.ts'
import { expectStatus, testClient } from '../../testing/test-client.ts'

const files = ['citation.txt', 'citation.bib', 'citation.ris', 'citation.csl.json']
const headerMax = 4_096
const record = (type: string) => ({ id: '1', type, data: {} })

describe.each(anyDatabase)('hostile versions as documents, on $name', (database) => {
  let stage: Stage
  const publish = async (schemas: object, metadata: object) => {
    const { path } = await stage.newCollection()
    await stage.push(path, { opening: { schemas, metadata }, puts: [record(Object.keys(schemas)[0]!)] })
    return path
  }
  const read = async (path: string) => {
    const get = (file: string) => expectStatus(stage.anyone.get(`${path}/versions/v1.0.0${file}`), 200)
    const croissant: Document = JSON.parse((await get('/croissant.json')).text)
    const datapackage: Document = (await get('/datapackage.json')).json
    const site = testClient(stage.server.url, undefined, '')
    const page = await expectStatus(site.get(path.replace('/collections', '')), 200)
    const { link } = (await get('')).headers
    expect(page.headers['link']).toBe(link)
    expect(link).toMatch(/^[\x20-\x7e]+$/)
    expect(String(link).length).toBeLessThanOrEqual(headerMax)
    const citations = await Promise.all(files.map(async (file) => (await get(`/${file}`)).text))
    return { croissant, datapackage, citations, links: linksIn(link) }
  }

  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  test.each([
    ['spaces', ' \u0000\u202e\n ', undefined, undefined],
    ['an id', 'MIT', 'https://spdx.org/licenses/MIT', 'https://spdx.org/licenses/MIT'],
    ['a word that SPDX does not have', 'Proprietary', 'Proprietary', undefined],
    ['a sentence', 'Ask\r\nX-Evil: 1\u0000', 'Ask X-Evil: 1', undefined],
    [
      'an address with signs of headers',
      'https://exämple.org/a>; rel="next", <b\r\nX-Evil: ü"',
      'https://xn--exmple-cua.org/a%3E;%20rel=%22next%22,%20%3CbX-Evil:%20%C3%BC%22',
      'https://xn--exmple-cua.org/a%3E;%20rel=%22next%22,%20%3CbX-Evil:%20%C3%BC%22',
    ],
    ['a script', 'javascript:alert(1)', 'javascript:alert(1)', undefined],
    ['something large', 'https://a.example/'.padEnd(900_000, 'x'), expect.any(String), undefined],
  ])('licence: %s', async (_, license, described, linked) => {
    const { croissant, datapackage, links } = await read(await publish({ A: {} }, { license }))
    expect(croissantFaults(croissant)).toEqual([])
    expect(packageFaults(datapackage)).toEqual([])
    expect(croissant.license).toEqual(described)
    expect(links.find(({ rel }) => rel === 'license')?.url).toBe(linked)
    expect(links.map(({ rel }) => rel).filter((rel) => rel !== 'license')).toEqual([
      ...['cite-as', 'describedby', 'describedby', 'describedby', 'item'],
    ])
  })

  test('texts are cut and lose control characters', async () => {
    const evil = '\u0000\u001b[31m\u202e"}\r\n{\\, Ü</script>'
    const { croissant, datapackage, citations } = await read(
      await publish(
        {
          [`T ${'ü'.repeat(40)}`]: {
            properties: { [evil]: { title: evil } },
          },
        },
        {
          title: evil.repeat(15_000),
          description: evil,
          creators: [evil, { name: evil }, { name: { a: 1 } }, 7, ''],
          keywords: [evil, { a: 1 }, null, ''],
        },
      ),
    )
    expect(croissantFaults(croissant)).toEqual([])
    expect(packageFaults(datapackage)).toEqual([])
    expect(croissant.name.length).toBeLessThanOrEqual(300)
    expect(croissant.creator).toHaveLength(2)
    expect(croissant.keywords).toHaveLength(1)
    expect(croissant.recordSet[0].description).toBeUndefined()
    for (const text of citations) {
      expect(text.length).toBeLessThan(3_000)
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
    }
  })

  test('many types and fields: no file is named twice, and the documents stay bounded', async () => {
    const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`f${n}`, {}]))
    const many = Array.from({ length: 30 }, (_, n) => [`${n % 2 ? 'Type' : 'type'} ${n >> 1}`, {}])
    const schemas = {
      ...{ Wide: { properties: wide }, Wide2: { properties: wide }, Wider: { properties: wide } },
      ...Object.fromEntries(many),
    }
    const { croissant, datapackage, links } = await read(await publish(schemas, {}))
    expect(croissantFaults(croissant)).toEqual([])
    expect(packageFaults(datapackage)).toEqual([])
    expect(croissant.distribution).toHaveLength(2 * 33)
    expect(croissant.recordSet.map(({ name }: Document) => name)).not.toContain('Wider')
    expect(datapackage.resources.filter(({ schema }: Document) => schema === undefined)).toMatchObject([
      { title: 'Wider' },
    ])
    const items = links.filter(({ rel }) => rel === 'item').map(({ url }) => url.replace(/.*\//, ''))
    expect(items).toEqual(['records.ndjson', 'export?version=v1.0.0'])
  })

  test('types with long names leave room in the header', async () => {
    const types = Array.from({ length: 20 }, (_, n) => [`${'ü'.repeat(60)}${n}`, {}])
    const { links } = await read(await publish(Object.fromEntries(types), { license: 'MIT' }))
    expect(links.map(({ rel }) => rel)).toEqual([
      ...['cite-as', 'describedby', 'describedby', 'describedby', 'license', 'item', 'item'],
    ])
  })
})

describe.each(anyDatabase)('a server without tables, on $name', (database) => {
  test('documents name lines of JSON', async () => {
    const stage = await setStage(database)
    // As where the engine is missing. packages/registry/src/tables/install.test.ts
    Object.assign(stage.server.registry.tables, { isAvailable: false })
    try {
      const { path } = await stage.newCollection()
      const schemas = {
        B: { properties: { 'a"b': { type: 'string' } } },
        A: { properties: { b: { type: 'string', 'x-ref-type': 'B' } } },
      }
      await stage.push(path, { opening: { schemas }, puts: [record('A')] })
      const at = `${path}/versions/v1.0.0`
      const url = `${stage.server.url}/api${at}/records.ndjson?type=`
      const croissant: Document = JSON.parse((await stage.anyone.get(`${at}/croissant.json`)).text)
      expect(croissantFaults(croissant)).toEqual([])
      expect(croissant.distribution).toMatchObject([
        { name: 'A.ndjson', contentUrl: `${url}A`, encodingFormat: 'application/x-ndjson' },
        { name: 'B.ndjson' },
      ])
      const extracts = croissant.recordSet.flatMap(({ field }: Document) =>
        field.map(({ source }: Document) => source.extract.jsonPath),
      )
      expect(extracts).toEqual(['$.id', '$.data["b"]', '$.id', '$.data["a\\"b"]'])
      const { json } = await stage.anyone.get(`${at}/datapackage.json`)
      expect(packageFaults(json)).toEqual([])
      expect(json.resources[0]).toMatchObject({ path: `${url}A`, format: 'ndjson' })
      const links = linksIn((await stage.anyone.get(at)).headers['link'])
      expect(links.filter(({ rel }) => rel === 'item').map((one) => one.url)).toEqual([`${url}A`, `${url}B`])
    } finally {
      await stage.end()
    }
  })
})
