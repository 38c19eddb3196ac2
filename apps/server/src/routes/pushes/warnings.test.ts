/** Warnings at opening and at the commit: docs/publishing.md. */
import type { JsonObject } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entryOf, snapshotsOn } from '../../testing/snapshots.ts'
import { type Stage, setStage } from '../../testing/stage.ts'

const country = { type: 'object', properties: { name: { type: 'string' } } }
const city = {
  type: 'object',
  properties: {
    country: { type: 'string', 'x-ref-type': 'Country' },
    twins: { type: 'array', items: { type: 'string', 'x-ref-type': 'City' } },
    flag: {},
  },
}
const put = (type: string, id: string, data: JsonObject) => ({ id, type, data })

describe.each(anyDatabase)('warnings on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  const snapshots = snapshotsOn(() => stage)
  const newPath = async () => (await stage.newCollection()).path

  test('of schemas, in the answer that opens a session: the first 100, and how many', async () => {
    const path = await newPath()
    const fields = Array.from({ length: 150 }, (_, i) => [`f${i}`, { format: `odd${i}` }])
    const schemas = {
      City: { requird: [], properties: { country: { 'x-ref-type': 'Country' } } },
      Odd: { properties: Object.fromEntries(fields) },
    }
    const { status, json } = await stage.ada.post(`${path}/pushes`, { base_version: null, schemas })
    expect([status, json.total_warnings, json.warnings.length]).toEqual([201, 152, 100])
    expect(json.warnings.slice(0, 2)).toEqual([
      {
        ...{ code: 'keyword_unknown', type: 'City', path: '/requird' },
        message: 'has no effect: "required" may be meant',
      },
      {
        ...{ code: 'reference_type_missing', type: 'City', path: '/properties/country/x-ref-type' },
        message: 'there is no type "Country"',
      },
    ])
    const inherits = await stage.ada.post(`${path}/pushes`, { base_version: null })
    expect([inherits.json.warnings, inherits.json.total_warnings]).toEqual([[], 0])
  })

  test('of records, in the answer to the commit and in the state of the session', async () => {
    const path = await newPath()
    const session = await stage.opened(path, {
      opening: { schemas: { City: city, Country: country } },
      puts: [
        put('Country', 'FR', {}),
        put('City', 'bonn', { country: 'DE', twins: ['paris', 'nowhere'] }),
        put('City', 'metz', { country: 'FR', flag: { $file: 'sha256:123' } }),
        put('City', 'nice', { country: 'FR' }),
        put('City', 'paris', { country: 'FR', twins: ['rome'] }),
        put('City', 'trier', { country: 'DE' }),
      ],
    })
    const { status, json } = await stage.ada.post(`${session}/commit`)
    expect([status, json.totalWarnings]).toEqual([201, 4])
    expect(json.warnings).toEqual([
      {
        ...{ code: 'file_reference_malformed', type: 'City', id: 'metz', path: '/flag/$file' },
        message: expect.stringContaining('"sha256:123" names no file'),
      },
      {
        ...{ code: 'reference_missing', type: 'City', id: 'bonn', path: '/twins/1' },
        message: 'there is no City "nowhere"',
      },
      {
        ...{ code: 'reference_missing', type: 'City', id: 'paris', path: '/twins/0' },
        message: 'there is no City "rome"',
      },
      {
        ...{ code: 'reference_missing', type: 'City', id: 'bonn', path: '/country' },
        message: 'there is no Country "DE"; 2 references of this push name it',
      },
    ])
    expect((await stage.ada.get(session)).json.result).toEqual(json)

    // Records of the base exist; deleted ones do not; carried-over records are not checked.
    const next = await stage.opened(path, {
      base: json.semver,
      puts: [put('City', 'rome', { country: 'FR', twins: ['nice', 'bonn'] }), put('Country', 'DE', {})],
      deletes: [{ type: 'City', id: 'bonn' }],
    })
    const second = await stage.ada.post(`${next}/commit`)
    expect(
      second.json.warnings.map(({ path: at, message }: Record<string, string>) => [at, message]),
    ).toEqual([['/twins/1', 'there is no City "bonn"']])
  })

  test('of a snapshot, likewise', async () => {
    const path = await newPath()
    const records = [put('City', 'bonn', { country: 'DE' }), put('City', 'metz', { country: 'FR' })]
    const all = [...records, put('Country', 'FR', {})]
    const opening = { schemas: { City: city, Country: country }, manifest: all.map(entryOf) }
    const { json } = await snapshots.negotiate(path, opening)
    expect([json.warnings, json.total_warnings]).toEqual([[], 0])
    const session = snapshots.sessionOf(path, json.session_id)
    await stage.ada.lines(`${session}/records`, all)
    const committed = await stage.ada.post(`${session}/commit`)
    expect(committed.json.warnings).toMatchObject([
      { code: 'reference_missing', id: 'bonn', path: '/country' },
    ])
  })

  test('more than 100 are counted', async () => {
    const path = await newPath()
    const puts = Array.from({ length: 250 }, (_, i) => put('City', `c${i}`, { country: `X${i}` }))
    const { warnings, totalWarnings } = (await stage.push(path, {
      opening: { schemas: { City: city, Country: country } },
      puts,
    })) as unknown as { warnings: object[]; totalWarnings: number }
    expect([warnings.length, totalWarnings]).toEqual([100, 250])
  })

  test('a push without references has none', async () => {
    const path = await newPath()
    const made = await stage.push(path, {
      opening: { schemas: { Country: country } },
      puts: [put('Country', 'FR', { name: 'x-ref-type' })],
    })
    expect(made).toMatchObject({ warnings: [], totalWarnings: 0 })
  })
})
