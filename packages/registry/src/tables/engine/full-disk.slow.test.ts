/** Builds of tables on a disk that fills up: the error says so, nothing is left behind, and tables are built once there is room. */
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { type Hash, type JsonObject, tableColumns } from '@ulmus/content'
import { isStorageFull, unlimitedSpace } from '@ulmus/storage'
import { mountSmallDisk, smallDisksPossible } from '@ulmus/storage/testing/small-disk'
import { describe, expect, test } from 'vitest'
import { TableFiles } from '../table-files.ts'
import type { TableSource } from '../table-source.ts'
import { Engine } from './engine.ts'

const mebibyte = 2 ** 20
const schema: JsonObject = { type: 'object', properties: { text: { type: 'string' } } }
const rows = 6_000
const lines = Array.from({ length: rows }, (_, n) =>
  Buffer.from(`{"id":"${n}","type":"T","data":{"text":"${randomBytes(3_000).toString('base64')}"}}\n`),
)
const source: TableSource = {
  tree: { root: 'a'.repeat(64) as Hash, count: rows, bytes: 24 * mebibyte },
  schema,
  scope: 'public',
  owner: 'ada',
  schemaHash: '0'.repeat(64) as Hash,
  columns: tableColumns(schema),
  lines: async function* () {
    yield* lines
  },
}

describe.skipIf(!smallDisksPossible())('a build on a full disk', () => {
  test('is refused as such, wherever it runs out, and succeeds later', async () => {
    await using ending = new AsyncDisposableStack()
    const disk = mountSmallDisk(192 * mebibyte)
    ending.defer(() => disk.dispose())
    const engine = new Engine()
    ending.defer(() => engine.close())
    const files = new TableFiles({ folder: disk.folder, engine, bytesMax: 1e9, space: unlimitedSpace })
    const build = async () => {
      const found = await files.find(source, 'ada')
      return 'done' in found ? found.done : found
    }
    for (const left of [0, 4, 12, 20, 28, 36, 48]) {
      disk.fill(left * mebibyte)
      const failure = await build().then(
        () => 'built',
        (error: unknown) => error,
      )
      expect([left, isStorageFull(failure), String(failure)]).toEqual([left, true, expect.anything()])
      // The process has closed the file, which no name leads to.
      await expect.poll(() => disk.free()).toBeGreaterThanOrEqual((left - 1) * mebibyte)
      expect(
        readdirSync(disk.folder, { recursive: true }).filter((name) => /duckdb/.test(String(name))),
      ).toEqual([])
      disk.clear()
    }
    const table = await build()
    expect(table).toMatchObject({ rows })
    disk.fill(0)
    // Answers that cannot be stored are given all the same.
    for (let time = 0; time < 2; time++)
      expect(await files.remember(table, 'statistics', async () => Buffer.from('{}'))).toEqual(
        Buffer.from('{}'),
      )
  })
})
