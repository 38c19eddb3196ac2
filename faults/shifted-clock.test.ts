import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const hour = 3_600_000

test("a program's clock turns back while it runs, in threads too", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-clock-'))
  const file = join(folder, 'shift')
  writeFileSync(file, '0')
  // A thread that reports its time every 20 ms.
  const thread =
    "setInterval(() => require('node:worker_threads').parentPort.postMessage([Date.now(), new Date().getTime(), new Date(5).getTime(), new Date() instanceof Date]), 20)"
  const program = `new (require('node:worker_threads').Worker)(${JSON.stringify(thread)}, { eval: true }).on('message', (m) => process.stdout.write(JSON.stringify(m) + String.fromCharCode(10)))`
  const child = spawn(process.execPath, ['-e', program], {
    env: {
      ...{ PATH: process.env['PATH'], CLOCK_SHIFT_FILE: file },
      NODE_OPTIONS: `--require=${join(import.meta.dirname, 'shifted-clock.ts')}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const offsets: number[] = []
    for await (const line of createInterface(child.stdout)) {
      const [now, constructed, given, isDate] = JSON.parse(line) as [number, number, number, boolean]
      expect([given, isDate]).toEqual([5, true])
      expect(Math.abs(now - constructed)).toBeLessThan(1_000)
      offsets.push(Math.round((now - Date.now()) / hour) + 0)
      if (offsets.length === 5) writeFileSync(file, String(-2 * hour))
      if (offsets.at(-1) === -2) break
    }
    expect(offsets.slice(0, 5)).toEqual([0, 0, 0, 0, 0])
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  }
})
