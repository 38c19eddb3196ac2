/** A private collection with hundreds of versions becomes public: the work and the answer stay bounded. docs/limits.md */
import { anyDatabase } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { setStage } from '../../testing/stage.ts'
import { expectStatus } from '../../testing/test-client.ts'

const versions = 200
const types = 120

test('hundreds of versions are compared, and the answer lists a bounded part', async () => {
  await using ending = new AsyncDisposableStack()
  const stage = await setStage(anyDatabase[0]!)
  ending.defer(() => stage.end())
  const { path } = await stage.newCollection({ public: false })
  const gone = Object.fromEntries(Array.from({ length: types }, (_, n) => [`T${n}`, {}]))
  const put = (n: number) => ({ id: `r${String(n).padStart(3, '0')}`, type: 'A', data: {} })
  let { semver: base } = await stage.push(path, { opening: { schemas: { A: {}, ...gone } }, puts: [put(0)] })
  // Each version has one record, which the next one replaces.
  for (let n = 1; n < versions; n++) {
    const opening =
      n === 1 ? { schemas: Object.fromEntries(Object.keys(gone).map((type) => [type, null])) } : {}
    const deletes = [{ id: put(n - 1).id, type: 'A' }]
    ;({ semver: base } = await stage.push(path, { base, opening, puts: [put(n)], deletes }))
  }
  const began = performance.now()
  const dry = await expectStatus(stage.ada.patch(`${path}?dry_run=true`, { public: true }), 200)
  const first = performance.now() - began
  const { warnings } = dry.json
  expect(warnings.slice(0, -1).map(({ type }: { type: string }) => type)).toEqual(
    Object.keys(gone).sort().slice(0, 100),
  )
  expect(warnings.at(-1).message).toBe(
    `${types - 100 + 1} more types, columns or groups of records were public before.`,
  )
  expect(dry.bytes.length).toBeLessThan(32_768)
  // Thousands of differences take seconds; hundreds must not.
  expect(first).toBeLessThan(10_000)
  const admin = await stage.keyOfAda('admin')
  const oldest = { reason: 'its types' }
  await expectStatus(admin.post(`${path}/versions/v1.0.0/withdraw`, oldest), 200)
  const { json } = await stage.ada.patch(`${path}?dry_run=true`, { public: true })
  expect(json.warnings).toMatchObject([
    {
      type: 'A',
      records: versions - 2,
      ids: [1, 2, 3, 4, 5].map((n) => put(n).id),
      versionCount: versions - 2,
    },
  ])
  expect(json.warnings[0].versions).toHaveLength(100)
}, 600_000)
