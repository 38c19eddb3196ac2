/** For any private mark in a schema: the push is refused, or outsiders get no byte of the private data. content-model §4, §6. */
import { gunzipSync } from 'node:zlib'
import { acceptSchema } from '@ulmus/content'
import { type MarkedSchema, markedSchema, token } from '@ulmus/content/testing'
import { anyDatabase } from '@ulmus/storage/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readingRoutes } from './routes/permissions.table.ts'
import { type Stage, setStage } from './testing/stage.ts'
import { fileHash, type TestClient } from './testing/test-client.ts'

const runs = 30
const hiddenFile = fileHash(`a file of ${token}`)

function isAccepted({ source }: MarkedSchema): boolean {
  try {
    acceptSchema(source)
    return true
  } catch {
    return false
  }
}

/** Requests that read a collection, and the lists that it is in. @param path of the collection in the API */
function readsOf(path: string): string[] {
  const versions = ['latest', 'v1.0.0']
  return [
    path,
    '/collections?limit=5',
    '/accounts/ada/collections',
    `${path}/versions`,
    `${path}/family`,
    ...['', '/open', '/open/answer'].map((rest) => `${path}/questions${rest}`),
    `${path}/versions/strip`,
    ...versions.flatMap((v) =>
      [
        '',
        '/records',
        '/records.ndjson',
        '/manifest',
        '/files',
        '/records/T/one',
        '/records/T/one?proof=true',
        '/croissant.json',
        '/datapackage.json',
        ...['txt', 'bib', 'ris', 'csl.json'].map((form) => `/citation.${form}`),
      ].map((rest) => `${path}/versions/${v}${rest}`),
    ),
    ...['', '/T/rows', '/T/facets?facet=_id', '/T/statistics', '/T.csv', '/T.parquet'].map(
      (rest) => `${path}/versions/latest/tables${rest}`,
    ),
    `${path}/versions/latest/records/Open/open?proof=true`,
    `${path}/versions/latest/manifest?since=v1.0.0`,
    `${path}/versions/latest/diff?from=v1.0.0`,
    `${path}/versions/latest/diff.ndjson?from=v1.0.0`,
    `${path}/versions/v1.0.0/diff.ndjson?from=latest`,
    `${path}/records/Open/open/history`,
    `${path}/export`,
    `${path}/export?version=v1.0.0`,
  ]
}

describe.each(anyDatabase)('marks in schemas on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  test('are checked in each route that reads a collection', () => {
    const paths = readsOf('/api/collections/ada/atlas').map((one) => one.split('?')[0]!)
    const missing = readingRoutes.filter((route) => {
      // Checked to be absent, or, because it waits for signatures, for the last collection only.
      if (/\/(?:files\/:hash|log)$/.test(route)) return false
      const pattern = new RegExp(
        `^${route.slice('GET '.length).replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`,
      )
      return !paths.some((one) => pattern.test(one))
    })
    expect(missing, 'Add a request to `readsOf`.').toEqual([])
  })

  test('are refused, or hide', async () => {
    let accepted = 0
    let last = ''
    const check = async ({ source, data }: MarkedSchema) => {
      const { path } = await stage.newCollection()
      await stage.ada.upload(path, `a file of ${token}`)
      const schemas = {
        T: source,
        Open: { properties: { a: {} } },
        [`${token}Type`]: { private: true, title: token },
      }
      const opened = await stage.ada.post(`${path}/pushes`, { base_version: null, schemas })
      if (opened.status !== 201) {
        expect([opened.status, opened.json.code, opened.json.type]).toEqual([422, 'invalid_schema', 'T'])
        return
      }
      accepted++
      const session = `${path}/pushes/${opened.json.session_id}`
      const sent = await stage.ada.lines(`${session}/records`, [
        { id: 'open', type: 'Open', data: { a: 1 } },
        { id: token, type: 'Open', data: { a: { $file: hiddenFile } }, private: true },
        { id: token, type: `${token}Type`, data: { [token]: { $file: hiddenFile } } },
      ])
      expect(sent.status).toBe(200)
      // Not every schema admits the record.
      await stage.ada.lines(`${session}/records`, [{ id: 'one', type: 'T', data }])
      expect((await stage.ada.post(`${session}/commit`)).status).toBe(201)
      await stage.push(path, {
        base: 'v1.0.0',
        puts: [
          { id: 'open', type: 'Open', data: { a: 2 } },
          ...[1, 2].map((n) => hiddenRecord(`${token}${n}`)),
        ],
      })
      const hidden = { name: token, type: `${token}Type` }
      expect((await stage.ada.post(`${path}/questions`, hidden)).status).toBe(201)
      expect((await stage.ada.post(`${path}/questions`, { ...hidden, public: true })).status).toBe(422)
      const open = { name: 'Open', type: 'Open', public: true }
      expect((await stage.ada.post(`${path}/questions`, open)).status).toBe(201)
      for (const who of [stage.anyone, stage.eve]) await seesNothing(who, path)
      last = path
    }
    // Most schemas are refused, so generate accepted ones for half of the runs.
    const either = fc.oneof(markedSchema, markedSchema.filter(isAccepted))
    await fc.assert(fc.asyncProperty(either, check), { numRuns: runs })
    expect(accepted).toBeGreaterThan(0)
    for (const who of [stage.anyone, stage.eve])
      for (const one of ['/versions/v1.0.0/log', '/versions/latest/log', '/log']) {
        const { status, text, json } = await who.get(`${last}${one}`)
        expect([one, status, text.includes(token), text.includes('fullSalt')]).toEqual([
          one,
          200,
          false,
          false,
        ])
        if (one === '/log') expect(json).toHaveLength(2)
      }
  }, 120_000)

  const hiddenRecord = (id: string) => ({ id, type: 'Open', data: { a: token }, private: true })

  async function seesNothing(who: TestClient, path: string): Promise<void> {
    for (const one of readsOf(path)) {
      const { status, bytes, headers } = await who.get(one)
      expect([one, [200, 404].includes(status)]).toEqual([one, true])
      const plain = one.includes('/export') ? gunzipSync(bytes) : bytes
      expect([one, plain.includes(token), JSON.stringify(headers).includes(token)]).toEqual([
        one,
        false,
        false,
      ])
      expect([one, plain.includes(hiddenFile.slice('sha256:'.length))]).toEqual([one, false])
    }
    for (const absent of [
      `${path}/versions/latest/records/Open/${token}`,
      `${path}/versions/latest/records/${token}Type/${token}`,
      `${path}/records/Open/${token}/history`,
      `${path}/files/${hiddenFile}`,
    ]) {
      expect([absent, (await who.get(absent)).status]).toEqual([absent, 404])
    }
  }
})
