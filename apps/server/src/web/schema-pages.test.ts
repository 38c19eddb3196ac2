/** Pages that edit schemas over HTTP: what changes, what does not fit, two people at once, and hostile schemas. */

import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pushesOn, put, type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('pages of schemas on $name', (database) => {
  let stage: Stage
  let ada: TestClient

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    ada = testClient(stage.server.url, await stage.server.signIn('ada'), '')
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)

  const bird = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', minLength: 1 },
      wings: { type: 'integer' },
      keeper: { type: 'string', private: true },
      place: { type: 'object', 'x-own': [1] },
    },
    required: ['name'],
  }
  async function published(
    schemas: object = { A: bird, Other: {} },
    puts = [put('1', { name: 'Owl' }), put('2', { name: 'Crow', wings: 2 })],
  ) {
    const path = await newPath()
    await stage.push(path, { opening: { schemas }, puts })
    return { path, at: `${path.replace('/collections', '')}/schemas`, latest: `${path}/versions/latest` }
  }
  const schemasAt = async (latest: string) => (await stage.ada.get(latest)).json.schemas

  /** Fields of the form as a browser submits them. */
  function fieldsOf(html: string): Record<string, string> {
    const [, form = ''] =
      /<form method="post"(?: action="#result")? class="form">([\s\S]*?)<\/form>/.exec(html) ?? []
    const plain = (text = '') =>
      text.replace(
        /&(lt|gt|quot|amp);/g,
        (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name]!,
      )
    const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
    const inputs = Array.from(form.matchAll(/<input[^>]*>/g), ([tag]) =>
      attribute(tag, 'type') !== 'checkbox' || / checked/.test(tag)
        ? [attribute(tag, 'name'), attribute(tag, 'value')]
        : [],
    )
    const areas = Array.from(form.matchAll(/(<textarea[^>]*>)([^<]*)<\/textarea>/g), ([, tag, text]) => [
      attribute(tag!, 'name'),
      text,
    ])
    const selects = Array.from(form.matchAll(/(<select[^>]*>)([\s\S]*?)<\/select>/g), ([, tag, options]) => [
      attribute(tag!, 'name'),
      /<option selected value="([^"]*)"/.exec(options!)?.[1] ??
        /<option value="([^"]*)" selected/.exec(options!)?.[1],
    ])
    const named = [...inputs, ...areas, ...selects].filter(([name]) => name !== undefined)
    return Object.fromEntries(named.map(([name, value]) => [name!, plain(value)]))
  }
  /** Name of a field of a property. */
  function fieldOf(html: string, property: string, name: string): string {
    const [, prefix] = new RegExp(`<legend><code>${property}</code>[\\s\\S]*?name="(p\\d+\\.)`).exec(html)!
    return `${prefix}${name}`
  }
  const textIn = (html: string) => html.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')

  test('a form that changes nothing is refused; a change is checked, and then saved', async () => {
    const { at, latest } = await published()
    const link = `${at}/A/edit`
    expect((await ada.get(at)).text).toContain(`href="${link}"`)
    const { text } = await ada.get(link)
    const fields = fieldsOf(text)
    const same = await ada.postForm(link, { ...fields, do: 'check' })
    expect([same.status, textIn(same.text)]).toEqual([409, expect.stringContaining('Nothing is changed.')])
    const changes = {
      ...fields,
      title: 'A bird',
      [fieldOf(text, 'wings', 'description')]: 'How many',
    }
    const checked = await ada.postForm(link, {
      ...changes,
      'n0.name': 'tags',
      'n0.kind': 'texts',
      'n0.order': '1',
      do: 'check',
    })
    expect(checked.status).toBe(200)
    const said = textIn(checked.text)
    for (const sentence of [
      'A: has the title A bird now',
      'wings is described otherwise',
      'tags is new: list of text',
      'It makes version v2.0.0 after v1.0.0 (major: a schema or the set of types changed). All 2 records fit.',
      'Save as v2.0.0',
    ])
      expect(said).toContain(sentence)
    expect((await stage.ada.get(latest)).json.semver).toBe('v1.0.0')
    const save = { ...fieldsOf(checked.text), do: 'save' }
    const unlike = await ada.postForm(link, { ...save, title: 'Another' })
    expect([unlike.status, (await stage.ada.get(latest)).json.semver]).toEqual([200, 'v1.0.0'])
    const unsaved = 'You changed the form after the check, so nothing was saved.'
    expect([said.includes(unsaved), textIn(unlike.text).includes(unsaved)]).toEqual([false, true])
    const saved = await ada.postForm(link, save)
    expect([saved.status, saved.headers.location]).toEqual([303, `${at}?type=A&saved=schema-v2.0.0`])
    const { A, Other } = await schemasAt(latest)
    expect(A).toEqual({
      ...bird,
      title: 'A bird',
      properties: {
        tags: { type: 'array', items: { type: 'string' }, propertyOrder: 0 },
        name: { ...bird.properties.name, propertyOrder: 1 },
        wings: { type: 'integer', description: 'How many', propertyOrder: 3 },
        keeper: { ...bird.properties.keeper, propertyOrder: 2 },
        place: { ...bird.properties.place, propertyOrder: 4 },
      },
    })
    expect(Other).toEqual({})
  })

  test('a change that records do not fit names the field and the records, and stores nothing', async () => {
    const { at, latest } = await published()
    const { text } = await ada.get(`${at}/A/edit`)
    const required = { [fieldOf(text, 'wings', 'required')]: 'on' }
    const refused = await ada.postForm(`${at}/A/edit`, { ...fieldsOf(text), ...required, do: 'save' })
    expect(refused.status).toBe(422)
    const said = textIn(refused.text)
    expect(said).toContain('1 record does not fit the new schema, so nothing was stored.')
    expect(said).toMatch(/wings is required, and missing: 1/)
    expect(refused.text).toMatch(/<a href="#property-p\d+"><code>\/wings<\/code><\/a>/)
    expect(refused.text).toContain('/records/A/1"')
    expect(fieldsOf(refused.text)).toMatchObject(required)
    expect((await stage.ada.get(latest)).json.semver).toBe('v1.0.0')
    expect((await stage.ada.get(latest)).json.schemas.A).toEqual(bird)
  })

  test('a removed property is removed from the records, too, if its row is ticked; private records stay private', async () => {
    const closed = { ...bird, additionalProperties: false }
    const more = Array.from({ length: 600 }, (_, at) => put(`m${at}`, { name: 'Tit', wings: at }))
    const hidden = put('9', { name: 'Owl', wings: 3, keeper: 'Eve' }, { private: true })
    const puts = [put('1', { name: 'Owl' }), put('2', { name: 'Crow', wings: 2 }), hidden, ...more]
    const { path, at, latest } = await published({ A: closed, Other: {} }, puts)
    const { text } = await ada.get(`${at}/A/edit`)
    const remove = { ...fieldsOf(text), [fieldOf(text, 'wings', 'remove')]: 'on' }
    const refused = await ada.postForm(`${at}/A/edit`, { ...remove, do: 'check' })
    expect([refused.status, textIn(refused.text)]).toEqual([
      422,
      expect.stringContaining('To remove a property from the records, too, tick that in its row.'),
    ])
    const [row] = fieldOf(text, 'wings', '').split('.')
    expect(refused.text).toContain(`<a href="#property-${row}"><code>/wings</code></a>`)
    expect(refused.text).toContain(`<fieldset class="property unfit" id="property-${row}">`)
    const both = { ...remove, [fieldOf(text, 'wings', 'drop')]: 'on' }
    const checked = await ada.postForm(`${at}/A/edit`, { ...both, do: 'check' })
    expect([checked.status, textIn(checked.text)]).toEqual([
      200,
      expect.stringContaining('602 records lose wings. Versions published before keep it.'),
    ])
    // All faults are reported at once, and the form leads to them or to the button that saves.
    const kind = { [fieldOf(text, 'name', 'kind')]: 'integer' }
    const wrong = await ada.postForm(`${at}/A/edit`, { ...remove, ...kind, do: 'check' })
    for (const fault of ['/wings unknown field: ', '/name must be integer: '])
      expect(textIn(wrong.text)).toContain(fault)
    for (const { text: page } of [wrong, checked])
      expect([page.includes('<form method="post" action="#result"'), page.match(/ id="result"/g)]).toEqual([
        true,
        [' id="result"'],
      ])
    // A save of the form without the tick is another change.
    const save = { ...fieldsOf(checked.text), do: 'save' }
    const { [fieldOf(text, 'wings', 'drop')]: _, ...unticked } = save as Record<string, string>
    expect((await ada.postForm(`${at}/A/edit`, unticked)).status).toBe(422)
    expect((await ada.postForm(`${at}/A/edit`, save)).status).toBe(303)
    const { json } = await stage.ada.get(latest)
    expect([json.semver, json.recordCount, 'wings' in json.schemas.A.properties]).toEqual([
      'v2.0.0',
      603,
      false,
    ])
    const { records } = (await stage.ada.get(`${latest}/records?type=A&limit=1000`)).json
    const datas = records.map(({ data }: { data: object }) => JSON.stringify(data))
    expect(new Set(datas)).toEqual(
      new Set(['{"name":"Owl"}', '{"name":"Crow"}', '{"keeper":"Eve","name":"Owl"}', '{"name":"Tit"}']),
    )
    const query = '/versions/latest/records?type=A&limit=1000'
    const seen = (await testClient(stage.server.url, undefined).get(`${path}${query}`)).json.records
    expect(seen.map(({ id }: { id: string }) => id)).not.toContain('9')
    expect(seen).toHaveLength(602)
  })

  test('of two people at once the second keeps the typed changes, on top of those of the first', async () => {
    const { path, at, latest } = await published()
    const link = `${at}/A/edit`
    const { text } = await ada.get(link)
    const mine = { ...fieldsOf(text), [fieldOf(text, 'name', 'title')]: 'Mine' }
    const { name: _, ...rest } = bird.properties
    const theirs = { ...bird, properties: { name: { type: 'string', description: 'Theirs' }, ...rest } }
    await stage.push(path, {
      base: 'v1.0.0',
      opening: { schemas: { A: theirs, Other: {} } },
      puts: [],
    })
    const late = await ada.postForm(link, { ...mine, do: 'save' })
    expect(late.status).toBe(409)
    expect(textIn(late.text)).toContain('v2.0.0 was published while you edited v1.0.0. Nothing was stored.')
    const checked = await ada.postForm(link, { ...fieldsOf(late.text), do: 'check' })
    expect((await ada.postForm(link, { ...fieldsOf(checked.text), do: 'save' })).status).toBe(303)
    const { A } = await schemasAt(latest)
    expect(A.properties.name).toEqual({ type: 'string', title: 'Mine', description: 'Theirs' })
  })

  test('all that was typed is kept if the version of the form was withdrawn, or its type removed', async () => {
    const { path, at, latest } = await published()
    const more = { ...bird, properties: { ...bird.properties, tail: { type: 'number' } } }
    await stage.push(path, { base: 'v1.0.0', opening: { schemas: { A: more, Other: {} } }, puts: [] })
    const link = `${at}/A/edit`
    const { text } = await ada.get(link)
    const mine = {
      ...fieldsOf(text),
      [fieldOf(text, 'name', 'title')]: 'Mine',
      [fieldOf(text, 'tail', 'description')]: 'In cm',
      'n0.name': 'colour',
    }
    await (await stage.keyOfAda('admin')).post(`${path}/versions/v2.0.0/withdraw`, { reason: 'wrong' })
    const late = await ada.postForm(link, { ...mine, do: 'check' })
    expect([late.status, textIn(late.text)]).toEqual([
      409,
      expect.stringContaining(
        'v2.0.0, which you edited, was withdrawn. Nothing was stored. All that you typed is kept below, on top of v1.0.0: check it again. Properties that v1.0.0 lacks are at the end, as new ones.',
      ),
    ])
    const again = fieldsOf(late.text)
    expect(again).toMatchObject({
      ...{ base: 'v1.0.0', [fieldOf(late.text, 'name', 'title')]: 'Mine' },
      ...{ 'n0.name': 'tail', 'n0.kind': 'number', 'n0.description': 'In cm', 'n1.name': 'colour' },
    })
    await stage.push(path, {
      base: 'v1.0.0',
      opening: { schemas: { Other: {}, A: null } },
      deletes: ['1', '2'].map((id) => ({ type: 'A', id })),
    })
    const removed = await ada.postForm(link, { ...again, do: 'check' })
    expect([removed.status, textIn(removed.text)]).toEqual([
      409,
      expect.stringContaining('v3.0.0 has no type A: saving adds it again.'),
    ])
    const checked = await ada.postForm(link, { ...fieldsOf(removed.text), do: 'check' })
    expect((await ada.postForm(link, { ...fieldsOf(checked.text), do: 'save' })).status).toBe(303)
    const { A } = await schemasAt(latest)
    expect(A.properties).toMatchObject({
      ...{ name: { title: 'Mine' }, tail: { description: 'In cm' }, keeper: { private: true } },
      ...{ colour: { type: 'string' }, wings: { type: 'integer' }, place: {} },
    })
    expect((await ada.get(`${at}/None/edit`)).status).toBe(404)
  })

  test('a private field becomes public only if its name is confirmed; the public view is never what is edited', async () => {
    const { at, latest } = await published()
    const link = `${at}/A/edit`
    const shown = (await ada.get(`${link}?view=public`)).text
    const fields = fieldsOf(shown)
    delete fields[fieldOf(shown, 'keeper', 'private')]
    const asked = await ada.postForm(`${link}?view=public`, { ...fields, do: 'check' })
    expect([asked.status, asked.text.includes('name="public.0" value="keeper"')]).toEqual([422, true])
    const checked = await ada.postForm(link, { ...fieldsOf(asked.text), 'public.0': 'keeper', do: 'check' })
    expect(textIn(checked.text)).toContain('keeper is private no more')
    expect((await ada.postForm(link, { ...fieldsOf(checked.text), do: 'save' })).status).toBe(303)
    expect((await schemasAt(latest)).A.properties.keeper).toEqual({ type: 'string' })
  })

  test('a field whose values are ids becomes private only if its name is confirmed', async () => {
    const Person = { properties: { email: { type: 'string' } } }
    const person = (id: string) => put(id, { email: id }, { type: 'Person' })
    const { at } = await published({ Person }, [person('a@x.org'), person('b@x.org')])
    const link = `${at}/Person/edit`
    const { text } = await ada.get(link)
    const fields = { ...fieldsOf(text), [fieldOf(text, 'email', 'private')]: 'on', do: 'check' }
    const asked = await ada.postForm(link, fields)
    expect([asked.status, textIn(asked.text)]).toEqual([
      422,
      expect.stringContaining('Tick below what may become public, or use ids without private values.'),
    ])
    expect(textIn(asked.text)).toContain('its value is in the id of 2 of 2 records of Person.')
    expect(asked.text).not.toContain('confirm_public')
    const checked = await ada.postForm(link, { ...fields, 'public.0': 'email' })
    expect([checked.status, textIn(checked.text)]).toEqual([200, expect.stringContaining('Save as v2.0.0')])
  })

  test('a new type has a name and fields, also in a collection without versions', async () => {
    const path = await newPath()
    const at = `${path.replace('/collections', '')}/schemas/new`
    const fields = fieldsOf((await ada.get(at)).text)
    const nameless = await ada.postForm(at, { ...fields, type: 'City', do: 'check' })
    expect([nameless.status, nameless.text]).toEqual([
      400,
      expect.stringContaining('Name at least one property.'),
    ])
    expect(nameless.text).toMatch(/<input[^>]*name="n0.name"[^>]*aria-invalid[^>]*autofocus/)
    expect(Object.keys(fieldsOf(nameless.text))).toEqual(Object.keys(fields))
    const typed = {
      ...fields,
      type: 'City',
      'n0.name': 'name',
      'n0.required': 'on',
      'n1.name': 'country',
      'n1.refersTo': 'City',
    }
    const checked = await ada.postForm(at, { ...typed, do: 'check' })
    expect(textIn(checked.text)).toContain('It makes version v1.0.0.')
    expect((await ada.postForm(at, { ...fieldsOf(checked.text), do: 'save' })).status).toBe(303)
    expect(await schemasAt(`${path}/versions/latest`)).toEqual({
      City: {
        type: 'object',
        additionalProperties: false,
        properties: {
          name: { type: 'string', propertyOrder: 0 },
          country: { type: 'string', 'x-ref-type': 'City', propertyOrder: 1 },
        },
        required: ['name'],
      },
    })
    const again = await ada.postForm(at, { ...typed, base: 'v1.0.0', do: 'check' })
    expect([again.status, again.text]).toEqual([
      400,
      expect.stringContaining('There is a type City already.'),
    ])
  })

  test('a button adds a property and keeps what was typed', async () => {
    const { at } = await published()
    const { text } = await ada.get(`${at}/A/edit`)
    const added = await ada.postForm(`${at}/A/edit`, { ...fieldsOf(text), title: 'Typed', do: 'add' })
    expect(added.status).toBe(200)
    expect(fieldsOf(added.text)).toMatchObject({ title: 'Typed', 'n0.name': '', 'n0.kind': 'text' })
  })

  test('a property is a row: details with typed changes or a refused value are unfolded, and nothing is lost', async () => {
    const { at } = await published()
    const link = `${at}/A/edit`
    const rows = (html: string) =>
      Array.from(html.matchAll(/<fieldset class="property"[^>]*>([\s\S]*?)<\/fieldset>/g), ([, row]) => {
        const [, name = ''] = /<legend[^>]*>(?:New property )?<code>([^<]*)/.exec(row!) ?? []
        return `${name}${row!.includes('<details open') ? ' open' : ''}`
      })
    const { text } = await ada.get(link)
    expect(rows(text)).toEqual(['name', 'keeper', 'wings', 'place'])
    expect(textIn(text)).toContain('Details of name Name')
    const typed = {
      ...fieldsOf(text),
      [fieldOf(text, 'keeper', 'description')]: 'Who feeds it',
      [fieldOf(text, 'wings', 'kind')]: 'integer',
      'n0.name': 'colour',
      'n0.order': '',
      'n2.name': '',
      'n2.order': '',
      'n2.refersTo': 'Other',
    }
    const added = await ada.postForm(link, { ...typed, do: 'add' })
    expect(rows(added.text)).toEqual(['name', 'keeper open', 'wings', 'place', 'colour', ' open', ''])
    const nameless = await ada.postForm(link, { ...fieldsOf(added.text), do: 'check' })
    expect([nameless.status, nameless.text]).toEqual([
      400,
      expect.stringContaining('Name the new property Other.'),
    ])
    expect(fieldsOf(nameless.text)).toMatchObject({
      [fieldOf(text, 'keeper', 'description')]: 'Who feeds it',
      ...{ 'n0.name': 'colour', 'n1.name': '', 'n1.refersTo': 'Other' },
    })
    const wrong = { ...fieldsOf(text), [fieldOf(text, 'wings', 'values')]: 'two' }
    const refused = await ada.postForm(link, { ...wrong, do: 'check' })
    expect([refused.status, rows(refused.text)]).toEqual([400, ['name', 'keeper', 'wings open', 'place']])
    expect(fieldsOf(refused.text)).toMatchObject(wrong)
    expect(refused.text).toMatch(
      /<details open[^>]*>(?:(?!<\/details>)[\s\S])*name="p\d+\.values"[^>]*aria-invalid/,
    )
  })

  test('buttons move properties up and down, also new ones, and keep what was typed', async () => {
    const { path, at, latest } = await published()
    const link = `${at}/A/edit`
    const legends = (html: string) =>
      Array.from(html.matchAll(/<legend[^>]*>(?:New property )?<code>([^<]*)/g), ([, name]) => name).join(' ')
    const press = async (
      html: string,
      name: string,
      direction: string,
      more: Record<string, string> = {},
    ) => {
      const button = new RegExp(
        `value="(${direction}\\.[pn]\\d+)"(?:(?!</button>)[^])*Move ${name} ${direction}`,
      )
      const form = { ...fieldsOf(html), ...more, do: button.exec(html)![1]! }
      const answer = await ada.postForm(link, form)
      expect(answer.status).toBe(200)
      return answer.text
    }
    const first = (await ada.get(link)).text
    expect(legends(first)).toBe('name keeper wings place')
    expect(first).toMatch(/value="up\.p0" disabled/)
    expect(/<button[^>]*value="check"/.exec(first)!.index).toBeLessThan(first.indexOf('value="up.p0"'))
    const typed = { title: 'Typed', 'n0.name': '', 'n1.name': 'tail', 'n1.order': '', 'n1.kind': 'number' }
    const down = await press(first, 'name', 'down', typed)
    expect(legends(down)).toBe('keeper name wings place tail')
    expect(down).toMatch(/value="down\.p0" autofocus/)
    expect(fieldsOf(down)).toMatchObject({ title: 'Typed', 'n0.name': 'tail', 'n0.kind': 'number' })
    const up = await press(down, 'tail', 'up')
    const again = await press(up, 'tail', 'up')
    expect(legends(again)).toBe('keeper name tail wings place')
    const checked = await ada.postForm(link, { ...fieldsOf(again), do: 'check' })
    expect(legends(checked.text)).toBe('keeper name tail wings place')
    expect((await ada.postForm(link, { ...fieldsOf(checked.text), do: 'save' })).status).toBe(303)
    const { properties } = (await schemasAt(latest)).A
    const places = ['keeper', 'name', 'tail', 'wings', 'place'].map((name) => properties[name].propertyOrder)
    expect(places).toEqual([0, 1, 2, 3, 4])
    await stage.push(path, { base: 'v2.0.0', opening: { schemas: { A: bird, Other: {} } }, puts: [] })
    const late = await ada.postForm(link, { ...fieldsOf(checked.text), base: 'v2.0.0', do: 'up.p1' })
    expect(textIn(late.text)).toContain('v3.0.0 was published while you edited v2.0.0.')
  })

  test('hostile schemas stay text and bounded; those that the form cannot edit say so', async () => {
    const evil = '"><script>alert(1)</script>\u202e'
    const hostile = {
      title: evil,
      properties: { [evil]: { title: evil, description: evil, enum: [evil] }, no: false },
    }
    const wide = { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, {}])) }
    const { at } = await published({ A: hostile, Wide: wide, Any: true }, [])
    const { status, text } = await ada.get(`${at}/A/edit`)
    expect([status, text.includes('<script>alert')]).toEqual([200, false])
    for (const [type, sentence] of [
      ['Wide', 'The schema has 5000 properties. This form edits up to 300.'],
      ['Any', 'The schema is true: it has no properties.'],
    ] as const) {
      const page = await ada.get(`${at}/${type}/edit`)
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(sentence)])
      expect(page.text.length).toBeLessThan(50_000)
      expect(
        (await ada.postForm(`${at}/${type}/edit`, { base: 'v1.0.0', title: 'T', do: 'save' })).status,
      ).toBe(400)
    }
    expect((await ada.get(`${at}/None/edit`)).status).toBe(404)
  })
})
