/** `Deprecation` header: on every answer that reads a deprecated version, and exposed to pages of other sites. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'

describe.each(anyDatabase)('the header Deprecation, on $name', (database) => {
  let stage: Stage

  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  /** A collection with the versions v1.0.0 and v1.1.0. */
  async function twoVersions(): Promise<string> {
    const { path } = await stage.newCollection()
    const put = (id: string) => ({ id, type: 'A', data: {} })
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [put('1')] })
    await stage.push(path, { base: 'v1.0.0', puts: [put('2')] })
    return path
  }
  const deprecate = async (path: string, message: string | null) =>
    expect((await stage.ada.post(`${path}/deprecate`, { message })).status).toBe(200)
  const told = async (path: string) => (await stage.anyone.get(path)).headers['deprecation']

  test('is on every answer that reads the version, and gone with the warning', async () => {
    const path = await twoVersions()
    const latest = `${path}/versions/v1.1.0`
    const below = [
      '',
      '/records',
      '/records.ndjson',
      '/records/A/1',
      '/manifest',
      '/files',
      '/diff?from=v1.0.0',
    ]
    const reading = [
      path,
      `${path}/versions/latest`,
      `${path}/export`,
      ...below.map((end) => `${latest}${end}`),
    ]
    await deprecate(latest, 'Take v1.0.0.')
    const { at } = (await stage.anyone.get(latest)).json.deprecated
    const since = `@${Math.floor(Date.parse(at) / 1_000)}`
    for (const one of reading) expect([one, await told(one)]).toEqual([one, since])
    for (const one of [`${path}/versions`, `${path}/versions/v1.0.0`])
      expect([one, await told(one)]).toEqual([one, undefined])
    await deprecate(latest, null)
    for (const one of reading) expect([one, await told(one)]).toEqual([one, undefined])
  })

  test('of an older version is not on the collection, and a page of another site may read it', async () => {
    const path = await twoVersions()
    await deprecate(`${path}/versions/v1.0.0`, 'Old.')
    expect(await told(path)).toBeUndefined()
    const { headers } = await stage.anyone.get(`${path}/versions/v1.0.0`, {
      origin: 'https://elsewhere.example',
    })
    expect(String(headers['access-control-expose-headers']).split(', ')).toContain('Deprecation')
  })
})
