/** The image's steps, taken on a bare Debian, make a server that starts, is well and ends in order. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const program = join(import.meta.dirname, '../deploy/image-test')
/** Of a program that cannot do its work here, as test runners understand it. */
const passedOver = 77

/** Where it cannot be done it is passed over on a developer's machine, which is said, and fails where `CI` says that everything must be there. */
test('the steps of the Dockerfile make a server', async ({ skip }) => {
  const { code, said } = await new Promise<{ code: number | null; said: string }>((resolve) => {
    const child = execFile(program, (_error, out, err) => resolve({ code: child.exitCode, said: out + err }))
  })
  if (code === passedOver && process.env['CI'] !== 'true') {
    process.stderr.write(said)
    skip(said)
  }
  expect(code, said).toBe(0)
  expect(said).toMatch(/as the account 10001\.\nIt has ended in order\.\n.*nothing is damaged/)
}, 600_000)
