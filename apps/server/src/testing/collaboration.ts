/** Fixture of the tests of collaborators: an organization, and people with each grant on its collections. */
import type { TestDatabase } from '@ulmus/storage/testing'
import { addOrg, serveForTest, type TestServer } from './serve.ts'
import { pushVersion, put } from './stage.ts'
import { expectStatus, type TestClient, testClient } from './test-client.ts'

const people = ['ada', 'ben', 'rita', 'will', 'amy', 'eve', 'uma'] as const
export type Person = (typeof people)[number]
/** Grants on each new collection. The other people have none; ada is owner, and ben member of the organization. */
export const grants = { rita: 'read', will: 'write', amy: 'admin' } as const

export interface Collaboration {
  readonly server: TestServer
  readonly by: Readonly<Record<Person, TestClient>>
  /** Makes a collection with a private column and two versions. Returns the path of its page. */
  newCollection(owner: 'acme' | 'ada', isPublic?: boolean): Promise<string>
  end(): Promise<void>
}

/** @param newMembers `invited`: ben is no member, and the collections have no collaborators */
export async function setCollaboration(
  database: TestDatabase,
  newMembers: 'added' | 'invited' = 'added',
): Promise<Collaboration> {
  const { settings, dispose } = await database.settings()
  const server = await serveForTest(settings, { rateLimits: null, newMembers })
  const signedIn: [Person, TestClient][] = []
  for (const person of people) {
    const session = await server.signIn(person)
    if (person === 'uma') await addOrg(server, session, 'guild')
    if (person === 'ada') await addOrg(server, session, 'acme')
    signedIn.push([person, testClient(server.url, session, '')])
  }
  const by = Object.fromEntries(signedIn) as Record<Person, TestClient>
  if (newMembers === 'added')
    await expectStatus(by.ada.put('/api/accounts/acme/members/ben', { role: 'member' }))
  let count = 0
  return {
    ...{ server, by },
    async newCollection(owner, isPublic = false) {
      const slug = `birds-${++count}`
      const path = `/api/collections/${owner}/${slug}`
      await expectStatus(by.ada.post(`/api/accounts/${owner}/collections`, { slug, public: isPublic }))
      const schemas = {
        A: { properties: { name: { type: 'string' }, nest: { type: 'string', private: true } } },
      }
      await pushVersion(by.ada, path, { opening: { schemas }, puts: [put('1', { name: 'x', nest: 'y' })] })
      await pushVersion(by.ada, path, { base: 'v1.0.0', puts: [put('2', { name: 'z' })] })
      await expectStatus(by.ada.post(`${path}/questions`, { name: 'Asked', type: 'A', public: true }), 201)
      if (newMembers === 'added')
        for (const [user, grant] of Object.entries(grants))
          await expectStatus(by.ada.put(`${path}/collaborators/${user}`, { grant }))
      return `/${owner}/${slug}`
    },
    async end() {
      await server.close()
      await dispose()
    },
  }
}
