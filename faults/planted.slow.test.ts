/** A run finds planted violations, so it would find real ones. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Planted {
  readonly stage: 'embedded' | 'servers'
  readonly plant: string
  readonly found: RegExp
}

const planted: readonly Planted[] = [
  { stage: 'servers', plant: 'lost version', found: /^.* VIOLATION \S+ lost v\d/m },
  { stage: 'servers', plant: 'forked log', found: /^.* VIOLATION the log of \d+ does not continue/m },
  { stage: 'servers', plant: 'lost grants', found: /^.* VIOLATION \S+ gives \S+ no grant, not the grant/m },
  { stage: 'servers', plant: 'lost limits', found: /^.* VIOLATION the key \S+ works for \S+, not for/m },
  { stage: 'embedded', plant: 'damaged packs', found: /^.* VIOLATION fsck: DAMAGED /m },
  { stage: 'embedded', plant: 'lost files', found: /^.* VIOLATION fsck: DAMAGED .*sha256/m },
]

test.each(planted)(
  'a run finds $plant and fails',
  async ({ stage, plant, found }) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'] },
        ...{ FAULTS_STAGE: stage, FAULTS_PLANT: plant, FAULTS_SECONDS: '30', FAULTS_SEED: '1' },
        FAULTS_ONLY: 'kill -9 of a server',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code] = await once(child, 'close')
    const [, kept] = /kept in (\S+)/.exec(said) ?? []
    if (kept !== undefined) rmSync(kept, { recursive: true, force: true })
    expect(said).toContain(`planted: ${plant}: done`)
    expect(said).toMatch(found)
    expect(code).toBe(1)
  },
  240_000,
)
