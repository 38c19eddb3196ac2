/** Registry with the most expensive content to read: everything at its limit, most of it costly to parse. */

import { keyFor, signIn } from './browser.ts'
import { expectStatus, fileHash, type TestClient, type TestResponse, testClient } from './test-client.ts'

export interface WorstCase {
  readonly anyone: TestClient
  /** The same, for paths outside of `/api`. */
  readonly outside: TestClient
  /** A stranger's read key. */
  readonly stranger: TestClient
  /** A key of the collection's owner. */
  readonly owner: TestClient
  /** Semvers of the versions, newest first. */
  readonly versions: readonly string[]
  /** A push session with a very large number of declared files; a path after `/api`. */
  readonly session: string
  /** The file with the most references. */
  readonly file: string
  /** Id of a record of nearly 8 MiB that every push changes. */
  readonly largeId: string
  readonly changedId: string
  /** Id of a webhook with a full page of deliveries. */
  readonly webhook: string
}

/** Path of the collection after `/api`. */
export const worst = '/collections/ada/worst'
/** Path of the last fork in a chain. */
export const lastFork = '/collections/forkers/fork-20'

const typesMax = 1_000
const privateEvery = 10
/** Type names at their maximum length: they are in every document. */
export const typeName = (index: number): string => `T${index}-`.padEnd(128, 't')
/** An id of the maximum length. */
export const longId = (index: number): string => `${index}-`.padEnd(1_024, 'i')
export const shortType = typeName(1)
export const largeType = typeName(2)
export const middleType = typeName(3)
export const filesType = typeName(4)

/** `[[],[],…]`: has the longest parsing time for its size. */
const nested = (bytes: number): unknown[] => Array.from({ length: Math.floor(bytes / 3) }, () => [])
/** Two bytes each in UTF-8, so that decoding cannot just copy. */
const umlauts = (bytes: number): string => 'ü'.repeat(Math.floor(bytes / 2))

const metadataVersions = 30
const pushedVersions = 4
const forks = 20
const files = 300
const declaredFiles = 100_000

/** Clients of the callers. */
export async function clientsFor(
  url: string,
): Promise<Pick<WorstCase, 'anyone' | 'outside' | 'stranger' | 'owner'> & { asOwner: TestClient }> {
  const withKey = async (login: string, scope: 'write' | 'admin') =>
    testClient(url, await keyFor(url, (await signIn(url, { login })).cookie, scope))
  return {
    asOwner: testClient(url, await signIn(url, { login: 'ada' }), ''),
    anyone: testClient(url),
    outside: testClient(url, undefined, ''),
    stranger: await withKey('eve', 'write'),
    owner: await withKey('ada', 'admin'),
  }
}

/** As many webhooks of the collection as there may be, with addresses of the maximum length. */
async function addWebhooks(owner: TestClient): Promise<string> {
  const url = 'https://receiver.invalid/'.padEnd(2_048, 'a')
  let id = ''
  for (let i = 0; i < 20; i++) {
    ;({ id } = await jsonOf(owner.post(`${worst}/webhooks`, { url, label: 'ü'.repeat(100) })))
    // They list what they would send, and send nothing.
    await jsonOf(owner.patch(`/webhooks/${id}`, { enabled: false }))
  }
  await jsonOf(owner.post(`/webhooks/${id}/replay`, { after: 0 }))
  return id
}

export async function buildWorstCase(url: string): Promise<WorstCase> {
  const clients = await clientsFor(url)
  const { owner } = clients
  await jsonOf(owner.post('/accounts', { slug: 'forkers', displayName: 'Forks' }))
  await jsonOf(owner.post('/accounts/ada/collections', { slug: 'worst', public: true }))

  const uploads = Array.from({ length: files }, (_, index) => `file ${index}`)
  for (let i = 0; i < uploads.length; i += 50)
    await Promise.all(uploads.slice(i, i + 50).map((bytes) => jsonOf(owner.upload(worst, bytes))))
  const names = uploads.map(fileHash)

  const schemas = Object.fromEntries(
    Array.from({ length: typesMax }, (_, index) => [
      typeName(index),
      { examples: nested(4_000), ...(index % privateEvery === 0 && { private: true }) },
    ]),
  )
  const changed = (round: number) => ({ id: 'changed', type: shortType, data: { round } })
  const lines = [
    ...Array.from({ length: 5_000 }, (_, i) => ({ id: longId(i), type: shortType, data: { i } })),
    ...Array.from({ length: 3_000 }, (_, i) => ({ id: `${i}`, type: middleType, data: umlauts(4_000) + i })),
    { id: 'all', type: filesType, data: names.map((name) => ({ $file: name })) },
    ...Array.from({ length: 2_000 }, (_, i) => ({
      id: longId(i),
      type: filesType,
      data: { $file: names[0] },
    })),
    ...Array.from({ length: 500 }, (_, i) => ({ id: 'one', type: typeName(i + 5), data: { i } })),
  ]
  const large = [0, 1, 2].map((i) => ({
    id: `large-${i}`,
    type: largeType,
    data: [i, ...nested(8_388_000 - 200)],
  }))
  const opening = { schemas, metadata: { worst: nested(1_048_000) } }
  let head: string | null = null
  const push = async (body: object, puts: readonly unknown[], deletes: readonly unknown[] = []) => {
    const opened = await jsonOf(owner.post(`${worst}/pushes`, { base_version: head, ...body }))
    const session = `${worst}/pushes/${opened.session_id}`
    for (let i = 0; i < puts.length; i += 10_000)
      await jsonOf(owner.lines(`${session}/records`, puts.slice(i, i + 10_000)))
    if (deletes.length > 0) await jsonOf(owner.lines(`${session}/deletes`, deletes))
    head = (await jsonOf(owner.post(`${session}/commit`))).semver
  }
  await push(opening, [changed(0), ...lines, ...large])
  for (let round = 1; round <= pushedVersions; round++)
    await push(
      {},
      [
        changed(round),
        ...lines
          .slice(5_000 + round * 100, 5_600 + round * 100)
          .map((line) => ({ ...line, data: `${umlauts(4_000)}${round}` })),
      ],
      round % 5 === 0 ? [{ id: longId(round), type: shortType }] : [],
    )
  for (let round = 1; round <= metadataVersions; round++)
    await jsonOf(owner.patch(`${worst}/metadata`, { round }))
  const before = head
  for (let fork = 1; fork <= forks; fork++) {
    const source = fork === 1 ? worst : `/collections/forkers/fork-${fork - 1}`
    await jsonOf(owner.post(`${source}/fork`, { targetOrg: 'forkers', slug: `fork-${fork}` }))
  }
  for (let i = 0; i < 120; i++)
    await jsonOf(
      owner.post('/accounts/ada/collections', {
        slug: `other-${i}`,
        public: true,
        name: 'ü'.repeat(199),
        description: umlauts(19_000),
      }),
    )
  const versions = await jsonOf(owner.get(`${worst}/versions?limit=100`))
  const declared = Array.from({ length: declaredFiles }, (_, i) => fileHash(`declared ${i}`))
  const session = await jsonOf(
    owner.post(`${worst}/pushes`, { base_version: versions[0].semver, files: declared }),
  )
  const webhook = await addWebhooks(owner)
  return {
    ...clients,
    webhook,
    versions: [...versions.map(({ semver }: { semver: string }) => semver), before],
    session: `${worst}/pushes/${session.session_id}`,
    file: names[0]!,
    largeId: 'large-1',
    changedId: 'changed',
  }
}

const jsonOf = async (pending: Promise<TestResponse>) => (await expectStatus(pending)).json
