/** Profiles of columns, facets and labels on the records page: links that filter, in the caller's view. */

import { RegistryError } from '@ulmus/registry'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstGood } from '../../../../packages/content/src/testing/measured.ts'
import { decoded, idsIn } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient, whenBuilt } from '../testing/test-client.ts'

const lands = ['NOR', 'SWE', 'FIN'] as const
const properties = {
  name: { type: 'string' },
  land: { type: 'string', 'x-ref-type': 'Land' },
  people: { type: 'integer' },
  founded: { type: 'string', format: 'date' },
  place: {
    type: 'object',
    properties: { height: { type: 'number' }, coast: { type: 'boolean' } },
    additionalProperties: false,
  },
  secret: { type: 'string', private: true },
}

describe.each(anyDatabase)('profiles on the records page, on $name', (database) => {
  let stage: Stage
  let cookie: string
  let at: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
    const { path } = await stage.newCollection()
    const towns = Array.from({ length: 60 }, (_, n) => ({
      id: `t${String(n).padStart(2, '0')}`,
      type: 'Town',
      data: {
        name: `Town ${n}`,
        land: lands[n % 3]!,
        people: n * 1_000,
        founded: `${1900 + n}-06-15`,
        place: { height: n / 2, coast: n % 4 === 0 },
        secret: n < 30 ? 'hush' : 'hidden thing',
      },
    }))
    await stage.push(path, {
      opening: {
        schemas: {
          Town: { properties },
          Land: { properties: { name: { type: 'string' } } },
          Ghost: { properties: { mood: { type: 'string' } }, private: true },
        },
      },
      puts: [
        ...towns,
        ...['a', 'b', 'c', 'd'].map((id) => ({
          id: `hidden-${id}`,
          type: 'Town',
          data: { land: 'NOR', name: 'Hushby', people: 900_000 },
          private: true,
        })),
        ...(['Norway', 'Sweden', 'Finland'] as const).map((name, n) => ({
          id: lands[n]!,
          type: 'Land',
          data: { name },
        })),
        { id: 'g', type: 'Ghost', data: { mood: 'grim' } },
      ],
    })
    at = `${path.replace('/collections', '')}/records/Town`
    for (const client of [stage.ada, stage.anyone])
      for (const type of ['Town', 'Land'])
        while ((await client.get(`${path}/versions/latest/tables/${type}/statistics`)).status === 202);
  })
  afterAll(() => stage.end())

  const page = async (path: string, as?: string) => {
    const { status, text } = await testClient(stage.server.url, as ? { cookie: as } : undefined, '').get(path)
    return { status, html: text }
  }
  const plain = (html: string) => decoded(html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '))
  const panelOf = (html: string) => /<aside class="facets".*?<\/aside>/s.exec(html)?.[0] ?? ''
  const profilesOf = (html: string) => /<tr class="profiles">.*?<\/tr>/s.exec(html)?.[0] ?? ''
  const linkTo = (html: string, text: string) =>
    [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)]
      .filter(([, , inside]) => plain(inside!).trim() === text)
      .map(([, href]) => decoded(href!))[0]!

  test('facets count the values among the matching records, and a click filters by one', async () => {
    const closed = await page(at)
    expect(panelOf(closed.html)).toBe('')
    const { html } = await page(linkTo(closed.html, 'Facets'))
    expect(plain(panelOf(html))).toContain('land Finland 20 Norway 20 Sweden 20')
    expect(plain(panelOf(html))).toContain('place.coast false 45 true 15')
    const norway = linkTo(panelOf(html), 'Norway')
    const filtered = await page(norway)
    expect(filtered.html).toContain('<strong>20 of 60 records</strong>')
    expect(plain(panelOf(filtered.html))).toContain('place.coast false 15 true 5')
    // The value is marked, and a second click removes the filter.
    expect(panelOf(filtered.html)).toContain('aria-current="true"')
    expect(linkTo(panelOf(filtered.html), 'Norway')).toBe(`${at}?facets=1`)
    expect(linkTo(html, 'Hide facets')).toBe(at)
  })

  const menuOf = (html: string, name: string) => {
    const button = new RegExp(`popovertarget="([^"]+)" aria-label="Questions about ${name}"`)
    const [, place] = button.exec(html) ?? []
    return new RegExp(`<div[^>]* id="${place}">.*?</div>`, 's').exec(html)?.[0] ?? ''
  }

  /** A page leaves out profiles that take longer than a moment; a later visit has them. */
  const profiled = async (path: string): Promise<string> => {
    const visit = async () => (await page(path)).html
    return firstGood(visit, (html) => profilesOf(html) !== '')
  }

  test('the header of a column has the questions that suit it', async () => {
    const filtered = `${at}?filter=place.coast+eq+true`
    const views = 'Sort ascending Sort descending Only with a value Hide this column'
    const html = await profiled(filtered)
    const questions = ['people', 'founded', 'land', 'name'].map((name) => plain(menuOf(html, name)).trim())
    expect(questions).toEqual([
      `Group by this Sum of this Bars ${views}`,
      `Group by this ${views}`,
      `Group by this Facet by this ${views}`,
      views,
    ])
    const menu = menuOf(html, 'land')
    expect(linkTo(menu, 'Group by this')).toBe(`${filtered}&view=chart&x=land`)
    expect((await page(linkTo(menuOf(html, 'people'), 'Sum of this'))).html).toContain('sum of people')
    const sorted = (await page(linkTo(menuOf(html, 'people'), 'Sort descending'))).html
    expect(plain(menuOf(sorted, 'people'))).not.toContain('Sort descending')
    expect(linkTo(menuOf(sorted, 'land'), 'Only with a value')).toContain('filter=land+notnull')
    const hidden = (await page(linkTo(menuOf(html, 'land'), 'Hide this column'))).html
    expect(menuOf(hidden, 'land')).toBe('')
    // One facet, then a second one beside it; filters and another version keep both.
    const one = await profiled(linkTo(menu, 'Facet by this'))
    expect(plain(panelOf(one)).trim()).toBe('land Finland 5 Norway 5 Sweden 5')
    expect(menuOf(one, 'land')).not.toContain('Facet by this')
    const both = await profiled(linkTo(menuOf(one, 'place.coast'), 'Facet by this'))
    expect(plain(panelOf(both))).toContain('place.coast true 15')
    const norway = await profiled(linkTo(panelOf(both), 'Norway'))
    expect(plain(panelOf(norway))).toContain('place.coast true 5')
    expect(linkTo(norway, 'Hide facets')).not.toContain('facet')
  })

  test('profiles fold, and stay folded while the visitor filters', async () => {
    const folded = await page(linkTo((await page(`${at}?facets=1`)).html, 'Hide column profiles'))
    expect(profilesOf(folded.html)).toBe('')
    const filtered = await page(linkTo(panelOf(folded.html), 'Norway'))
    expect(profilesOf(filtered.html)).toBe('')
    expect(profilesOf((await page(linkTo(filtered.html, 'Show column profiles'))).html)).toContain('Norway')
    // Without records there are no columns.
    const { html } = await page(`${at}?q=nothing+has+these+words`)
    expect([html.includes('No record matches.'), html.includes('column profiles')]).toEqual([true, false])
  })

  test('the overview shows the profiles that were computed before, in the view of the caller', async () => {
    const overview = at.replace('/records/Town', '')
    const [outside, inside] = [await page(overview), await page(overview, cookie)]
    expect(plain(profilesOf(outside.html))).toContain('Norway 33 %')
    const bars = (html: string) => [...html.matchAll(/href="([^"]*people[^"]*)"[^>]*><title>/g)]
    expect(bars(outside.html)).toHaveLength(20)
    expect(idsIn((await page(decoded(bars(outside.html)[0]![1]!))).html)).toHaveLength(3)
    // The hidden town with 900,000 people widens the bins of members.
    expect(bars(inside.html)[0]![1]).not.toBe(bars(outside.html)[0]![1])
    expect(outside.html).not.toMatch(/900,?000|Hushby|hush/)
    // A visit of the overview computes nothing.
    const { path } = await stage.newCollection()
    await stage.push(path, {
      opening: { schemas: { Town: { properties } } },
      puts: [{ id: 'a', type: 'Town', data: { people: 1 } }],
    })
    expect(profilesOf((await page(path.replace('/collections', ''))).html)).toBe('')
  })

  test('above the result of a filter or a search, the profiles name the records that they describe', async () => {
    const described = async (query: string) => plain(profilesOf((await page(`${at}?${query}`)).html)).trim()
    for (const query of ['filter=land+eq+NOR', 'q=Town+1'])
      expect(await described(query)).toMatch(/^All 60 records /)
    expect(await described('sort=-people')).not.toContain('60 records')
    expect(plain(profilesOf((await page(`${at}?filter=land+eq+NOR`, cookie)).html))).toContain(
      'All 64 records',
    )
  })

  test('a bar of a histogram filters by its range, which replaces the last one', async () => {
    const { html } = await page(at)
    const bars = [...profilesOf(html).matchAll(/<a href="([^"]*)"[^>]*><title>([^<]*)</g)].map(
      ([, href, title]) => ({ to: decoded(href!), title: title! }),
    )
    // Each of people, founded and place.height has 20 bins of 3 records.
    expect(bars.length).toBe(60)
    for (const bar of [bars[0]!, bars[19]!, bars[20]!, bars[39]!, bars[59]!]) {
      const count = Number(bar.title.split(': ')[1])
      expect([bar.title, idsIn((await page(bar.to)).html).length]).toEqual([bar.title, count])
    }
    const first = await page(bars[0]!.to)
    const again = [...profilesOf(first.html).matchAll(/<a href="([^"]*)"/g)].map(([, to]) => decoded(to!))
    expect(new URLSearchParams(again[1]!.split('?')[1]).getAll('filter')).toHaveLength(2)
  })

  test('members of objects are columns, and references show the title of their record', async () => {
    const { html } = await page(`${at}?columns=land&columns=place.height`)
    expect(/<thead>.*?<\/tr>/s.exec(html)![0].match(/<bdi>[^<]*/g)).toEqual([
      '<bdi>id',
      '<bdi>land',
      '<bdi>place.height',
    ])
    expect(html).toMatch(/title="NOR"[^>]*><bdi>Norway</)
    const whole = await page(`${at}?columns=place`)
    expect(whole.html.match(/<bdi>place\.\w+/g)).toContain('<bdi>place.coast')
  })

  test('others see nothing of private fields, records and types in profiles and facets', async () => {
    // One after the other: a page that waits for the engine too long leaves labels out.
    const own = await page(`${at}?facets=1`, cookie)
    const stranger = await page(`${at}?facets=1`)
    const asPublic = await page(`${at}?facets=1&view=public`, cookie)
    expect(plain(own.html)).toContain('hidden thing')
    expect(plain(panelOf(own.html))).toContain('Norway 24')
    for (const { html } of [stranger, asPublic]) {
      expect(plain(panelOf(html))).toContain('Norway 20')
      expect(profilesOf(html)).not.toMatch(/secret|hush|hidden thing|900,000/i)
      expect(panelOf(html)).not.toMatch(/secret|hush|hidden thing/i)
    }
    expect(stranger.html).not.toMatch(/secret|hush|hidden thing|Ghost/i)
  })

  /** A page leaves out what takes longer than a moment; a later visit has it. */
  const pageWith = async (path: string, words: string): Promise<string> => {
    const visit = async () => (await page(path)).html
    const html = await firstGood(visit, (found) => plain(found).includes(words))
    expect(plain(html)).toContain(words)
    return html
  }

  test('the form suggests frequent values, and the filter of a reference has the name of its record', async () => {
    const html = await pageWith(`${at}?filter=land+eq+NOR`, 'land is Norway')
    const suggested = (found: string) =>
      [
        .../<datalist id="frequent-values">(.*?)<\/datalist>/s
          .exec(found)![1]!
          .matchAll(/value="([^"]*)">([^<]*)/g),
      ]
        .map(([, value, text]) => `${value}: ${text}`)
        .sort()
    expect(html).toContain('list="frequent-values"')
    expect(suggested(html)).toEqual(['FIN: Finland, land', 'NOR: Norway, land', 'SWE: Sweden, land'])
    expect(suggested((await page(at, cookie)).html)).toContain('hush: secret')
    expect(plain(await pageWith(`${at}?filter=land+in+["NOR","SWE"]`, 'Norway, Sweden'))).toContain(
      'land is one of',
    )
    // A part of an id names no record.
    expect(plain((await page(`${at}?filter=land+starts+NOR`)).html)).toContain('land starts with NOR')
  })

  test('a record leads to those beside it in the result, and to those that refer to it', async () => {
    const { html } = await page(`${at}?filter=land+eq+NOR&sort=-people`)
    const third = await pageWith(linkTo(html, 't51'), '← Previous 3 of 20 Next →')
    expect(linkTo(third, '3 of 20')).toBe(`${at}?filter=land+eq+NOR&sort=-people`)
    await pageWith(linkTo(third, 'Next →'), '4 of 20')
    const second = await pageWith(linkTo(third, '← Previous'), '← Previous 2 of 20')
    await pageWith(linkTo(second, '← Previous'), '1 of 20 Next →')
    // Without a question: by id.
    const plainly = await pageWith(`${at}/t10`, '← Previous')
    expect([linkTo(plainly, '← Previous'), linkTo(plainly, 'Next →')]).toEqual([`${at}/t09`, `${at}/t11`])
    const referrers = async (as?: string) => plain((await page(at.replace('Town', 'Land/NOR'), as)).html)
    await expect.poll(() => referrers()).toContain('Referred to by 20 records of Town in land')
    await expect.poll(() => referrers(cookie)).toContain('24 records of Town in land')
    const land = await page(at.replace('Town', 'Land/NOR'))
    expect(idsIn((await page(linkTo(land.html, '20 records of Town'))).html)).toHaveLength(20)
    // A place that is not the record's own, or out of bounds, shows no neighbours.
    for (const wrong of ['7', '-1', '99', 'x']) {
      const { status, html } = await page(`${at}/t51?filter=land+eq+NOR&at=${wrong}`)
      expect([wrong, status, plain(html).includes('of 20')]).toEqual([wrong, 200, false])
    }
  })

  test('the overview shows the first five records of a type in the view of its reader', async () => {
    const [overview] = at.split('/records')
    const lands = ['FIN', 'NOR', 'SWE']
    for (const [as, types, ids] of [
      [undefined, ['Land', 'Town'], ['t00', 't01', 't02', 't03', 't04', ...lands]],
      [
        cookie,
        ['Ghost', 'Land', 'Town'],
        [...'abcd'].map((one) => `hidden-${one}`).concat('t00', lands, 'g'),
      ],
    ] as const) {
      const { html } = await page(overview!, as)
      expect(idsIn(html)).toEqual([...types, ...ids])
      expect(html).toContain(`data-to="${overview}/v/{version}"`)
    }
    expect((await page(overview!)).html).not.toMatch(/secret|hush|Ghost/i)
    for (const [place, question] of [
      [at, ''],
      [`${at}/t51`, ''],
      [at, '?filter=land+eq+NOR'],
    ])
      expect((await page(place + question!)).html).toContain(
        `data-to="${overview}/v/{version}/records/Town${question}"`,
      )
  })

  test('the result has a link, commands and a statement for other tools', async () => {
    const query = new URLSearchParams([
      ['filter', "land eq O'Brien"],
      ['filter', 'people ge 1000'],
      ['sort', '-place.height'],
      ['columns', 'name'],
    ])
    const menu = plain(
      /<details class="menu result-menu">.*?<\/details>/s.exec((await page(`${at}?${query}`)).html)![0],
    )
    expect(menu).toContain('/tables/Town.csv?filter=land+eq+O%27Brien&filter=people+ge+1000')
    expect(menu).toContain(
      `SELECT _id, "name" FROM "Town" WHERE "land" = 'O''Brien' AND "people" >= 1000 ORDER BY "place"."height" DESC NULLS LAST`,
    )
  })

  test('the statement of a result finds the same records', async () => {
    const { path } = await stage.newCollection()
    const schemas = {
      order: { properties: { group: { type: 'string' }, select: { type: 'integer' } } },
      Order: { properties: { group: { type: 'string' }, select: { type: 'integer' } } },
    }
    const puts = ['a', 'b', 'c'].flatMap((id, n) => [
      { id, type: 'order', data: { group: id, select: n } },
      { id: `${id}2`, type: 'Order', data: { group: id, ...(n > 0 && { select: n }) } },
    ])
    await stage.push(path, { opening: { schemas }, puts })
    for (const type of ['order', 'Order']) {
      const question = '?filter=group+ne+b&sort=-select,group&columns=select'
      const { html } = await page(`${path.replace('/collections', '')}/records/${type}${question}`)
      const sql = decoded(/<h2>SQL<\/h2>.*?<code>(.*?)<\/code>/s.exec(html)![1]!)
      const { json } = await whenBuilt(() => stage.eve.post(`${path}/versions/v1.0.0/sql`, { sql }))
      expect([sql, json.rows?.map(([id]: [string]) => id)]).toEqual([sql, idsIn(html)])
    }
  })

  test('a long question is repeated in no link of a cell, bar or value', async () => {
    const long = Array.from({ length: 20 }, (_, n) => ['filter', `name ne ${'x'.repeat(500)}${n}`])
    const { status, html } = await page(`${at}?${new URLSearchParams(long)}`)
    expect([status, idsIn(html).length, html.length < 600_000]).toEqual([200, 50, true])
    expect(profilesOf(html)).not.toContain('href')
  })

  test('profiles that never come are not waited for', async () => {
    const { tables } = stage.server.registry
    const { statistics, answersSoon } = tables
    const refresh = '<meta http-equiv="refresh"'
    const link = 'Show column profiles'
    const seen = async (path: string) => {
      const { html } = await page(path)
      return [html.includes(refresh), html.includes(link)]
    }
    try {
      tables.answersSoon = async () => false
      expect(await seen(at)).toEqual([false, true])
      expect((await page(at)).html).not.toContain('data-awaits')
      tables.statistics = async () => ({ building: { rowsDone: 0, rows: 60 } })
      expect(await seen(`${at}?profiles=1`)).toEqual([true, false])
      // The script of the page puts them in; without scripts there is the link.
      const reserved = '<tr class="profiles awaited">'
      const awaited = async (path: string) => {
        const { text: html, headers } = await testClient(stage.server.url, { cookie }, '').get(path)
        return [html.includes('data-awaits="parts"'), html.includes(reserved), headers['cache-control']]
      }
      expect(await awaited(at)).toEqual([true, true, 'no-store'])
      expect(await seen(at)).toEqual([false, true])
      expect((await page(at, cookie)).html).toMatch(/<a class="unscripted"[^>]*>Show column profiles/)
      expect(await awaited(`${at}?profiles=0`)).toEqual([true, false, 'no-store'])
      expect(decoded((await page(`${at}?facets=1`, cookie)).html)).toContain(
        'Frequent values are being counted',
      )
      tables.statistics = async () => {
        throw new RegistryError('busy')
      }
      expect(await seen(`${at}?profiles=1`)).toEqual([false, false])
    } finally {
      Object.assign(tables, { statistics, answersSoon })
    }
  })
})
