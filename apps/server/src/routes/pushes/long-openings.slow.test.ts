/** Openings of a push with a long body must not delay other requests. */
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blockedDuring } from '../../../../../packages/content/src/testing/measured.ts'
import { costlyJson, sendWithoutBlocking, timeToParse, withoutBlocking } from '../../testing/hold.ts'
import { pushesOn, type Stage, setStage } from '../../testing/stage.ts'
import type { TestClient } from '../../testing/test-client.ts'

describe('long openings', () => {
  let stage: Stage
  let ada: TestClient

  beforeAll(async () => {
    stage = await setStage(databases[0]!)
    ada = stage.ada
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)

  test.each([
    ['metadata', 413, (nested: string) => `"metadata":{"x":${nested}}`],
    ['schemas', 422, (nested: string) => `"schemas":{"A":{"enum":${nested}}}`],
    ['files', 400, (nested: string) => `"files":${nested}`],
    ['what is not known', 413, (nested: string) => `"unknown":${nested}`],
  ])(
    'many MiB of %s delay no other request',
    async (_name, status, member) => {
      const body = `{"base_version":null,${member(costlyJson)}}`
      expect(await sendWithoutBlocking(ada, 'POST', `${await newPath()}/pushes`, body)).toBe(status)
    },
    120_000,
  )

  test('many MiB of schemas that are taken delay no other request when they are read', async () => {
    const nested = '[],'.repeat(80_000)
    const schema = (n: number) => `"T${n}":{"examples":[${nested}[]],"properties":{"s":{"private":true}}}`
    const schemas = `{${Array.from({ length: 16 }, (_, n) => schema(n)).join(',')}}`
    const most = timeToParse(schemas) / 4
    const path = await withoutBlocking(most, async () => {
      const path = await newPath()
      const opened = await ada.post(`${path}/pushes`, `{"base_version":null,"schemas":${schemas}}`)
      const session = `${path}/pushes/${opened.json.session_id}`
      const sent = await ada.lines(`${session}/records`, [{ id: 'a', type: 'T7', data: { s: 1, t: 2 } }])
      expect([opened.status, sent.status, sent.json]).toEqual([201, 422, expect.anything()])
      await ada.lines(`${session}/records`, [{ id: 'a', type: 'T7', data: { s: 1 } }])
      const commit = await blockedDuring(() => ada.post(`${session}/commit`))
      expect(commit.result.status).toBe(201)
      return { blocked: commit.blocked, result: path }
    })
    const body = `{"base_version":"v1.0.0","schemas":${schemas},"manifest_expected":1}`
    await withoutBlocking(most, async () => {
      const snapshot = await ada.post(`${path}/versions/negotiate`, body)
      const lines = [{ id: 'a', type: 'T7', hash: '0'.repeat(64) }]
      const manifest = await blockedDuring(() =>
        ada.lines(`${path}/versions/negotiate/${snapshot.json.session_id}/manifest`, lines),
      )
      expect([manifest.result.status, manifest.result.json.received]).toEqual([200, 1])
      return manifest
    })
    const shown = await stage.anyone.get(`${path}/versions/latest/records`)
    expect(shown.json.records[0].data).toEqual({})
  }, 120_000)

  test.each([
    ['metadata', 413, (nested: string) => `"schemas":{},"metadata":{"x":${nested}}`],
    ['schemas', 422, (nested: string) => `"schemas":{"A":{"enum":${nested}}}`],
  ])(
    'many MiB of %s beside the manifest delay no other request',
    async (_name, status, member) => {
      const body = `{"base_version":null,"manifest":[],${member(costlyJson)}}`
      expect(await sendWithoutBlocking(ada, 'POST', `${await newPath()}/versions/negotiate`, body)).toBe(
        status,
      )
    },
    120_000,
  )
})
