/** Text of an erased version: no server answers it, no row of the database has it. docs/security.md#erased-text */
import { openStoreCommands } from '@ulmus/registry'
import { databases } from '@ulmus/storage/testing'
import { Client } from 'pg'
import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { serveForTest } from './testing/serve.ts'
import { pushVersion } from './testing/stage.ts'
import { expectStatus, fileHash, testClient } from './testing/test-client.ts'

const path = '/collections/ada/places'
/** In a record, a file, a schema, the metadata, and the words of the version. */
const leak = 'quicksilver'
const schemas = (more: object = {}) => ({ Place: { properties: { name: { type: 'string' }, ...more } } })
/** Time in which the other server must have learned of the erasure. Milliseconds. */
const within = 5_000

describe.each(databases.filter(({ name }) => name === 'server'))('two servers on $name', (database) => {
  test('a text erased through one leaves the answers of the other', async () => {
    await using ending = new AsyncDisposableStack()
    const { settings, dispose } = await database.settings()
    ending.defer(dispose)
    const first = await serveForTest(settings)
    ending.defer(() => first.close())
    const { dataFolder } = first
    const second = await serveForTest(settings, { dataFolder })
    ending.defer(() => second.stop())
    const key = await first.keyFor((await first.signIn('ada')).cookie, 'admin')
    const ada = testClient(first.url, key)
    await expectStatus(ada.post('/accounts/ada/collections', { slug: 'places', public: true }), 201)
    await pushVersion(ada, path, {
      opening: { schemas: schemas(), metadata: { readme: 'Places', description: 'Places' } },
      puts: [{ id: '1', type: 'Place', data: { name: 'Oslo' } }],
    })
    await expectStatus(ada.upload(path, leak), 201)
    await pushVersion(ada, path, {
      base: 'v1.0.0',
      opening: {
        schemas: schemas({ [leak]: { description: leak }, file: {} }),
        metadata: { readme: `# ${leak}`, description: leak, keywords: [leak] },
        message: leak,
        files: [fileHash(leak)],
      },
      puts: [
        { id: leak, type: 'Place', data: { name: leak, [leak]: leak, file: { $file: fileHash(leak) } } },
      ],
    })
    await expectStatus(ada.post(`${path}/versions/v2.0.0/deprecate`, { message: leak }))
    const at = `/api${path}/versions/v2.0.0`
    const questions = [
      ...['', '/records', '/manifest', '/tables', `/records/Place/${leak}`].map((rest) => `${at}${rest}`),
      ...['rows', 'rows?q=quicksilver', 'facets?facet=name', 'statistics'].map(
        (rest) => `${at}/tables/Place/${rest}`,
      ),
      ...[`${at}/tables/Place.csv`, `${at}/sql?sql=${encodeURIComponent('FROM "Place"')}`],
      ...['', '/versions', `/files/${fileHash(leak)}`].map((rest) => `/api${path}${rest}`),
      ...[`/api/collections?search=${leak}`, '/api/events', '/', '/explore', '/explore?q=places', '/ada'],
      ...['', '/versions', '/versions.atom', '/feed.json', '/compare/v1.0.0...v2.0.0'].map(
        (rest) => `/ada/places${rest}`,
      ),
      ...['', '/records/Place', '/schemas', '/files', '/sql'].map((rest) => `/ada/places/v/v2.0.0${rest}`),
    ]
    const callers = [first, second].flatMap(({ url }) => [
      testClient(url, key, ''),
      testClient(url, undefined, ''),
    ])
    /** Questions whose answers have the text; the question itself does not count. */
    const leaking = async () => {
      const found = new Set<string>()
      for (const caller of callers)
        for (const question of questions) {
          const { text } = await caller.get(question)
          if (text.replaceAll(question.split('?')[1] ?? '\n', '').includes(leak)) found.add(question)
        }
      return found
    }
    /** Rows of the database with the text. */
    const rows = async () => {
      const client = new Client(settings.url)
      await client.connect()
      const tables = await client.query('select tablename from pg_tables where schemaname = current_schema()')
      const found: string[] = []
      for (const { tablename } of tables.rows) {
        const { rows } = await client.query(
          `select t::text as row from "${tablename}" t where t::text like $1`,
          [`%${leak}%`],
        )
        found.push(...rows.map(({ row }) => `${tablename}: ${row}`))
      }
      await client.end()
      return found
    }
    // Twice: tables are built, and answers remembered.
    await leaking()
    const before = await leaking()
    // Events have names and numbers only.
    expect(questions.filter((question) => !before.has(question))).toEqual(['/api/events'])
    expect(await rows()).not.toEqual([])

    await expectStatus(ada.post(`${path}/versions/v2.0.0/withdraw`, { reason: 'a leak', erase: true }))
    const commands = await openStoreCommands({
      dataFolder,
      databaseUrl: settings.url!,
      log: pino({ level: 'silent' }),
    })
    ending.defer(() => commands.close())
    expect(await commands.sweep({ graceSeconds: 0, force: true })).toMatchObject({ versionsErased: 1 })
    await expect.poll(async () => [...(await leaking())], { timeout: within }).toEqual([])
    expect(await rows()).toEqual([])
  }, 300_000)
})
