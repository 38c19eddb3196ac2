/** Keys that are limited to collections, from the command line to the server. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { serveForTest } from '../../../server/src/testing/serve.ts'
import { testClient } from '../../../server/src/testing/test-client.ts'
import { openPerson } from '../testing/cli.ts'

const ends: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

describe.each(anyDatabase)('limited keys and a server on $name', ({ settings: open }) => {
  test('a key for two collections reads these alone, and its last days are in its answers', async () => {
    const { settings, dispose } = await open()
    ends.push(dispose)
    const server = await serveForTest(settings)
    ends.push(() => server.close())
    const ada = openPerson(server.url, await server.keyFor((await server.signIn('ada')).cookie, 'admin'))
    ends.push(() => ada.dispose())
    const done = async (...args: string[]) => {
      const ended = await ada.ulmus('.', ...args)
      expect(ended, ended.said).toMatchObject({ code: 0 })
      return ended
    }
    for (const slug of ['birds', 'trees', 'stones']) await done('collections', 'create', `ada/${slug}`)
    const flags = ['--collection', 'ada/birds', '--collection', 'ada/trees', '--expires', '10d']
    const made = JSON.parse(
      (await done('keys', 'create', '--label', 'two', '--scope', 'read', ...flags, '--json')).out,
    )
    expect(made).toMatchObject({ limited: true, collectionId: null, collections: ['ada/birds', 'ada/trees'] })
    const as = testClient(server.url, made.key)
    const statuses = ['birds', 'trees', 'stones'].map(
      async (slug) => (await as.get(`/collections/ada/${slug}`)).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 200, 404])
    expect((await as.get('/accounts/me')).headers['ulmus-key-expires']).toBe(made.expiresAt)
    expect((await testClient(server.url).get('/accounts/ada')).headers).not.toHaveProperty(
      'ulmus-key-expires',
    )
    expect((await done('keys', 'list')).out).toMatch(/\ttwo\tada\/birds ada\/trees\n/)
    const none = await ada.ulmus(
      '.',
      'keys',
      'create',
      '--label',
      'x',
      '--collection',
      'ada/birds',
      '--collection',
      'ada/absent',
    )
    expect(none).toMatchObject({ code: 1, out: '' })
    expect(none.said).toMatch(/ada\/absent/)
    const both = { label: 'x', scope: 'read', collections: ['ada/birds'], collectionId: made.id }
    const session = testClient(server.url, { cookie: (await server.signIn('ada')).cookie })
    expect((await session.post('/accounts/keys', both)).status).toBe(400)
    expect(
      (await session.post('/accounts/keys', { label: 'x', scope: 'read', collections: [] })).status,
    ).toBe(400)
  })
})
