/** Two servers on one database and one bucket, each with table files of its own. docs/decisions/tables.md */
import { hash } from 'node:crypto'
import { databases } from '@ulmus/storage/testing'
import { makeBucket, s3Server } from '@ulmus/storage/testing/buckets'
import { describe, expect, test } from 'vitest'
import { serveForTest } from '../testing/serve.ts'
import { pushVersion } from '../testing/stage.ts'
import { expectStatus, type TestClient, type TestResponse, testClient } from '../testing/test-client.ts'

const path = '/collections/ada/kept'
const schemas = {
  A: { type: 'object', properties: { n: { type: 'integer' }, text: { type: 'string' } } },
}
const puts = Array.from({ length: 3_000 }, (_, n) => ({
  id: `r${n}`,
  type: 'A',
  data: { n, text: `text ${n % 97}` },
}))

describe.skipIf(s3Server() === null).each(databases.filter(({ name }) => name === 'server'))(
  'two servers on one $name and one bucket',
  (database) => {
    test('answer alike, and a ranged read over both never mixes two files', async () => {
      await using ending = new AsyncDisposableStack()
      const bucket = await makeBucket()
      ending.defer(bucket.dispose)
      const rows = await database.settings()
      ending.defer(rows.dispose)
      const { keys: s3Keys, ...objectStore } = bucket.settings
      const start = async () => {
        const server = await serveForTest(rows.settings, { objectStore, s3Keys })
        ending.defer(server.close)
        return server
      }
      const first = await start()
      const second = await start()
      const key = await first.keyFor((await first.signIn('ada')).cookie, 'write')
      const clients = [testClient(first.url, key), testClient(second.url, key)] as const
      await expectStatus(clients[0].post('/accounts/ada/collections', { slug: 'kept' }), 201)
      await pushVersion(clients[0], path, { opening: { schemas }, puts })

      const tables = `${path}/versions/v1.0.0/tables`
      /** Repeats a question that a busy machine did not answer in time. */
      const answered = async (client: TestClient, question: string): Promise<TestResponse> => {
        for (;;) {
          const answer = await client.get(`${tables}/${question}`)
          if (answer.status !== 202 && answer.status !== 422) return answer
        }
      }
      const both = (question: string) => Promise.all(clients.map((client) => answered(client, question)))
      for (const question of ['A/rows?filter=text%20eq%20text%205', 'A/facets?facet=text', 'A/statistics']) {
        const [one, other] = await both(question)
        expect([question, one!.status]).toEqual([question, 200])
        expect(other!.json).toEqual(one!.json)
      }
      const [oneCsv, otherCsv] = await both('A.csv?sort=text')
      expect(otherCsv!.text).toBe(oneCsv!.text)

      const [one, other] = await both('A.parquet')
      for (const [index, whole] of [one!, other!].entries()) {
        const [listed] = (await clients[index]!.get(tables)).json
        expect(listed.parquet).toMatchObject({
          bytes: whole.bytes.length,
          sha256: hash('sha256', whole.bytes),
        })
      }
      // Written by the same release of DuckDB. Another release may write other bytes; then the tags differ.
      expect(other!.bytes.equals(one!.bytes)).toBe(true)
      expect(other!.headers.etag).toBe(one!.headers.etag)

      // A file of the second server with other bytes: a download that changes the server begins again.
      const at = `${tables}/A.parquet`
      const ifRange = { range: 'bytes=100-199', 'if-range': '"of another file"' }
      expect(await clients[1].get(at, ifRange)).toMatchObject({ status: 200, bytes: other!.bytes })
      const same = { ...ifRange, 'if-range': one!.headers.etag! }
      expect(await clients[1].get(at, same)).toMatchObject({
        status: 206,
        bytes: one!.bytes.subarray(100, 200),
      })
    }, 300_000)
  },
)
