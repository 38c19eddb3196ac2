/** Versions with only private changes: outsiders see a number and a time. http-api §7, content-model §6. */
import { gunzipSync } from 'node:zlib'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from './testing/stage.ts'

const words = (n: number) => ({ message: `told ${n}`, app_id: `app ${n}`, actor_id: `actor ${n}` })
const told = (n: number) => [`told ${n}`, `app ${n}`, `actor ${n}`]
const nothing = [null, null, null]

describe.each(anyDatabase)('versions with private changes alone on $name', (database) => {
  let stage: Stage
  let path: string
  beforeAll(async () => {
    stage = await setStage(database)
    path = (await stage.newCollection()).path
    const open = (id: string, a: number, more = {}) => ({ id, type: 'Open', data: { a }, ...more })
    const schemas = {
      Hidden: { private: true },
      Open: { properties: { a: {}, s: { private: true } } },
    }
    // Changes: only private things; a public type; a private record; a private field; metadata; only a private type.
    await stage.push(path, { opening: { schemas: { Hidden: schemas.Hidden }, ...words(1) } })
    await stage.push(path, { base: 'v1.0.0', opening: { schemas, ...words(2) }, puts: [open('1', 1)] })
    await stage.push(path, { base: 'v2.0.0', opening: words(3), puts: [open('2', 2, { private: true })] })
    await stage.push(path, {
      base: 'v2.1.0',
      opening: words(4),
      puts: [{ id: '1', type: 'Open', data: { a: 1, s: 'secret' } }],
    })
    await stage.push(path, { base: 'v2.2.0', opening: { ...words(5), metadata: { license: 'MIT' } } })
    await stage.push(path, {
      base: 'v2.2.1',
      opening: words(6),
      puts: [{ id: 'h', type: 'Hidden', data: 1 }],
    })
  })
  afterAll(() => stage.end())

  const shownWords = (item: Record<string, unknown>) => [item['message'], item['appId'], item['actorId']]

  test('lists and details', async () => {
    const labels = ['v2.3.0', 'v2.2.1', 'v2.2.0', 'v2.1.0', 'v2.0.0', 'v1.0.0']
    const outside = [nothing, told(5), nothing, nothing, told(2), nothing]
    const inside = [6, 5, 4, 3, 2, 1].map(told)
    for (const [who, wanted] of [
      [stage.anyone, outside],
      [stage.eve, outside],
      [stage.ada, inside],
    ] as const) {
      const { json } = await who.get(`${path}/versions`)
      expect(json.map(({ semver }: { semver: string }) => semver)).toEqual(labels)
      expect(json.map(shownWords)).toEqual(wanted)
      for (const [index, label] of labels.entries()) {
        expect(shownWords((await who.get(`${path}/versions/${label}`)).json)).toEqual(wanted[index])
      }
      expect((await who.get(path)).json.latestVersion.message).toBe(wanted[0]![0])
    }
  })

  test('nor does any other answer tell', async () => {
    for (const rest of [
      '/export',
      '/versions/latest/manifest',
      '/versions/latest/diff?from=v2.2.1',
      '/export?version=v2.1.0',
    ]) {
      const { bytes, status } = await stage.anyone.get(`${path}${rest}`)
      expect([rest, status]).toEqual([rest, 200])
      const plain = rest.startsWith('/export') ? gunzipSync(bytes) : bytes
      for (const n of [1, 3, 4, 6])
        for (const word of told(n)) expect([rest, plain.includes(word)]).toEqual([rest, false])
    }
    const exported = gunzipSync((await stage.ada.get(`${path}/export`)).bytes)
    expect(exported.includes('told 6')).toBe(true)
  })
})
