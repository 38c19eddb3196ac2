/** Forms of a record whose fields, and members of an object, have names that statements, pages and languages use themselves. */
import type { JsonObject } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { takenNames } from '../../../../packages/content/src/testing/taken-names.ts'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

const objectOf = <T>(names: readonly string[], value: (at: number) => T): Record<string, T> =>
  Object.fromEntries(names.map((name, at) => [name, value(at)]))
const texts = { type: 'string' }
const dataOf = (prefix: string): JsonObject => ({
  ...objectOf(takenNames, (at) => `${prefix}${at}`),
  'its members': objectOf(takenNames, (at) => `${prefix} ${at}`),
})
const schema = {
  properties: {
    ...objectOf(takenNames, () => texts),
    'its members': { type: 'object', properties: objectOf(takenNames, () => texts) },
  },
}

/** Entries of a page's form, by name. */
function entriesOf(html: string): Record<string, string> {
  const inputs = [...html.matchAll(/<input\b[^>]*>/g)].flatMap(([input]) => {
    const [name, value] = ['name', 'value'].map(
      (attribute) => new RegExp(`\\s${attribute}="([^"]*)"`).exec(input)?.[1],
    )
    return name === undefined ? [] : [[decoded(name), decoded(value ?? '')]]
  })
  const areas = [...html.matchAll(/<textarea\b[^>]*\sname="([^"]*)"[^>]*>([^<]*)</g)].map(
    ([, name, value]) => [decoded(name!), decoded(value!)],
  )
  return Object.fromEntries([...inputs, ...areas])
}

describe.each(anyDatabase)('forms with taken names on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    ada = testClient(stage.server.url, await stage.server.signIn('ada'), '')
  })
  afterAll(() => stage.end())

  test('what a form shows changes nothing, and each entry reaches its own field', async () => {
    const { path } = await stage.newCollection()
    const put = { id: 'one', type: 'Words', data: dataOf('a') }
    await stage.push(path, { opening: { schemas: { Words: schema } }, puts: [put] })
    const form = `${path.replace('/collections', '')}/records/Words/one/edit`
    const entries = entriesOf((await ada.get(form)).text)
    const fields = Object.keys(entries).filter((name) => name.startsWith('/'))
    expect(fields.length).toBe(2 * takenNames.length)
    const own = { base: 'v1.0.0', ...Object.fromEntries(fields.map((name) => [name, entries[name]!])) }
    await ada.postForm(form, own)
    const record = async () => (await stage.ada.get(`${path}/versions/latest/records/Words/one`)).json.data
    expect(await record()).toEqual(dataOf('a'))
    expect((await stage.ada.get(`${path}/versions/latest`)).json).toMatchObject({ semver: 'v1.0.0' })
    const changed = Object.fromEntries(fields.map((name) => [name, entries[name]!.replace(/^a/, 'b')]))
    const saved = await ada.postForm(form, { base: 'v1.0.0', ...changed })
    expect([saved.status, saved.headers.location]).toEqual([303, expect.stringContaining('saved=changed')])
    expect(await record()).toEqual(dataOf('b'))
  })
})
