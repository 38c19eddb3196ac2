/** Pages of files: previews by kind, in the view of the caller, without JavaScript. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { fileHash, testClient } from '../testing/test-client.ts'

const oslo = { type: 'Point', coordinates: [10.7, 59.9] }
const feature = (name: string) => ({ type: 'Feature', properties: { name }, geometry: oslo })

describe.each(anyDatabase)('pages of files on $name', (database) => {
  let stage: Stage
  let cookie: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
  })
  afterAll(() => stage.end())

  /** A collection with a record for each file. Returns the path of its pages. */
  async function collectionOf(
    files: readonly (readonly [name: string, text: string | Buffer, type: string])[],
  ) {
    const { path } = await stage.newCollection()
    for (const [, text, type] of files) await stage.ada.upload(path, text, type)
    const puts = files.map(([name, text], n) => ({
      id: String(n),
      type: 'A',
      data: { file: { $file: fileHash(text), name } },
      ...(name.startsWith('secret') && { private: true }),
    }))
    await stage.push(path, { opening: { schemas: { A: {} } }, puts })
    return path.replace('/collections', '')
  }
  const page = async (path: string, as?: string) => {
    const client = testClient(stage.server.url, as === undefined ? undefined : { cookie: as }, '')
    const { status, text } = await client.get(path)
    expect(status).toBe(200)
    return text
  }
  const preview = (at: string, file: string | Buffer, as?: string) =>
    page(`${at}/files?hash=${encodeURIComponent(fileHash(file))}`, as)
  const reasonIn = (html: string) => decoded(/<p class="note no-chart">(.*?)<\/p>/.exec(html)?.[1] ?? '')

  test('GeoJSON is a map, whether its type, its name or its text tells', async () => {
    const texts = ['by type', 'by name', 'by text'].map((name) => JSON.stringify(feature(name)))
    const other = JSON.stringify({ type: 'Point of view', note: 'none' })
    const alike = JSON.stringify({ type: 'Feature', note: 'a feature of something else' })
    const at = await collectionOf([
      ['a', texts[0]!, 'application/geo+json'],
      ['b.geojson', texts[1]!, 'application/json'],
      ['c', texts[2]!, 'application/json; charset=utf-8'],
      ['d', other, 'application/json'],
      ['e', alike, 'application/json'],
    ])
    for (const text of texts) {
      const html = await preview(at, text)
      expect(html).toContain('<figure class="map">')
      expect(html).toMatch(/<title>by (?:type|name|text)<\/title>/)
      // The text is one link away, for all who cannot see the map.
      const [, asText] = /<a href="([^"]*)"[^>]*>Show as text<\/a>/.exec(html)!
      expect(await page(decoded(asText!))).toMatch(/<pre class="text"[^>]*>\{&quot;type&quot;:&quot;Feature/)
    }
    for (const text of [other, alike]) {
      const html = await preview(at, text)
      expect(html).toContain('<ul class="tree">')
      expect(html).not.toMatch(/class="map"|No map/)
    }
  })

  test('a file without a map says why', async () => {
    const broken = '{"type":"FeatureCollection","features":[{'
    const metres = JSON.stringify({ type: 'Point', coordinates: [600_000, 6_640_000] })
    const large = `${JSON.stringify(feature('large'))}${' '.repeat(8_000_000)}`
    const at = await collectionOf([
      ['a', broken, 'application/geo+json'],
      ['b', metres, 'application/geo+json'],
      ['c', large, 'application/geo+json'],
    ])
    expect(reasonIn(await preview(at, broken))).toContain(
      'the file is no valid JSON. Check that it is complete.',
    )
    expect(reasonIn(await preview(at, metres))).toContain('They must be degrees.')
    expect(reasonIn(await preview(at, large))).toContain(
      'the file has 8 MB, and shapes are drawn of files up to 8 MB.',
    )
  })

  test('the map of a private file is for members in their view alone, also once it is drawn', async () => {
    const hidden = JSON.stringify(feature('hush'))
    const at = await collectionOf([['secret.geojson', hidden, 'application/geo+json']])
    expect(await preview(at, hidden, cookie)).toContain('<title>hush</title>')
    for (const html of [
      await preview(at, hidden),
      await page(`${at}/files?hash=${encodeURIComponent(fileHash(hidden))}&view=public`, cookie),
    ]) {
      expect(html).toContain('This version has no such file.')
      expect(html).not.toMatch(/hush|class="map"/)
    }
  })
  test('files have the names that records give, or those of the field and the record, in the order of records', async () => {
    const { path } = await stage.newCollection()
    const texts = ['zero', 'one', 'two', 'three', 'hush']
    for (const text of texts) await stage.ada.upload(path, text, 'text/plain')
    const file = (text: string) => ({ $file: fileHash(text) })
    const schema = JSON.parse(
      '{"properties":{"name":{"type":"string"},"__proto__":{},"outline":{}}}',
    ) as object
    const put = (id: string, data: object, isPrivate = false) => ({
      ...{ id, type: 'Country', data, ...(isPrivate && { private: true }) },
    })
    await stage.push(path, {
      opening: { schemas: { Country: schema } },
      puts: [
        put('d', { name: 'Norway', outline: file('zero') }),
        put('c', { name: 'Chad', outline: { ...file('one'), name: 'chad.txt' } }),
        put('b', { outline: [file('two')] }),
        put('a', JSON.parse(`{"name":"<b>","__proto__":${JSON.stringify(file('three'))}}`) as object),
        put('e', { name: 'Secret', outline: file('hush') }, true),
      ],
    })
    const at = path.replace('/collections', '')
    const labels = (html: string) =>
      [...html.matchAll(/<th scope="row"><a href="[^"]*">.*?<bdi>(.*?)<\/bdi><\/a>/g)].map(([, one]) =>
        decoded(one!),
      )
    const open = ['__proto__ of <b>', 'outline of b', 'chad.txt', 'outline of Norway']
    expect(labels(await page(`${at}/files`))).toEqual(open)
    expect(labels(await page(`${at}/files?view=public`, cookie))).toEqual(open)
    expect(labels(await page(`${at}/files`, cookie))).toEqual([...open, 'outline of Secret'])
    // The page of one has the same name as its heading, and its facts once.
    const one = await preview(at, 'zero')
    expect(one).toContain('<h2 class="record-name"><bdi>outline of Norway</bdi></h2>')
    expect(one).not.toContain('aria-label="Files"')
  })

  test('lists show small GeoJSON as outlines, without texts of the file and for its readers alone', async () => {
    const hidden = JSON.stringify({ ...feature('<script>'), note: 'hush' })
    const at = await collectionOf([
      ['secret.geojson', hidden, 'application/geo+json'],
      ['broken', '{"type":"Feature"', 'application/geo+json'],
      ['large', `${JSON.stringify(feature('large'))}${' '.repeat(2_000_000)}`, 'application/geo+json'],
    ])
    const sources = async (as?: string) =>
      [...(await page(`${at}/files`, as)).matchAll(/<img class="thumbnail" src="([^"]*)"/g)].map(([, to]) =>
        decoded(to!),
      )
    const [own, broken] = [
      `${at}/files?hash=${encodeURIComponent(fileHash(hidden))}&as=outline`,
      await sources(),
    ]
    expect(broken).toHaveLength(1)
    expect(await sources(cookie)).toEqual([own, ...broken])
    const drawing = await page(own, cookie)
    expect(drawing).toMatch(/^<svg [^>]*>(?:<path [^<>]*\/>)+<\/svg>$/)
    expect(drawing).not.toMatch(/script|hush/)
    expect(await page(broken[0]!)).toMatch(/^<svg [^>]*><\/svg>$/)
    for (const html of [await page(own), await page(`${own}&view=public`, cookie)])
      expect(html).toContain('This version has no such file.')
  })

  /** Texts of the cells of a table's preview. */
  const rowsIn = (html: string) => {
    const [, table = ''] = /aria-label="Preview of the table">(.*?)<\/table>/s.exec(html) ?? []
    return [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
        decoded(cell!.replaceAll(/<[^>]*>/g, '')),
      ),
    )
  }

  test('lines of CSV, TSV and NDJSON are a table, whose rows and columns are limited', async () => {
    const wide = Array.from({ length: 30 }, (_, n) => `c${n}`).join()
    const files = {
      plain: ['navn;note\nÅ;"a; ""b"" <i>"\nB;\n', 'text/csv'],
      tabs: ['a\tb\n1\t2\n', 'text/tab-separated-values'],
      lines: ['{"a":1,"b":{"c":12345678901234567890}}\n{"a":"x"}\n', 'application/x-ndjson'],
      long: [`n,text\n${Array.from({ length: 9_000 }, (_, n) => `${n},row ${n}`).join('\n')}`, 'text/csv'],
      wide: [`${wide}\n${wide}`, 'text/csv'],
      none: ['only a heading', 'text/csv'],
      broken: ['a,a\n"x', 'text/csv'],
      untyped: ['x,y\n1,2\n', 'application/octet-stream'],
    } as const
    const at = await collectionOf(
      Object.entries(files).map(([name, [text, type]]) => [`${name}.csv`, text, type]),
    )
    const look = (name: keyof typeof files) => preview(at, files[name][0])
    expect(rowsIn(await look('plain'))).toEqual([['navn', 'note'], ['Å', 'a; "b" <i>'], ['B', '']]) // biome-ignore format: a table
    expect(rowsIn(await look('tabs'))).toEqual([['a', 'b'], ['1', '2']]) // biome-ignore format: a table
    expect(rowsIn(await look('lines'))).toEqual([['a', 'b'], ['1', '{"c":"12345678901234567890"}'], ['x', '']]) // biome-ignore format: a table
    expect(rowsIn(await look('untyped'))).toEqual([['x', 'y'], ['1', '2']]) // biome-ignore format: a table
    const long = await look('long')
    expect(rowsIn(long)).toHaveLength(51)
    expect(long).toContain('The first 50 rows.')
    expect(rowsIn(await look('wide'))[0]).toHaveLength(20)
    expect(await look('wide')).toContain('1 row, 20 of 30 columns.')
    for (const name of ['none', 'broken'] as const) expect(await look(name)).toContain('<pre class="text"')
  })

  test('small JSON is a tree, other JSON is text', async () => {
    const files = [
      '{"a":{"<b>":[1,null]}}',
      '[]',
      '7',
      '{"a":',
      '{"__proto__":{"constructor":1}}',
      `["${'x'.repeat(20_000)}"]`,
      '['.repeat(4_000),
    ]
    const at = await collectionOf(files.map((text, n) => [`${n}.json`, text, 'application/json']))
    const isTree = await Promise.all(
      files.map(async (text) => (await preview(at, text)).includes('class="tree"')),
    )
    expect(isTree).toEqual([true, false, false, false, true, false, false])
    // The engine cannot write what nests so deep.
    const deep = `${'['.repeat(4_999)}${']'.repeat(4_999)}`
    const lines = `{"a":${deep}}\n`
    const hostile = await collectionOf([
      ['a', deep, 'application/json'],
      ['b', lines, 'application/x-ndjson'],
    ])
    for (const text of [deep, lines]) expect(await preview(hostile, text)).toContain('<pre class="text"')
  })

  test('the gallery has the pictures of the view, without drawings, and no more than names of large ones', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>'
    const large = Buffer.alloc(2_000_001)
    const at = await collectionOf([
      ['one.png', 'picture one', 'image/png'],
      ['<b>two.jpg', 'picture two', 'image/jpeg'],
      ['drawing.svg', svg, 'image/svg+xml'],
      ['large.png', large, 'image/png'],
      ['text.txt', 'text', 'text/plain'],
      ['secret.png', 'hush', 'image/png'],
    ])
    const pictures = async (query: string, as?: string) => {
      const html = await page(`${at}/files?view=gallery${query}`, as)
      const [gallery = ''] = /<ul class="gallery">.*?<\/ul>/s.exec(html) ?? []
      expect(gallery).not.toMatch(/svg|text\.txt|<b>two/)
      const sources = [...gallery.matchAll(/<img src="([^"]*)"[^>]* loading="lazy"/g)].map(([, to]) => to!)
      expect(sources).toHaveLength(gallery.split('<img').length - 1)
      return { gallery, hashes: sources.map((to) => to.split('/').at(-1)!).sort() }
    }
    const [one, two, hidden] = ['picture one', 'picture two', 'hush'].map(fileHash)
    const open = await pictures('')
    expect(open.hashes).toEqual([one, two].toSorted())
    expect(open.gallery).toContain('2 MB, too large for a gallery')
    expect(open.gallery).toContain('&lt;b>two.jpg')
    expect((await pictures('', cookie)).hashes).toEqual([one, two, hidden].toSorted())
    expect((await pictures('&view=public', cookie)).hashes).toEqual(open.hashes)
    // The pager of all lists.
    const later = await page(`${at}/files?view=gallery&from=40`)
    const links =
      /<div class="table-foot"><span class="quiet">3 pictures<\/span><nav class="pager" aria-label="Pages">(.*?)<\/nav>/
    const [, between = ''] = links.exec(later) ?? []
    expect([...between.matchAll(/href="([^"]*)"/g)].map(([, to]) => decoded(to!))).toEqual([
      `${at}/files?view=gallery`,
      `${at}/files?view=gallery&from=16`,
    ])
    expect(await page(`${at}/files`)).not.toContain('class="pager"')
    // A list without pictures offers no gallery.
    const texts = await collectionOf([['a.txt', 'a', 'text/plain']])
    expect(await page(`${texts}/files`)).not.toContain('Gallery')
  })
})
