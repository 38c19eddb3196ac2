/** Tables of old, withdrawn, erased and forked versions. docs/decisions/tables.md#tables-are-files-in-a-cache */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openStoreCommands } from '@ulmus/registry'
import { databases } from '@ulmus/storage/testing'
import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { serveForTest } from '../testing/serve.ts'
import { pushVersion } from '../testing/stage.ts'
import { expectStatus, type TestResponse, testClient } from '../testing/test-client.ts'

const path = '/collections/ada/places'
const schemas = { Place: { type: 'object', properties: { name: { type: 'string' } } } }
const named = (id: string, name: string) => ({ id, type: 'Place', data: { name } })

describe.each(databases.filter(({ name }) => name === 'server'))('tables on $name', (database) => {
  test('outlast newer versions, go with withdrawn ones, and stay for a fork', async () => {
    await using ending = new AsyncDisposableStack()
    const { settings, dispose } = await database.settings()
    ending.defer(dispose)
    let server = await serveForTest(settings)
    ending.defer(() => server.close())
    const { dataFolder } = server
    const key = await server.keyFor((await server.signIn('ada')).cookie, 'admin')
    let ada = testClient(server.url, key)
    /** Repeats a question that a busy machine did not answer in time. */
    const answered = async (at: string): Promise<TestResponse> => {
      for (;;) {
        const answer = await ada.get(at)
        if (answer.status !== 202 && answer.status !== 422) return answer
      }
    }
    const namesIn = async (at: string, version: string) => {
      const { json } = await answered(`${at}/versions/${version}/tables/Place/rows`)
      return json.rows?.map(({ data }: { data: { name: string } }) => data.name) ?? json.code
    }
    const tables = () =>
      readdirSync(join(dataFolder, 'tables'), { recursive: true })
        .map(String)
        .filter((name) => name.includes('.duckdb'))

    await expectStatus(ada.post('/accounts/ada/collections', { slug: 'places' }), 201)
    await pushVersion(ada, path, { opening: { schemas }, puts: [named('1', 'Oslo')] })
    await expectStatus(ada.post('/accounts', { slug: 'atlas', displayName: 'Atlas' }), 201)
    await pushVersion(ada, path, { base: 'v1.0.0', puts: [named('1', 'leaked')] })
    await pushVersion(ada, path, { base: 'v1.1.0', puts: [named('1', 'Oslo again')] })
    const all = ['v1.0.0', 'v1.1.0', 'v1.2.0']
    expect(await Promise.all(all.map((v) => namesIn(path, v)))).toEqual([
      ['Oslo'],
      ['leaked'],
      ['Oslo again'],
    ])
    await answered(`${path}/versions/v1.1.0/tables/Place.parquet`)
    await answered(`${path}/versions/v1.1.0/tables/Place/statistics`)
    await expectStatus(ada.post(`${path}/fork`, { targetOrg: 'atlas' }), 201)
    const before = tables()
    const sizes = before
      .filter((name) => name.endsWith('.duckdb'))
      .map((name) => statSync(join(dataFolder, 'tables', name)).size)
    expect(Math.max(...sizes)).toBeLessThan(65_536)

    // Withdrawn: tables answer as records do.
    const leaked = `${path}/versions/v1.1.0`
    await expectStatus(ada.post(`${leaked}/withdraw`, { reason: 'a leak', erase: true }))
    for (const question of [
      'tables',
      'tables/Place/rows',
      'tables/Place/facets?facet=name',
      'tables/Place/statistics',
      'tables/Place.csv',
      'tables/Place.parquet',
      'sql?sql=SELECT%201',
    ]) {
      const [asked, records] = [await ada.get(`${leaked}/${question}`), await ada.get(`${leaked}/records`)]
      expect([question, asked.status, asked.json]).toEqual([question, 410, records.json])
    }
    expect(await namesIn(path, 'v1.2.0')).toEqual(['Oslo again'])

    const sweepAll = async () => {
      await server.stop()
      const commands = await openStoreCommands({
        dataFolder,
        databaseUrl: settings.url!,
        log: pino({ level: 'silent' }),
      })
      await commands.sweep({ graceSeconds: 0, force: true })
      await commands.close()
      // The sweep of table files runs before the server answers.
      server = await serveForTest(settings, { dataFolder })
      ada = testClient(server.url, key)
    }
    await sweepAll()
    await expect.poll(tables).not.toEqual(before)
    const left = tables().filter((name) => name.endsWith('.duckdb'))
    expect(left).toHaveLength(2)
    expect(before).toEqual(expect.arrayContaining(tables()))
    // They go one by one, after the table.
    const made = () => tables().filter((name) => name.includes('.parquet') || name.includes('statistics'))
    await expect.poll(made).toEqual([])

    // Deleted: the fork still has its table, which it shares with the collection.
    await expectStatus(ada.delete(path))
    await sweepAll()
    await expect.poll(() => tables().filter((name) => name.endsWith('.duckdb'))).toHaveLength(1)
    const fork = '/collections/atlas/places'
    expect(await namesIn(fork, 'latest')).toEqual(['Oslo again'])
    expect(await namesIn(path, 'v1.0.0')).toBe('collection_not_found')
  }, 300_000)
})
