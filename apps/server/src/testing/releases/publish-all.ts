/** Publishes collections of several kinds over HTTP, as a kept release has them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { keyFor, signIn } from '../browser.ts'
import { pushVersion } from '../stage.ts'
import { expectStatus, fileHash, type TestClient, testClient } from '../test-client.ts'

/** Accounts and collections. */
export const people = {
  mercator: 'mercator',
  atlas: 'atlas',
  cities: 'mercator/cities',
  diary: 'mercator/diary',
  fork: 'atlas/cities',
}

const schemas = {
  City: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      people: { type: 'integer' },
      founded: { type: 'string', format: 'date' },
      image: { type: 'object' },
      surveyor: { type: 'string', private: true },
    },
    required: ['name'],
  },
  Note: { type: 'object', properties: { text: { type: 'string' } }, private: true },
}

const city = (id: string, name: string, people: number, more: object = {}) => ({
  ...{ id, type: 'City' },
  data: { name, people, surveyor: `surveyor of ${id}`, ...more },
})

/** @returns an admin key of the publisher, which stays valid */
export async function publishAll(url: string): Promise<string> {
  const { cookie } = await signIn(url, { login: people.mercator, name: 'Gerardus “M.” Mercator' })
  const key = await keyFor(url, cookie, 'admin')
  const client = testClient(url, key)
  await expectStatus(client.post('/accounts', { slug: people.atlas, displayName: 'Atlas' }), 201)
  await publishCities(client)
  const diary = '/collections/mercator/diary'
  await expectStatus(client.post('/accounts/mercator/collections', { slug: 'diary', public: false }), 201)
  await pushVersion(client, diary, {
    ...{ base: null, opening: { schemas: { Day: {} }, metadata: { license: 'CC0-1.0' } } },
    puts: [{ id: '1569-08-01', type: 'Day', data: { text: 'The great map is printed.', pages: 18 } }],
  })
  await expectStatus(client.post(`/collections/${people.cities}/fork`, { targetOrg: people.atlas }), 201)
  await pushVersion(client, `/collections/${people.fork}`, {
    ...{ base: (await latestOf(client, people.fork)).semver, puts: [city('RIX', 'Rīga', 605_802)] },
  })
  for (const name of [people.cities, people.diary, people.fork]) await becomeLogged(client, name)
  return key
}

/** Waits until the latest version, and so all, are in the signed log. */
async function becomeLogged(client: TestClient, name: string): Promise<void> {
  const path = `/collections/${name}/versions/latest/log`
  for (let tries = 0; (await client.get(path)).status !== 200; tries++) {
    if (tries === 120) throw new Error(`${name} is not in the log.`)
    await sleep(500)
  }
}

const latestOf = async (client: TestClient, name: string): Promise<{ semver: string }> =>
  (await expectStatus(client.get(`/collections/${name}/versions/latest`), 200)).json

/** Versions with files, private data, deletions, one deprecated and one withdrawn, and a saved question. */
async function publishCities(client: TestClient): Promise<void> {
  const path = `/collections/${people.cities}`
  await expectStatus(client.post('/accounts/mercator/collections', { slug: 'cities', public: true }), 201)
  await client.upload(path, 'a map of Oslo')
  const first = await pushVersion(client, path, {
    ...{ base: null, opening: { schemas, metadata: { license: 'CC-BY-4.0', keywords: ['maps'] } } },
    puts: [
      city('OSL', 'Oslo', 709_037, { founded: '1048-01-01', image: { $file: fileHash('a map of Oslo') } }),
      city('TRD', 'Trondheim', 212_660),
      { ...city('X', 'Not yet public', 1), private: true },
      { id: 'n1', type: 'Note', data: { text: 'for members' } },
    ],
  })
  const puts = Array.from({ length: 300 }, (_, i) => city(`c${i}`, `City ${i}`, i * 1_000))
  const second = await pushVersion(client, path, { base: first.semver, puts })
  const third = await pushVersion(client, path, {
    ...{ base: second.semver, puts: [city('TRD', 'Trondheim', 214_565)] },
    deletes: [{ id: 'c7', type: 'City' }],
  })
  const about = { description: 'Cities, as surveyed', readme: '# Cities\n\nSee `City`.' }
  await expectStatus(client.patch(`${path}/metadata`, about), 201)
  await expectStatus(
    client.post(`${path}/versions/${first.semver}/deprecate`, { message: 'Use a later one.' }),
    200,
  )
  await expectStatus(
    client.post(`${path}/versions/${second.semver}/withdraw`, { reason: 'Wrong counts.' }),
    200,
  )
  await expectStatus(client.get(`${path}/versions/${third.semver}`), 200)
}
