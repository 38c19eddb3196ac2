/** Forms that edit, add and delete records, and mark them as private. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

const schema = {
  properties: {
    name: { type: 'string', title: 'Name of the <town>', description: 'As on maps.' },
    people: { type: 'integer', minimum: 0 },
    area: { type: 'number' },
    founded: { type: 'string', format: 'date' },
    isPort: { type: 'boolean' },
    kind: { enum: ['city', 'town'] },
    country: { type: 'string', 'x-ref-type': 'Country' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { lat: { type: 'number', maximum: 90 } } },
    more: {},
    secret: { type: 'string', private: true },
  },
  required: ['name'],
}
const oslo = { name: 'Oslo', people: 700_000, place: { lat: 59.9 }, more: { a: [1] }, secret: 's' }

describe.each(anyDatabase)('forms of records on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    ada = testClient(stage.server.url, await stage.server.signIn('ada'), '')
  })
  afterAll(() => stage.end())

  async function started() {
    const { path } = await stage.newCollection()
    const puts = [
      { id: 'oslo', type: 'Town', data: oslo },
      { id: 'new', type: 'Town', data: { name: 'New' } },
      { id: 'hidden', type: 'Town', data: { name: 'H' }, private: true },
    ]
    await stage.push(path, { opening: { schemas: { Town: schema, Country: {} } }, puts })
    const at = path.replace('/collections', '')
    return { path, towns: `${at}/records/Town` }
  }
  const record = async (path: string, id: string, client = stage.ada) =>
    client.get(`${path}/versions/latest/records/Town/${id}`)

  test('each field has its input with title, help and value; a version of each change is announced', async () => {
    const { towns } = await started()
    const { text, status } = await ada.get(`${towns}/oslo/edit`)
    expect(status).toBe(200)
    expect(text).toMatch(
      /<label for="field-%2Fname"><bdi>Name of the &lt;town><\/bdi> <code[^>]*>name<\/code>/,
    )
    expect(text).toContain('As on maps.')
    expect(text).toMatch(/name="\/people"[^>]* inputMode="decimal" value="700000"/i)
    expect(text).toMatch(/name="\/founded"[^>]* type="date"/)
    expect(text).toMatch(/<select [^>]*name="\/isPort"/)
    expect(text).toMatch(/<option value="&quot;town&quot;">town/)
    expect(text).toContain(`href="${towns.replace('Town', 'Country')}"`)
    expect(text).toMatch(/<fieldset class="group form"><legend><bdi>place/)
    expect(text).toMatch(/<textarea[^>]*name="\/more"[^>]*>\{\n {2}&quot;a&quot;/)
    expect(text).toMatch(/name="\/secret"[^>]* value="s"/)
    expect(text).toContain('v1.1.0')
    expect(text).toContain('?as=json"')
    const asPublic = await ada.get(`${towns}/oslo/edit?view=public`)
    expect(asPublic.text).toMatch(/name="\/secret"[^>]* value="s"/)
    const asJson = await ada.get(`${towns}/oslo/edit?as=json`)
    expect(asJson.text).toMatch(/<textarea[^>]*name="data"/)
    expect(asJson.text).toContain(`href="${towns}/oslo/edit"`)
  })

  test('entries are saved, and the rest stays', async () => {
    const { path, towns } = await started()
    const entries = {
      '/people': '',
      '/area': '454.00',
      '/tags': 'a\r\nb',
      '/place/lat': '59',
      '/isPort': 'true',
    }
    const saved = await ada.postForm(`${towns}/oslo/edit`, { base: 'v1.0.0', ...entries })
    expect([saved.status, saved.headers.location]).toEqual([303, `${towns}/oslo?saved=changed-v1.1.0`])
    const { people: _, ...rest } = oslo
    expect((await record(path, 'oslo')).json.data).toEqual({
      ...{ ...rest, area: 454, tags: ['a', 'b'], place: { lat: 59 }, isPort: true },
    })
    expect((await stage.ada.get(`${path}/versions/latest`)).json).toMatchObject({ semver: 'v1.1.0' })
  })

  test('faults stand beside their fields, and entries are kept', async () => {
    const { towns } = await started()
    const edit = (form: Record<string, string>) =>
      ada.postForm(`${towns}/oslo/edit`, { base: 'v1.0.0', ...form })
    const number = await edit({ '/people': '7,5', '/name': 'Kept' })
    expect(number.status).toBe(400)
    expect(number.text).toMatch(/id="fault-%2Fpeople">Write a (whole )?number/)
    expect(number.text).toContain('value="Kept"')
    const digits = await edit({ '/area': '12345678901234567890' })
    expect([digits.status, digits.text.includes('id="fault-%2Farea"')]).toEqual([400, true])
    const refused = await edit({ '/people': '-1', '/name': '', '/place/lat': '91' })
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/id="fault-%2Fpeople">must be >= 0/)
    expect(refused.text).toContain('id="fault-%2Fname">This field is required.')
    expect(refused.text).toMatch(/id="fault-%2Fplace%2Flat">must be &lt;= 90/)
    expect(refused.text).toContain('<bdi>place.lat:</bdi> must be &lt;= 90')
    expect((await edit({ '/name': 'Oslo' })).status).toBe(409)
  })

  test('after a version of another editor, entries are kept and other fields are up to date', async () => {
    const { path, towns } = await started()
    const other = { ...oslo, people: 5 }
    await stage.push(path, { base: 'v1.0.0', puts: [{ id: 'oslo', type: 'Town', data: other }] })
    const form = { base: 'v1.0.0', '/name': 'Christiania', '/people': '700000', private: 'no' }
    const late = await ada.postForm(`${towns}/oslo/edit`, form)
    expect(late.status).toBe(409)
    expect(late.text).toContain('Version v1.1.0 was published in the meantime. Your entries are kept.')
    expect(late.text).toContain('value="Christiania"')
    expect(late.text).toMatch(/name="\/people"[^>]* value="5"/)
    expect(late.text).toContain('name="base" value="v1.1.0"')
    const asJson = await ada.postForm(`${towns}/oslo/edit`, { base: 'v1.0.0', data: '{"name":"C"}' })
    expect([asJson.status, asJson.text.includes('name="base" value="v1.0.0"')]).toEqual([409, true])
    expect(asJson.text).toContain('{&quot;name&quot;:&quot;C&quot;}')
  })

  test('a record that was deleted meanwhile is kept in the form, and a button adds it again', async () => {
    const { path, towns } = await started()
    await stage.push(path, { base: 'v1.0.0', deletes: [{ type: 'Town', id: 'oslo' }] })
    expect((await ada.get(`${towns}/oslo/edit`)).status).toBe(404)
    const form = { base: 'v1.0.0', '/name': 'Christiania', '/people': '700000', '/size': 'big' }
    const late = await ada.postForm(`${towns}/oslo/edit`, form)
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringContaining('The record was deleted in version v1.1.0. Nothing was stored.'),
    ])
    expect(late.text).toContain('value="Christiania"')
    expect(late.text).toContain('Add the record again')
    expect(late.text).toMatch(/has no place for these entries[\s\S]*<code>\/size<\/code> <bdi>big/)
    const again = { ...form, base: 'v1.1.0', from: 'v1.0.0' }
    const faulty = await ada.postForm(`${towns}/oslo/edit`, { ...again, '/people': 'many' })
    expect([faulty.status, faulty.text.includes('name="from" value="v1.0.0"')]).toEqual([400, true])
    const added = await ada.postForm(`${towns}/oslo/edit`, again)
    expect(added.status).toBe(303)
    const { name: _, ...rest } = oslo
    expect((await record(path, 'oslo')).json.data).toEqual({ ...rest, name: 'Christiania' })
    expect((await stage.ada.get(`${path}/versions/latest`)).json.message).toBe('Added Town oslo')
  })

  test('all entries are kept if the version of the form was withdrawn', async () => {
    const { path, towns } = await started()
    const other = { ...oslo, people: 5 }
    await stage.push(path, { base: 'v1.0.0', puts: [{ id: 'oslo', type: 'Town', data: other }] })
    await (await stage.keyOfAda('admin')).post(`${path}/versions/v1.1.0/withdraw`, { reason: 'wrong' })
    const form = { base: 'v1.1.0', '/name': 'Christiania', '/people': '5' }
    const late = await ada.postForm(`${towns}/oslo/edit`, form)
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringContaining('Version v1.1.0, which you edited, was withdrawn; the latest is v1.0.0.'),
    ])
    expect(late.text).toContain('value="Christiania"')
    expect(late.text).toMatch(/name="\/people"[^>]* value="5"/)
    expect(late.text).toContain('name="base" value="v1.0.0"')
    const asJson = await ada.postForm(`${towns}/oslo/edit`, { base: 'v1.1.0', data: '{"name":"C"}' })
    expect([asJson.status, asJson.text.includes('name="base" value="v1.0.0"')]).toEqual([409, true])
    expect(asJson.text).toContain('{&quot;name&quot;:&quot;C&quot;}')
    const added = await ada.postForm(`${towns}/new`, { base: 'v1.1.0', id: 'voss', '/name': 'Voss' })
    expect([added.status, added.text]).toEqual([
      409,
      expect.stringContaining('v1.1.0, which you edited, was'),
    ])
    expect(added.text).toContain('value="Voss"')
  })

  test('a record is added once; the record with the id `new` keeps its page', async () => {
    const { path, towns } = await started()
    expect((await ada.get(towns)).text).toContain(`href="${towns}/new"`)
    expect((await testClient(stage.server.url, undefined, '').get(towns)).text).not.toContain(`${towns}/new"`)
    expect((await ada.get(`${towns}/oslo`)).text).toContain(`href="${towns}/new"`)
    expect((await ada.get(`${towns}/new`)).text).toMatch(/name="id"[\s\S]*name="\/name"/)
    const form = { base: 'v1.0.0', '/name': 'Bergen', '/people': '', '/more': '' }
    const none = await ada.postForm(`${towns}/new`, form)
    expect([none.status, none.text.includes('id="fault-id">Every record needs an id.')]).toEqual([400, true])
    const taken = await ada.postForm(`${towns}/new`, { ...form, id: 'oslo' })
    expect([taken.status, taken.text.includes('value="Bergen"')]).toEqual([400, true])
    expect(taken.text).toContain('id="fault-id">A record of this type has this id.')
    const added = await ada.postForm(`${towns}/new`, { ...form, id: 'bergen' })
    expect([added.status, added.headers.location]).toEqual([303, `${towns}/bergen?saved=added-v1.1.0`])
    expect((await record(path, 'bergen')).json.data).toEqual({ name: 'Bergen' })
    const late = await ada.postForm(`${towns}/new`, { ...form, id: 'voss' })
    expect([late.status, late.text.includes('name="base" value="v1.1.0"')]).toEqual([409, true])
    const unknown = await ada.get(`${towns.replace('Town', 'Village')}/new`)
    expect(unknown.status).toBe(404)
    const list = (await ada.get(towns)).text
    const page = /href="([^"]*\/record\?[^"]*id=new)"/.exec(list)![1]!.replaceAll('&amp;', '&')
    expect((await ada.get(page)).text).toContain(`href="${towns}/new/edit"`)
    expect((await ada.get(`${towns}/new/edit`)).text).toContain('value="New"')
  })

  test('a record is deleted after a question', async () => {
    const { path, towns } = await started()
    expect((await ada.get(`${towns}/oslo`)).text).toContain(`href="${towns}/oslo/delete"`)
    expect((await ada.get(`${towns}/oslo/delete`)).text).toContain('v1.1.0')
    const late = await ada.postForm(`${towns}/oslo/delete`, { base: 'v0.0.1' })
    expect([late.status, (await record(path, 'oslo')).status]).toEqual([409, 200])
    const gone = await ada.postForm(`${towns}/oslo/delete`, { base: 'v1.0.0', message: 'Twice there' })
    expect([gone.status, gone.headers.location]).toEqual([303, `${towns}?saved=deleted-v1.1.0`])
    expect((await record(path, 'oslo')).status).toBe(404)
    expect((await stage.ada.get(`${path}/versions/latest`)).json).toMatchObject({
      ...{ semver: 'v1.1.0', message: 'Twice there' },
    })
    expect((await ada.get(`${towns}/oslo/delete`)).status).toBe(404)
  })

  test('the page after a form confirms it to editors, in sentences that the address only selects', async () => {
    const { towns } = await started()
    const said = async (query: string, client = ada, at = towns) =>
      /role="status">(?:<svg.*?<\/svg>)?([^<]*)/.exec((await client.get(`${at}?saved=${query}`)).text)?.[1]
    expect(await said('added-v1.0.0')).toBe('Version v1.0.0 is published: 1 record added.')
    expect(await said('schema-v1.0.0')).toBe('Version v1.0.0 is published: 1 schema changed.')
    for (const other of ['added-v1.0.1', 'added-', 'toString-v1.0.0', '<b>', '1'])
      expect(await said(encodeURIComponent(other)), other).toBeUndefined()
    const stranger = testClient(stage.server.url, undefined, '')
    expect(await said('added-v1.0.0', stranger)).toBeUndefined()
    const at = towns.replace('/records/Town', '')
    const { headers } = await ada.postForm(`${at}/edit`, { do: 'save', description: 'Towns', others: '{}' })
    expect(headers.location).toBe(`${at}?saved=metadata-v1.0.1`)
    expect(await said('metadata-v1.0.1', ada, at)).toBe('Version v1.0.1 is published: the metadata changed.')
    const settings = { name: 'Towns', slug: at.split('/')[2]!, visibility: 'public' }
    const set = await ada.postForm(`${at}/settings`, settings)
    expect((await ada.get(set.headers.location as string)).text).toContain('The settings are saved.')
  })

  test('a private value that is the id is confirmed by a tick, and every entry stays', async () => {
    const { path, towns } = await started()
    const form = { base: 'v1.0.0', id: 'ada@x.org', '/name': 'Ada', '/secret': 'ada@x.org', private: 'no' }
    const refused = await ada.postForm(`${towns}/new`, form)
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('Tick below what may become public, or use ids without private values.'),
    ])
    expect(refused.text).not.toContain('confirm_public')
    expect(refused.text).toMatch(/name="public.0" value="secret"[\s\S]*Make <strong>secret<\/strong> public/)
    expect(refused.text).toContain('value="Ada"')
    const ticked = { ...form, 'public.0': 'secret' }
    const faulty = await ada.postForm(`${towns}/new`, { ...ticked, '/people': 'many' })
    expect(faulty.text).toMatch(/name="public.0" value="secret" checked/)
    expect((await ada.postForm(`${towns}/new`, ticked)).status).toBe(303)
    expect((await record(path, 'ada@x.org', stage.anyone)).status).toBe(200)
    const at = `${towns}/ada%40x.org/edit`
    const edited = { base: 'v1.1.0', '/name': 'Ada L.' }
    const again = await ada.postForm(at, edited)
    expect([again.status, again.text.includes('name="public.0" value="secret"')]).toEqual([422, true])
    expect((await ada.postForm(at, { ...edited, 'public.0': 'secret' })).status).toBe(303)
  })

  test('a record is marked as private and as public; without the field, it keeps its mark', async () => {
    const { path, towns } = await started()
    const isPublic = async (id: string) => (await record(path, id, stage.anyone)).status === 200
    const saved = (id: string, form: Record<string, string>) => ada.postForm(`${towns}/${id}/edit`, form)
    expect((await ada.get(`${towns}/hidden/edit`)).text).toMatch(/name="private" value="yes" checked/)
    await saved('oslo', { base: 'v1.0.0', private: 'yes' })
    expect([await isPublic('oslo'), (await record(path, 'oslo')).json.data]).toEqual([false, oslo])
    await saved('hidden', { base: 'v1.0.1', '/name': 'Hidden' })
    expect(await isPublic('hidden')).toBe(false)
    await saved('hidden', { base: 'v1.1.0', private: 'no' })
    expect([await isPublic('hidden'), await isPublic('oslo')]).toEqual([true, false])
    const added = { base: 'v1.1.1', id: 'voss', '/name': 'Voss', private: 'yes' }
    expect((await ada.postForm(`${towns}/new`, added)).status).toBe(303)
    expect(await isPublic('voss')).toBe(false)
  })
})
