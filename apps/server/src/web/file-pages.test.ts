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
      // The text is there, too, for all who cannot see the map.
      expect(html).toMatch(/<pre class="text"[^>]*>\{&quot;type&quot;:&quot;Feature/)
    }
    for (const text of [other, alike]) {
      const html = await preview(at, text)
      expect(html).toContain('<pre class="text"')
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
})
