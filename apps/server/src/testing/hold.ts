/** Bodies of many MiB, and how long they hold the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { zstdCompressSync } from 'node:zlib'
import { parseStrict } from '@ulmus/registry'
import { expect } from 'vitest'
import type { Asker } from './asker.ts'

/** 24 MiB of JSON that takes longest to parse for its size. */
export const costlyJson = `[${'[],'.repeat(8 * 1024 ** 2)}[]]`

/** Sends a body, packed; while it is answered, nobody may wait a quarter as long as it takes to parse. The answer's status. */
export async function sentHoldingNobodyUp(
  who: Asker,
  method: 'POST' | 'PATCH',
  path: string,
  body: string,
): Promise<number> {
  const packed = zstdCompressSync(body)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const { status } = await who.ask(method, path, {
    body: packed,
    headers: { 'content-type': 'application/json', 'content-encoding': 'zstd' },
  })
  delay.disable()
  const from = performance.now()
  parseStrict(body)
  const parsing = performance.now() - from
  expect(delay.max / 1e6).toBeLessThan(parsing / 4)
  return status
}
