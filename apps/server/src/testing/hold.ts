/** Bodies of many MiB, and how long they block the event loop. */
import { zstdCompressSync } from 'node:zlib'
import { parseStrict } from '@ulmus/registry'
import { expect } from 'vitest'
import { blockedDuring, firstGood } from '../../../../packages/content/src/testing/measured.ts'
import { cpuMilliseconds } from '../../../../packages/content/src/testing/runs.ts'
import type { TestClient } from './test-client.ts'

/** 8 MiB of JSON with the longest parsing time for its size: most of a second. */
export const costlyJson = `[${'[],'.repeat((8 * 1024 ** 2) / 3)}[]]`

/** Sends a compressed body and returns the status. Other requests must wait less than a quarter of the parsing time. */
export async function sendWithoutBlocking(
  client: TestClient,
  method: 'POST' | 'PATCH',
  path: string,
  body: string,
): Promise<number> {
  const packed = zstdCompressSync(body)
  const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' }
  const sent = await withoutBlocking(timeToParse(body) / 4, () =>
    blockedDuring(() => client.request(method, path, { body: packed, headers })),
  )
  return sent.status
}

/** The result of the first of several tries that blocked the event loop for less than `most` milliseconds; fails if none did. */
export async function withoutBlocking<T>(
  most: number,
  attempt: () => Promise<{ blocked: number; result: T }>,
): Promise<T> {
  const { blocked, result } = await firstGood(attempt, (one) => one.blocked < most)
  expect(blocked).toBeLessThan(most)
  return result
}

/** Milliseconds of CPU time. */
export function timeToParse(body: string): number {
  const from = cpuMilliseconds()
  parseStrict(body)
  return cpuMilliseconds() - from
}
