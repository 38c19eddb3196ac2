/** Maps of the records that match: where they are, in the view of the caller, without JavaScript. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

const number = { type: 'number' }
const optional = { type: ['number', 'null'] }
const closed = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
const types = {
  Town: {
    name: { type: 'string' },
    land: { type: 'string' },
    latitude: optional,
    longitude: optional,
    harbour: closed({ lat: number, lon: number }),
    home: { ...closed({ lat: number, lng: number }), private: true },
  },
  Peak: { name: { type: 'string' }, latlng: { type: 'array', items: number } },
  Well: { geometry: {}, name: { type: 'string' } },
  Buoy: { location: closed({ type: { type: 'string' }, coordinates: { type: 'array', items: number } }) },
  Swap: { lat: number, lon: number },
  Isle: { lat: number, lng: number },
  Many: { lat: number, lon: number },
  Near: { lat: number, lon: number },
  Plain: { name: { type: 'string' }, size: number },
}
const range = (n: number) => [...Array(n).keys()]
const rows: Record<keyof typeof types, object[]> = {
  Town: [
    ...range(10).map((n) => ({
      name: `Town ${n} <b>`,
      land: n < 4 ? 'NOR' : 'SWE',
      latitude: 58 + n,
      longitude: 6 + n,
      harbour: { lat: 40 + n, lon: -3 },
      home: { lat: -33.8 - n / 10, lng: 151.2 },
    })),
    { name: 'No place', latitude: null, land: 'NOR' },
    { name: 'Half a place', latitude: 60, land: 'NOR' },
    { name: 'Beyond', latitude: 91, longitude: 181, land: 'NOR' },
  ],
  Peak: [{ name: 'Blanc', latlng: [45.83, 6.86] }, { name: 'Rosa', latlng: [45.94, 7.87] }, { latlng: [] }],
  Well: [
    { name: 'Point', geometry: { type: 'Point', coordinates: [10.7, 59.9] } },
    { name: 'Object', geometry: { lat: 59.1, lng: 10.2 } },
    { name: 'Line', geometry: { type: 'LineString', coordinates: [[1, 2]] } },
    { name: 'Text', geometry: 'POINT (10 59)' },
  ],
  Buoy: [{ location: { type: 'Point', coordinates: [5.3, 60.4] } }],
  Swap: range(20).map((n) => ({ lat: 80 + n * 3, lon: 20 + n })),
  Isle: [
    { lat: -17.8, lng: 177.4 },
    { lat: -16.8, lng: -179.9 },
    { lat: -16.2, lng: 179.3 },
  ],
  // 1,000 and 1,001 at two places far apart.
  Many: range(2_001).map((n) => (n < 1_000 ? { lat: 60.2, lon: 24.9 } : { lat: -33.9, lon: 18.4 })),
  Near: range(2_001).map((n) => (n < 1_000 ? { lat: 60.2, lon: 24.9 } : { lat: 59.4, lon: 24.7 })),
  Plain: [{ name: 'a', size: 1 }],
}

describe.each(anyDatabase)('maps of records on $name', (database) => {
  let stage: Stage
  let cookie: string
  let at: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
    const { path } = await stage.newCollection()
    const schemas = Object.fromEntries(
      Object.entries(types).map(([type, properties]) => [type, { type: 'object', properties }]),
    )
    const puts = Object.entries(rows).flatMap(([type, all]) =>
      all.map((data, n) => ({ id: `${type.toLowerCase()}${String(n).padStart(4, '0')}`, type, data })),
    )
    const hidden = { name: 'Hidden', land: 'NOR', latitude: 70, longitude: 20 }
    await stage.push(path, {
      opening: { schemas },
      puts: [...puts, { id: 'hidden', type: 'Town', data: hidden, private: true }],
    })
    at = `${path.replace('/collections', '')}/records`
    for (const client of [stage.ada, stage.anyone])
      for (const type of Object.keys(types))
        while ((await client.get(`${path}/versions/latest/tables/${type}/statistics`)).status === 202);
  })
  afterAll(() => stage.end())

  const page = async (type: keyof typeof types, query: Record<string, string> = {}, as?: string) => {
    const path = `${at}/${type}?${new URLSearchParams({ view: 'map', ...query })}`
    const { status, text } = await testClient(stage.server.url, as ? { cookie: as } : undefined, '').get(path)
    expect(status).toBe(200)
    expect(text).not.toMatch(/NaN|Infinity|undefined/)
    return text
  }
  const drawingIn = (html: string) => /<figure class="map">.*?<\/figure>/s.exec(html)?.[0] ?? ''
  /** Dots with their titles, paths of records and places in the drawing. */
  const dotsIn = (html: string) =>
    [
      ...drawingIn(html).matchAll(
        /<a href="([^"]*)"[^>]*><circle cx="([\d.-]+)" cy="([\d.-]+)"><title>(.*?)<\/title>/g,
      ),
    ].map(([, href, x, y, title]) => ({ href: href!, x: Number(x), y: Number(y), title: decoded(title!) }))
  const numbersIn = (html: string) => {
    const [, table = ''] = /<details class="numbers">.*?<tbody>(.*?)<\/tbody>/s.exec(html) ?? []
    return [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
        decoded(cell!.replaceAll(/<[^>]*>/g, '')),
      ),
    )
  }
  const captionIn = (html: string) =>
    decoded(/<figcaption>(.*?)<\/figcaption>/s.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '').trim()

  test('each record is a dot that leads to it, in its place; others are counted in sentences', async () => {
    const html = await page('Town')
    const dots = dotsIn(html)
    expect(dots.map(({ title, href }) => [title, href])).toEqual(
      range(10).map((n) => [`Town ${n} <b>`, `${at}/Town/town000${n}`]),
    )
    // From the south to the north, and from the west to the east.
    for (const [n, { x, y }] of dots.slice(1).entries()) {
      expect(x).toBeGreaterThan(dots[n]!.x)
      expect(y).toBeLessThan(dots[n]!.y)
    }
    for (const { x, y } of dots) {
      expect([x > 0, x < 1_000, y > 0, y < 550]).toEqual([true, true, true, true])
    }
    expect(captionIn(html)).toBe(
      '10 records. 2 records have no coordinates. 1 record has impossible coordinates and is left out.',
    )
    expect(numbersIn(html)[0]).toEqual(['Town 0 <b>', '58', '6'])
    expect(drawingIn(html)).toMatch(/<path id="map-land" class="land" d="M[\d-]/)
  })

  test('search and filters apply, and the other forms keep them', async () => {
    const html = await page('Town', { filter: 'land eq NOR', sort: '-name' })
    expect(dotsIn(html)).toHaveLength(4)
    expect(html).toContain('<strong>7 of 13 records</strong>')
    expect(dotsIn(await page('Town', { q: 'town 7' })).map(({ title }) => title)).toEqual(['Town 7 <b>'])
    expect(html).toMatch(/aria-current="true">Map</)
    for (const [name, view] of [
      ['Table', ''],
      ['Chart', '&view=chart'],
    ]) {
      const [, href] = new RegExp(`href="([^"]*)"[^>]*>${name}<`).exec(html)!
      expect(decoded(href!)).toBe(`${at}/Town?filter=land+eq+NOR&sort=-name${view}`)
    }
    expect(decoded(/data-to="([^"]*)"/.exec(html)?.[1] ?? 'view=map')).toContain('view=map')
  })

  test('members of objects are coordinates too, and a form changes the choice', async () => {
    const html = await page('Town', { filter: 'land eq NOR' })
    const [form = ''] = /<form class="form inline chart-form".*?<\/form>/s.exec(html) ?? []
    expect(
      [...form.matchAll(/<option value="([^"]*)"( selected)?/g)].map(([, value, chosen]) => [value, chosen]),
    ).toEqual([
      ['latitude,longitude', ' selected'],
      ['harbour.lat,harbour.lon', undefined],
    ])
    expect(form).toContain('<input type="hidden" name="filter" value="land eq NOR"/>')
    expect(form).toContain('<input type="hidden" name="view" value="map"/>')
    const harbours = await page('Town', { coordinates: 'harbour.lat,harbour.lon' })
    expect(numbersIn(harbours)[0]).toEqual(['Town 0 <b>', '40', '-3'])
    // The names tell which is which.
    expect(numbersIn(await page('Town', { coordinates: 'harbour.lon,harbour.lat' }))).toEqual(
      numbersIn(harbours),
    )
  })

  test('lists and GeoJSON Points have places', async () => {
    expect(numbersIn(await page('Peak'))).toEqual([
      ['Blanc', '45.83', '6.86'],
      ['Rosa', '45.94', '7.87'],
    ])
    const wells = await page('Well')
    expect(numbersIn(wells)).toEqual([
      ['Point', '59.9', '10.7'],
      ['Object', '59.1', '10.2'],
    ])
    expect(captionIn(wells)).toBe('2 records. 2 records have no coordinates.')
    expect(numbersIn(await page('Buoy'))).toEqual([['buoy0000', '60.4', '5.3']])
  })

  test('swapped coordinates are recognised, and drawn in the right places', async () => {
    const html = await page('Swap')
    expect(captionIn(html)).toContain('Latitudes and longitudes are swapped in the data')
    expect(numbersIn(html)[0]).toEqual(['swap0000', '20', '80'])
    expect(dotsIn(html)).toHaveLength(20)
  })

  test('places on both sides of 180° are beside each other', async () => {
    const dots = dotsIn(await page('Isle'))
    const byPlace = dots.toSorted((a, b) => a.x - b.x).map(({ title }) => title)
    expect(byPlace).toEqual(['isle0000', 'isle0002', 'isle0001'])
    expect(dots[1]!.x - dots[2]!.x).toBeGreaterThan(50)
  })

  test('many records are counted in hexagons, which lead to the map of their records', async () => {
    for (const [type, second] of [
      ['Many', [-33.9, 18.4]],
      ['Near', [59.4, 24.7]],
    ] as const) {
      const html = await page(type)
      expect(dotsIn(html)).toEqual([])
      expect(captionIn(html)).toBe('2,001 records, counted in hexagons of equal area.')
      expect(
        [...drawingIn(html).matchAll(/<use [^>]*><title>(.*?)<\/title>/g)].map(([, count]) => count),
      ).toEqual(expect.arrayContaining(['1,000', '1,001']))
      const numbers = numbersIn(html)
      expect(numbers.map(([, count]) => count)).toEqual(['1,001', '1,000'])
      // The page inverts the projection of the statement.
      for (const [n, [latitude, longitude]] of [second, [60.2, 24.9]].entries()) {
        const [, lat, ns, lon, ew] = /^([\d.]+)° ([NS]), ([\d.]+)° ([EW])$/.exec(numbers[n]![0]!)!
        const slack = type === 'Many' ? 3 : 0.1
        expect(Math.abs(Number(lat) * (ns === 'S' ? -1 : 1) - latitude!)).toBeLessThan(slack)
        expect(Math.abs(Number(lon) * (ew === 'W' ? -1 : 1) - longitude!)).toBeLessThan(slack)
      }
      const [, zoom] = /<details class="numbers">.*?<a href="([^"]*)"/s.exec(html)!
      const { text } = await testClient(stage.server.url, undefined, '').get(decoded(zoom!))
      expect(dotsIn(text)).toHaveLength(1_001)
    }
  })

  test('2,000 records are dots still', async () => {
    const html = await page('Many', { filter: '_id ne many0000' })
    expect(dotsIn(html)).toHaveLength(2_000)
    expect(html).toContain('The first 200 of 2,000 places')
    expect(numbersIn(html)).toHaveLength(200)
    expect(Buffer.byteLength(html)).toBeLessThan(400_000)
  })

  test('types without coordinates are offered no map', async () => {
    const offered = async (type: keyof typeof types, query = '') =>
      / href="[^"]*view=map"[^>]*>Map<|aria-current="true">Map</.test(
        (await testClient(stage.server.url, undefined, '').get(`${at}/${type}${query}`)).text,
      )
    expect([await offered('Town'), await offered('Peak'), await offered('Plain')]).toEqual([
      true,
      true,
      false,
    ])
    expect(await offered('Plain', '?view=chart')).toBe(false)
    // An address that names the form shows why there is none.
    expect(await offered('Plain', '?view=map')).toBe(true)
  })

  test('a map that cannot be is refused with the reason', async () => {
    for (const [type, query, reason] of [
      ['Plain', {}, 'no column has coordinates. Name them latitude and longitude'],
      ['Plain', { coordinates: 'nothing,size' }, 'There is no field "nothing".'],
      ['Plain', { coordinates: 'name' }, 'Coordinates are two columns of numbers'],
      ['Plain', { coordinates: 'size,size' }, 'is named twice'],
      ['Town', { filter: 'name eq "No place"' }, 'no record has coordinates.'],
      ['Town', { filter: 'name eq Beyond' }, 'the coordinates of 1 record are nowhere on the globe.'],
      ['Town', { filter: 'name eq Absent' }, 'no record has coordinates.'],
    ] as const) {
      const html = await page(type, query)
      expect(decoded(/No map: (.*?)<\/p>/s.exec(html)?.[1] ?? '')).toContain(reason)
    }
  })

  test('others see nothing of private records and columns', async () => {
    expect(dotsIn(await page('Town', {}, cookie)).map(({ title }) => title)).toContain('Hidden')
    const homes = { coordinates: 'home.lat,home.lng' }
    expect(numbersIn(await page('Town', homes, cookie))[0]).toEqual(['Town 0 <b>', '-33.8', '151.2'])
    for (const as of [undefined, cookie]) {
      const view = `${at}/Town?${as === undefined ? '' : 'view=public&'}view=map`
      const client = testClient(stage.server.url, as ? { cookie: as } : undefined, '')
      const { text } = await client.get(view)
      expect(dotsIn(text).map(({ title }) => title)).toEqual(range(10).map((n) => `Town ${n} <b>`))
      expect(text).not.toContain('home.l')
      const refused = (await client.get(`${view}&${new URLSearchParams(homes)}`)).text
      expect(refused).toContain('No map: ')
      expect(refused).not.toMatch(/151\.2|-33\.8/)
    }
  })
})
