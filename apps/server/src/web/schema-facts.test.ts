/** Facts beside the fields of a schema, and the diagram of references: in the view of the reader, and bounded. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { decoded } from '../testing/html.ts'
import { pushesOn, type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('facts about fields on $name', (database) => {
  let stage: Stage
  let cookie: string
  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    cookie = (await stage.server.signIn('ada')).cookie
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)

  const page = async (path: string, as?: string) =>
    (await testClient(stage.server.url, as ? { cookie: as } : undefined, '').get(path)).text
  const plain = (html: string) => decoded(html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).trim()
  /** Rows of a type's table as texts of their cells. */
  const rowsOf = (html: string, type: string) =>
    Object.fromEntries(
      [
        ...html
          .split(`id="type-${type}"`)[1]!
          .split('</section>')[0]!
          .matchAll(/<tr><th scope="row">.*?<\/tr>/gs),
      ].map(([row]) => {
        const [name, ...cells] = [...row.matchAll(/<t[hd].*?<\/t[hd]>/gs)].map(([cell]) => plain(cell))
        return [name!.split(' ')[0]!, cells]
      }),
    )
  const arrowsOf = (html: string) => plain(/<details class="references".*?<\/details>/s.exec(html)?.[0] ?? '')
  const computed = async (path: string, types: readonly string[]) => {
    for (const client of [stage.ada, stage.anyone])
      for (const type of types)
        while ((await client.get(`${path}/versions/latest/tables/${type}/statistics`)).status === 202);
  }

  test('fill rates and examples are of the records that the reader may read', async () => {
    const path = await newPath()
    const closed = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
    const properties = {
      name: { type: 'string' },
      land: { type: 'string', 'x-ref-type': 'Land' },
      people: { type: 'integer' },
      hush: { type: 'string', private: true },
      ghost: { type: 'string', 'x-ref-type': 'Ghost' },
      place: { type: 'object', properties: { height: { type: 'number' } }, additionalProperties: false },
      'place.height': { type: 'string' },
      address: closed({ street: { type: 'string' }, door: closed({ code: { type: 'string' } }) }),
      owner: closed({ name: { type: 'string' } }),
    }
    const data = { name: 'Town', land: 'NOR', hush: 'h5h5', place: { height: 5 }, 'place.height': 'x' }
    const puts = [
      ...[0, 1, 2].map((n) => ({
        id: `${n}`,
        type: 'Town',
        data: {
          ...{ ...data, owner: n < 2 ? { name: 'Ola' } : {} },
          ...(n === 0 && { people: 12_345, address: { door: { code: 'd' } } }),
          ...(n > 0 && { address: { street: 's', door: {} } }),
        },
      })),
      { id: 'p', type: 'Town', data: { name: 'Hushby', people: 9_999_999 }, private: true },
      { id: 'NOR', type: 'Land', data: { name: 'Norway' } },
    ]
    const schemas = {
      Town: { properties },
      Land: { properties: { name: { type: 'string' } } },
      Ghost: { properties: { of: { type: 'string', 'x-ref-type': 'Land' } }, private: true },
    }
    await stage.push(path, { opening: { schemas }, puts })
    const wider = { ...schemas.Town.properties, area: { type: 'number' } }
    await stage.push(path, {
      base: 'v1.0.0',
      opening: { schemas: { Town: { properties: wider } } },
      puts: [],
    })
    await computed(path, ['Town', 'Land'])
    const at = `${path.replace('/collections', '')}/schemas`

    const facts = async (as?: string) => {
      const html = await page(at, as)
      return { html, towns: rowsOf(html, 'Town') }
    }
    // The newest versions are compared first.
    await vi.waitFor(async () => expect((await facts()).towns['name']?.at(-1)).toBe('v1.0.0'), {
      timeout: 30_000,
      interval: 200,
    })
    const open = await facts()
    expect(open.towns['area']!.at(-1)).toBe('v2.0.0')
    expect(open.towns['name']!.slice(1, 3)).toEqual(['100 %', 'Town'])
    expect(open.towns['people']!.slice(1, 3)).toEqual(['33 %', '12,345'])
    expect(open.towns['area']!.slice(1, 3)).toEqual(['0 %', ''])
    expect(open.html).toContain(`${at.replace('/schemas', '')}/records/Land/NOR`)
    // Members of an object may be missing in different records.
    expect([open.towns['address']![1], open.towns['owner']![1]]).toEqual(['≥ 67 %', '≥ 67 %'])
    expect([open.towns['address']!.at(-1), open.towns['owner']!.at(-1)]).toEqual(['v1.0.0', 'v1.0.0'])
    // Statistics say nothing of an object and of a field that has the name of its member; records do.
    expect(open.towns['place']!.slice(1, 3)).toEqual(['', '{"height":5}'])
    expect(open.towns['place.height']!.slice(1, 3)).toEqual(['', 'x'])
    for (const secret of ['h5h5', 'hush', 'Hushby', '9,999,999', 'Ghost'])
      expect(open.html).not.toContain(secret)
    expect(arrowsOf(open.html)).toBe('References between types Town land refers to Land')

    await vi.waitFor(async () => expect((await facts(cookie)).towns['hush']?.at(-1)).toBe('v1.0.0'), {
      timeout: 30_000,
      interval: 200,
    })
    const own = await facts(cookie)
    expect(own.towns['hush']!.slice(1, 3)).toEqual(['75 %', 'h5h5'])
    expect(own.towns['people']!.slice(1, 3)).toEqual(['50 %', '12,345'])
    expect(own.towns['owner']![1]).toBe('≥ 50 %')
    expect(arrowsOf(own.html)).toContain('Ghost of refers to Land')
    expect(arrowsOf(own.html)).toContain('ghost refers to Ghost')
    expect((await facts(cookie)).html).toBe(own.html)
    const asPublic = await page(`${at}?view=public`, cookie)
    for (const secret of ['h5h5', 'Hushby', '9,999,999']) expect(asPublic).not.toContain(secret)
  })

  test('an example is a frequent value, else that of a record; empty texts are no values', async () => {
    const path = await newPath()
    const puts = Array.from({ length: 40 }, (_, n) => ({
      id: `${n}`.padStart(2, '0'),
      type: 'Land',
      data: {
        area: n >= 37 ? -1 : 100 + n,
        code: n < 10 ? '' : `c${n}`,
        region: n % 2 ? 'North' : '',
        list: [n],
      },
    }))
    const properties = {
      area: { type: 'number' },
      code: { type: 'string' },
      region: {},
      list: { type: 'array' },
      none: {},
    }
    await stage.push(path, { opening: { schemas: { Land: { properties } } }, puts })
    await computed(path, ['Land'])
    const rows = rowsOf(await page(`${path.replace('/collections', '')}/schemas`), 'Land')
    expect(rows['area']!.slice(1, 3)).toEqual(['100 %', '100'])
    expect(rows['code']!.slice(1, 3)).toEqual(['75 %', 'c10'])
    expect(rows['region']!.slice(2, 3)).toEqual(['North'])
    expect(rows['list']!.slice(2, 3)).toEqual(['[0]'])
    expect(rows['none']!.slice(2, 3)).toEqual([''])
  })

  test('a page of a type has the references from and to it; a diagram of hundreds of types is bounded', async () => {
    const path = await newPath()
    const refersTo = (...types: string[]) => ({
      properties: Object.fromEntries(
        types.map((type, n) => [`f${n}`, { type: 'string', 'x-ref-type': type }]),
      ),
    })
    const names = Array.from({ length: 350 }, (_, n) => `T${String(n).padStart(3, '0')}`)
    const schemas = {
      ...Object.fromEntries(names.map((name) => [name, refersTo('Hub', name)])),
      Hub: refersTo(...Array.from({ length: 30 }, () => 'Absent<b>')),
      Nested: {
        properties: {
          stops: {
            type: 'array',
            items: { type: 'object', properties: { at: { type: 'string', 'x-ref-type': 'T000' } } },
          },
        },
      },
    }
    await stage.push(path, { opening: { schemas }, puts: [] })
    const at = `${path.replace('/collections', '')}/schemas`
    const all = await page(at)
    expect(all.match(/class="edge"/g)).toHaveLength(300)
    expect(arrowsOf(all)).toContain('Only the first 300 references of 352 types.')
    expect(arrowsOf(all)).toContain('and 10 more')
    expect(all).not.toContain('Absent<b>')
    expect(all).toContain('<span class="box absent">')
    expect(arrowsOf(await page(`${at}?type=T000`))).toBe(
      'References between types Nested stops[].at refers to T000 T000 f0 refers to Hub f1 refers to T000',
    )
  })

  test('types and fields of any name have facts of their own', async () => {
    const path = await newPath()
    const fields = ['constructor', 'valueOf', 'a.b', 'toString']
    const properties = Object.fromEntries(fields.map((name) => [name, { type: 'string' }]))
    await stage.push(path, {
      opening: { schemas: { constructor: { properties }, Empty: { properties }, Any: true, None: false } },
      puts: [{ id: '1', type: 'constructor', data: { constructor: 'c0' } }],
    })
    await computed(path, ['constructor', 'Empty'])
    const html = await page(`${path.replace('/collections', '')}/schemas`)
    const rows = rowsOf(html, 'constructor')
    expect(rows['constructor']!.slice(1, 3)).toEqual(['100 %', 'c0'])
    for (const name of fields.slice(1)) expect(rows[name]!.slice(1, 3)).toEqual(['0 %', ''])
    expect(rowsOf(html, 'Empty')['constructor']!.slice(1, 3)).toEqual(['', ''])
  })
})
