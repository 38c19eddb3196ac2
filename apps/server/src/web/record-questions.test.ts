/** Search, filters, order and downloads of the records page: without JavaScript, in the caller's view. */
import { RegistryError } from '@ulmus/registry'
import { anyDatabase } from '@ulmus/storage/testing'
import type { RefusalCode } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded, idsIn } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

const evil = '"><script>alert(1)</script>, \\ \u202eevil'

describe.each(anyDatabase)('questions on the records page, on $name', (database) => {
  let stage: Stage
  let cookie: string
  /** Path of the page of cities. */
  let at: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
    const { path } = await stage.newCollection()
    const properties = {
      name: { type: 'string' },
      people: { type: 'integer' },
      place: {
        type: 'object',
        properties: { land: { type: 'string' } },
        additionalProperties: false,
      },
      tags: { type: 'array', items: { type: 'string' } },
      budget: { type: 'integer', private: true },
      [evil]: { type: 'string' },
    }
    const cities = [
      ['oslo', 'Oslo', 700_000, 'Norway'],
      ['bergen', 'Bergen', 290_000, 'Norway'],
      ['malmo', 'Malmö', 360_000, 'Sweden'],
      ['lund', 'Lund', 90_000, 'Sweden'],
    ] as const
    const puts = cities.map(([id, name, people, land]) => ({
      id,
      type: 'City',
      data: { name, people, place: { land }, tags: ['n'], budget: 1, [evil]: `${evil} ${id}` },
    }))
    const town = (n: number) => ({ id: `t${String(n).padStart(3, '0')}`, type: 'Town', data: { n } })
    await stage.push(path, {
      opening: { schemas: { City: { properties }, Town: { properties: { n: { type: 'integer' } } } } },
      puts: [
        ...puts,
        { id: 'hidden', type: 'City', data: { name: 'Hushby', people: 1 }, private: true },
        ...Array.from({ length: 120 }, (_, n) => town(n)),
      ],
    })
    at = `${path.replace('/collections', '')}/records/City`
    // Build the tables first: on a slow machine an answer may be that they are being built.
    for (const client of [stage.ada, stage.anyone])
      for (const type of ['City', 'Town'])
        while ((await client.get(`${path}/versions/latest/tables/${type}/statistics`)).status === 202);
  })
  afterAll(() => stage.end())

  const client = (as?: string) =>
    testClient(stage.server.url, as === undefined ? undefined : { cookie: as }, '')
  const page = async (path: string, as?: string) => {
    const { status, text: html, headers } = await client(as).get(path)
    return { status, html, to: headers.location }
  }
  const asked = (query: Record<string, string | string[]>) =>
    `?${new URLSearchParams(Object.entries(query).flatMap(([name, all]) => [all].flat().map((one) => [name, one])))}`
  /** Links by their text without markup. */
  const linksIn = (html: string) =>
    new Map(
      [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, href, inside]) => [
        decoded(inside!.replace(/<[^>]*>/g, '')).trim(),
        decoded(href!),
      ]),
    )
  /** Sends the form of a page as a browser without scripts, and follows its redirect. */
  async function send(path: string, values: Record<string, string>, as?: string) {
    const [, action, inside] = /<form class="question" action="([^"]*)">(.*?)<\/form>/s.exec(
      (await page(path, as)).html,
    )!
    const hidden = [...inside!.matchAll(/<input[^>]*type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const query = new URLSearchParams(hidden.map(([, name, value]) => [name!, decoded(value!)]))
    for (const [name, value] of Object.entries({ q: '', field: '', op: 'eq', value: '', ...values }))
      query.append(name, value)
    const sent = await page(`${decoded(action!)}?${query}`, as)
    return sent.status === 302 ? { ...(await page(sent.to!, as)), to: sent.to } : sent
  }

  test('words find records, whatever their case and accents', async () => {
    const { status, html, to } = await send(at, { q: 'MALMO' })
    expect([status, idsIn(html), to]).toEqual([200, ['malmo'], `${at}?q=MALMO`])
    expect(html).toContain('<strong>1 of 4 records</strong>')
    const none = await page(`${at}?q=nowhere`)
    expect([none.status, none.html.includes('No record matches.')]).toEqual([200, true])
    expect(none.html).not.toContain('Frequent values')
  })

  test('filters are added by the form one after the other, and removed by their links', async () => {
    const first = await send(at, { q: 'o', field: 'place.land', op: 'eq', value: 'Norway' })
    expect([idsIn(first.html), first.to]).toEqual([
      ['oslo', 'bergen'],
      `${at}${asked({ q: 'o', filter: 'place.land eq Norway' })}`,
    ])
    const both = await send(first.to!, { q: 'o', field: 'people', op: 'gt', value: '300000' })
    expect(idsIn(both.html)).toEqual(['oslo'])
    const links = linksIn(both.html)
    const removed = links.get('Remove filter place.land is Norway ×')!
    expect(idsIn((await page(removed)).html)).toEqual(['oslo', 'malmo'])
    expect(links.get('Remove words “o” ×')).toBe(
      `${at}${asked({ filter: ['place.land eq Norway', 'people gt 300000'] })}`,
    )
    expect(links.get('Clear all')).toBe(at)
    const several = await send(at, { field: 'name', op: 'in', value: 'Lund, Oslo' })
    expect(idsIn(several.html)).toEqual(['lund', 'oslo'])
    const missing = await send(at, { field: 'people', op: 'null', value: 'ignored' })
    expect([missing.to, idsIn(missing.html)]).toEqual([`${at}?filter=people+null`, []])
    expect((await send(at, {})).to).toBe(at)
  })

  test('the best matches of words come first, on the page, in its JSON and beside a record, unless another order is asked for', async () => {
    const found = async (path: string) => idsIn((await page(path)).html)
    // Oslo begins with an o, the others have one in Norway or Malmo.
    expect(await found(`${at}?q=o`)).toEqual(['oslo', 'bergen', 'malmo'])
    expect(await found(`${at}?q=o&sort=_id`)).toEqual(['bergen', 'malmo', 'oslo'])
    const { html } = await page(`${at}?q=o`)
    const json = [...linksIn(html)].find(([text]) => text === 'JSON')![1]
    const rows = (await testClient(stage.server.url, undefined, '').get(json)).json.rows as { id: string }[]
    expect(rows.map(({ id }) => id)).toEqual(['oslo', 'bergen', 'malmo'])
    const beside = await page(`${at}/bergen?q=o&at=1`)
    expect(beside.html).toMatch(/City\/oslo\?q=o.*City\/malmo\?q=o/s)
    expect((await page(`${at}?q=o&sort=_match`)).html).toContain('best match')
  })

  test('a header sorts up, then down, then no more, and the form keeps the order', async () => {
    const sorted = async (path: string) => {
      const { html } = await page(path)
      const state = /<th scope="col" aria-sort="(\w+)"[^>]*><a[^>]*><bdi>people/.exec(html)?.[1]
      const header = [...linksIn(html)].find(([text]) => /^people/.test(text))!
      return { state, ids: idsIn(html), next: header[1], html }
    }
    const plain = await sorted(at)
    expect([plain.state, plain.ids]).toEqual([undefined, ['bergen', 'lund', 'malmo', 'oslo']])
    const up = await sorted(plain.next)
    expect([up.state, up.ids]).toEqual(['ascending', ['lund', 'bergen', 'malmo', 'oslo']])
    const down = await sorted(up.next)
    expect([down.state, down.ids]).toEqual(['descending', ['oslo', 'malmo', 'bergen', 'lund']])
    expect(down.next).toBe(at)
    const kept = await send(up.next, { q: 'sweden' })
    expect(idsIn(kept.html)).toEqual(['malmo', 'lund'])
    expect(linksIn(plain.html).has('tags')).toBe(false)
  })

  test('a value in another case is asked back, with the other parts of the question', async () => {
    const meant = async (query: Record<string, string | string[]>, as?: string) => {
      const { html } = await page(`${at}${asked(query)}`, as)
      return [...html.matchAll(/Did you mean(.*?)<\/p>/gs)].map(([, inside]) => [
        decoded(inside!.replace(/<[^>]*>/g, '')).trim(),
        decoded(/href="([^"]*)"/.exec(inside!)![1]!),
      ])
    }
    const filter = ['people gt 300000', 'place.land eq NORWAY']
    expect(await meant({ q: 'o', filter })).toEqual([
      ['Norway? 1 record', `${at}${asked({ q: 'o', filter: ['people gt 300000', 'place.land eq Norway'] })}`],
    ])
    // No other record would match, or the value is another one.
    for (const none of [
      'place.land eq norwa',
      'place.land eq',
      'place.land ne Norway',
      `name eq ${'x'.repeat(200)}`,
    ])
      expect([none, await meant({ filter: [none, 'people gt 1'] })]).toEqual([none, []])
    expect(await meant({ filter: ['place.land eq norway', 'people gt 90000000'] })).toEqual([])
    // Two filters are looked at, however many there are.
    const { tables } = stage.server.registry
    const { facets } = tables
    let questions = 0
    tables.facets = (...args) => {
      questions++
      return facets(...args)
    }
    await meant({ filter: ['a', 'b', 'c', 'd'].map((name) => `name eq ${name}`) })
    Object.assign(tables, { facets })
    expect(questions).toBe(2)
    // Private values are named to members alone.
    expect(await meant({ filter: 'name eq HUSHBY' })).toEqual([])
    expect((await meant({ filter: 'name eq HUSHBY' }, cookie)).length).toBe(1)
    expect(await meant({ filter: 'name eq HUSHBY', view: 'public' }, cookie)).toEqual([])
  })

  test('results have pages: first, previous, next', async () => {
    const towns = at.replace('City', 'Town')
    const [ids, links] = [[] as unknown[], [] as string[][]]
    for (let next: string | undefined = `${towns}?sort=-n`; next !== undefined; ) {
      const { html } = await page(next)
      const all = linksIn(html)
      ids.push(...idsIn(html))
      links.push(['First', '← Previous', 'Next →'].filter((name) => all.has(name)))
      next = all.get('Next →')
    }
    expect([ids.length, new Set(ids).size, ids[0], ids.at(-1)]).toEqual([120, 120, 't119', 't000'])
    expect(links).toEqual([['Next →'], ['First', '← Previous', 'Next →'], ['First', '← Previous']])
    const { html } = await page(`${towns}?sort=-n&offset=50`)
    expect(html).toContain('51–100 of 120 records')
    expect(linksIn(html).get('← Previous')).toBe(`${towns}?sort=-n`)
    const beyond = await page(`${towns}?sort=-n&offset=5000`)
    expect([beyond.status, beyond.html.includes('Show the first ones')]).toEqual([200, true])
  })

  test('a wrong question is explained beside the form, which keeps what was typed', async () => {
    const wrong = await send(at, { q: 'o', field: 'people', op: 'gt', value: 'many' })
    expect(wrong.status).toBe(400)
    expect(decoded(wrong.html)).toContain('"many" is not an integer, which "people" holds.')
    for (const typed of [
      '<option value="people" selected>',
      '<option value="gt" selected>',
      'value="many"',
      'value="o"',
    ])
      expect(wrong.html).toContain(typed)
    const unknown = await page(`${at}${asked({ filter: ['peple gt 1', 'name eq Oslo'] })}`)
    expect(unknown.status).toBe(400)
    expect(decoded(unknown.html)).toContain('There is no field "peple". Did you mean "people"?')
    const fixed = linksIn(unknown.html).get('Remove filter peple > 1 ×')!
    expect(idsIn((await page(fixed)).html)).toEqual(['oslo'])
    // The question with the other field, and the way back to all records.
    const links = linksIn(unknown.html)
    expect(links.get('people > 1')).toBe(`${at}${asked({ filter: ['people gt 1', 'name eq Oslo'] })}`)
    expect(links.get('Show all records')).toBe(at)
    const nothing = await page(`${at}${asked({ filter: 'zzzzzz gt 1' })}`)
    expect([nothing.status, nothing.html.includes('Did you mean')]).toEqual([400, false])
    // Private fields are proposed to members alone.
    const hidden = asked({ filter: 'budgit gt 0' })
    expect(linksIn((await page(`${at}${hidden}`)).html).has('budget > 0')).toBe(false)
    expect(linksIn((await page(`${at}${hidden}`, cookie)).html).has('budget > 0')).toBe(true)
    for (const name of ['__proto__', 'constructor', '"', '""', 'x'.repeat(2_000)])
      expect((await page(`${at}${asked({ filter: `${name} gt 1` })}`)).status).toBe(400)
    expect((await page(`${at}?sort=tags`)).status).toBe(400)
    const half = await send(at, { field: 'people', op: 'gt', value: '' })
    expect([half.status, half.html.includes('has no value after')]).toEqual([400, true])
  })

  test('downloads are of the result, in its columns', async () => {
    const query = asked({ filter: 'people gt 300000', sort: 'name', columns: ['people', 'name'] })
    const links = linksIn((await page(`${at}${query}`)).html)
    const csv = await client().get(links.get('CSV')!)
    expect([csv.status, csv.text]).toEqual([200, '_id,people,name\nmalmo,360000,Malmö\noslo,700000,Oslo\n'])
    const rows = await client().get(links.get('JSON')!)
    expect(rows.json.rows.map((row: { id: string }) => row.id)).toEqual(['malmo', 'oslo'])
    const parquet = await client().get(links.get('Parquet')!)
    expect([parquet.status, parquet.text.slice(0, 4)]).toEqual([200, 'PAR1'])
  })

  test('a field and values full of markup are found and stay text', async () => {
    const field = JSON.stringify(evil)
    const found = await send(at, { field, op: 'contains', value: `${evil} lund` })
    expect([found.status, idsIn(found.html)]).toEqual([200, ['lund']])
    const [up] = [...linksIn(found.html)].filter(([text]) => text === evil).map(([, href]) => href)
    expect(idsIn((await page(up!)).html)).toEqual(['lund'])
    for (const path of [
      `${at}${asked({ q: evil, filter: [evil, `${field} eq ${'x'.repeat(4_000)}`], sort: evil })}`,
      `${at}${asked({ q: evil, field: evil, op: evil, value: evil })}`,
      found.to!,
    ]) {
      const { html } = await page(path)
      expect(html).not.toMatch(/<script>|<[^>]+\son\w+=/)
      expect(html.length).toBeLessThan(200_000)
    }
    const many = await page(`${at}?${'filter=a&'.repeat(1_500)}`)
    expect([many.status, many.html.length < 1_000_000]).toEqual([400, true])
  })

  test('strangers, and members in the public view, ask about public records and fields alone', async () => {
    const [all, asPublic, stranger] = await Promise.all([
      page(`${at}?sort=people`, cookie),
      page(`${at}?sort=people&view=public`, cookie),
      page(`${at}?sort=people`),
    ])
    expect(idsIn(all.html)).toEqual(['hidden', 'lund', 'bergen', 'malmo', 'oslo'])
    expect(all.html).toContain('<option value="budget">')
    for (const { html } of [asPublic, stranger]) {
      expect(idsIn(html)).toEqual(['lund', 'bergen', 'malmo', 'oslo'])
      expect(html).toContain('4 of 4 records')
      expect(html).not.toContain('value="budget"')
    }
    expect(stranger.html).not.toMatch(/budget|hush/i)
    for (const as of [cookie, undefined]) {
      const view: Record<string, string> = as === undefined ? {} : { view: 'public' }
      const refused = await page(`${at}${asked({ filter: 'budget eq 1', ...view })}`, as)
      expect([refused.status, decoded(refused.html).includes('There is no field "budget".')]).toEqual([
        400,
        true,
      ])
      expect(idsIn((await page(`${at}${asked({ q: 'hushby', ...view })}`, as)).html)).toEqual([])
    }
    const links = linksIn(asPublic.html)
    for (const name of ['CSV', 'JSON', 'Parquet', 'Clear all'])
      expect([name, links.get(name)]).toEqual([name, expect.stringMatching(/[?&]view=public/)])
    const csv = await client(cookie).get(links.get('CSV')!)
    expect([csv.status, csv.text.includes('Hushby'), csv.text.includes('budget')]).toEqual([
      200,
      false,
      false,
    ])
    const sent = await send(`${at}?view=public`, { q: 'hushby' }, cookie)
    expect([sent.to, idsIn(sent.html)]).toEqual([`${at}?q=hushby&view=public`, []])
  })

  test('words that are an id lead to its record', async () => {
    const record = `${at}/bergen`
    expect((await page(`${at}?q=bergen`)).to).toBe(record)
    const towns = at.replace('City', 'Town')
    expect((await page(`${towns}?q=t007`)).to).toBe(`${towns}/t007`)
    const filtered = await page(`${at}${asked({ q: 'bergen', filter: 'people gt 1000000' })}`)
    expect([filtered.to, idsIn(filtered.html)]).toEqual([undefined, []])
    expect(linksIn(filtered.html).get('Go to the record bergen')).toBe(record)
    // A stranger cannot learn the id of a private record.
    expect((await page(`${at}?q=hidden`, cookie)).to).toBe(`${at}/hidden`)
    const stranger = await page(`${at}?q=hidden`)
    expect([stranger.to, stranger.html.includes('Go to the record')]).toEqual([undefined, false])
  })

  test('a result is cited with its size, its question, its version and its digest', async () => {
    const query = asked({ filter: 'people ge 100000', sort: '-people' })
    const cite = linksIn((await page(at + query)).html).get('Cite')!
    const { html } = await page(cite)
    const digest = (
      await client().get(
        `/api${at.replace('/records/City', '').replace('/', '/collections/')}/versions/latest`,
      )
    ).json.publicHash
    const [text, bibtex] = [...html.split('aria-label="Citation"')[1]!.matchAll(/<code>(.*?)<\/code>/gs)].map(
      ([, code]) => decoded(code!),
    )
    const part = '3 of 4 records of type City where people ≥ 100,000, ordered by people ↓'
    expect(text).toContain(`(v1.0.0) [Data set], ${part}, accessed `)
    expect(text).toContain(`/v/v1.0.0/records/City${query}. Digest ${digest}`)
    expect(bibtex).toContain(`note = {Data set, ${part}, accessed `)
    expect((await page(linksIn(html).get('Close')!)).html).not.toContain('Data set')
    // The address gives the same records to others, so a member cites what the public sees.
    const own = await page(cite, cookie)
    expect(own.html).not.toContain('Data set')
    const asPublic = await page(linksIn(own.html).get('Cite what the public sees')!, cookie)
    expect(decoded(asPublic.html)).toContain(text!.slice(0, text!.indexOf(', accessed')))
    expect(decoded(asPublic.html)).toContain(`/v/v1.0.0/records/City${query}. `)
  })

  test('a filter can be typed into the search', async () => {
    const sent = async (q: string) =>
      (await send(at, { q, field: '', op: 'eq', value: '' })).to?.slice(at.length)
    expect(await sent('people > 500,000')).toBe('?filter=people+gt+500000')
    expect(await sent('place.land=Norway')).toBe('?filter=place.land+eq+Norway')
    expect(await sent('people ≤ 90000')).toBe('?filter=people+le+90000')
    expect(await sent('name starts B')).toBe('?filter=name+starts+B')
    expect(await sent('tags notnull')).toBe('?filter=tags+notnull')
    // Words that are no filter of this table are searched for.
    for (const q of ['budget > 1', 'a = b', 'Oslo is nice', 'people > many'])
      expect(await sent(q)).toBe(`?${new URLSearchParams({ q })}`)
    // Unless they look like a filter of a field with a like name.
    const unknown = await page(`${at}${asked({ q: 'peple > 500,000' })}`)
    expect(linksIn(unknown.html).get('people > 500,000')).toBe(`${at}?filter=people+gt+500000`)
    // In an address they are words, as for the API.
    expect((await page(`${at}?q=people+gt+1`)).to).toBeUndefined()
  })

  test('numbers can be typed as the page shows them', async () => {
    const sent = await send(at, { field: 'people', op: 'gt', value: '500,000' })
    expect(sent.to).toBe(`${at}?filter=people+gt+500000`)
    expect(sent.html).toContain('500,000')
    const typed = await page(`${at}?filter=people+gt+500,000`)
    expect([typed.status, idsIn(typed.html)]).toEqual([200, ['oslo']])
    // A text keeps its commas.
    expect((await page(`${at}?filter=name+eq+1,000`)).html).toContain('1,000')
    const text = await send(at, { field: 'name', op: 'eq', value: '1,000' })
    expect(text.to).toBe(`${at}?filter=name+eq+1%2C000`)
  })

  test('the menu of versions and the files of a result keep the question', async () => {
    const { html } = await page(`${at}${asked({ q: 'o', filter: 'people gt 1' })}`)
    const to = decoded(/data-to="([^"]*)"/.exec(html)![1]!)
    expect(to).toBe(`${at.replace('/records', '/v/{version}/records')}?q=o&filter=people+gt+1`)
    for (const question of ['facet=people', 'view=map&coordinates=a%2Cb', 'view=chart&x=people&y=count']) {
      const kept = decoded(/data-to="([^"]*)"/.exec((await page(`${at}?${question}`)).html)![1]!)
      const query = new URLSearchParams(kept.split('?')[1])
      query.sort()
      expect(String(query)).toBe(String(new URLSearchParams([...new URLSearchParams(question)].sort())))
    }
    const excel = await client().get(linksIn(html).get('CSV for Excel')!)
    expect([excel.status, excel.text.startsWith('\ufeff_id,')]).toEqual([200, true])
    expect(linksIn(html).get('CSV')).toContain('/versions/v1.0.0/')
  })

  test('while a table is built, the page shows its progress and no other records, and loads itself again', async () => {
    const { tables } = stage.server.registry
    const { rows } = tables
    tables.rows = async () => ({ building: { rowsDone: 2, rows: 4 } })
    try {
      const { status, html } = await page(`${at}?q=oslo`)
      expect([status, idsIn(html)]).toEqual([200, []])
      expect(html).toContain('<meta http-equiv="refresh" content="2"/>')
      expect(html).toContain('2 of 4 records')
    } finally {
      tables.rows = rows
    }
    expect((await page(`${at}?q=oslo`)).html).not.toContain('http-equiv="refresh"')
  })

  test('a refused question is refused beside its form; without an engine the form goes to an id', async () => {
    const { tables } = stage.server.registry
    const { rows, isAvailable } = tables
    // As a member: pages that visitors requested before may be repeated.
    const refusedWith = async (code: RefusalCode) => {
      tables.rows = () => Promise.reject(new RegistryError(code, { say: { seconds: 5 } }))
      const { status, html } = await page(`${at}?q=oslo`, cookie)
      return [status, html.includes('Words in the records, an id'), html.includes('class="note bad"')]
    }
    try {
      expect(await refusedWith('busy')).toEqual([429, true, true])
      expect(await refusedWith('query_too_costly')).toEqual([422, true, true])
      tables.isAvailable = false
      expect(await refusedWith('tables_unavailable')).toEqual([501, false, true])
      const { status, html } = await page(at, cookie)
      expect([status, idsIn(html).length]).toEqual([200, 5])
      expect(html).not.toMatch(/Words in the records, an id|name="field"|sort=|Parquet/)
      // The form still goes to an id.
      expect(html).toContain('name="id"')
    } finally {
      Object.assign(tables, { rows, isAvailable })
    }
  })
})
