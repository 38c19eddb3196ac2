/** Reads a complete version over HTTP. */
import { expectHolds, type Model } from '@ulmus/registry/testing/whole-version'
import { expect } from 'vitest'
import type { TestClient } from './test-client.ts'

/** Expects exactly the records of the model, with their hashes, count and digest. */
export async function expectWhole(
  client: TestClient,
  path: string,
  semver: string,
  model: Model,
): Promise<void> {
  const { hash, recordCount, metadata } = (await client.get(`${path}/versions/${semver}`)).json
  const stream = await client.get(`${path}/versions/${semver}/records.ndjson`)
  expect(stream.headers['x-record-count']).toBe(String(recordCount))
  await expectHolds(model, { lines: stream.text, hash, recordCount, metadata })
}
