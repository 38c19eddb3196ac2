/** The steps of the image on a bare Debian: the server starts, is healthy, and shuts down gracefully. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const program = join(import.meta.dirname, '../deploy/image-test')
/** Exit code of a skipped test, as in other test runners. */
const passedOver = 77

/** If the steps cannot run, the test is skipped with a message on a developer's machine, and fails if `CI` is set. */
test('the steps of the Dockerfile make a server', async ({ skip }) => {
  const { code, said } = await new Promise<{ code: number | null; said: string }>((resolve) => {
    const child = execFile(program, (_error, out, err) => resolve({ code: child.exitCode, said: out + err }))
  })
  if (code === passedOver && process.env['CI'] !== 'true') {
    process.stderr.write(said)
    skip(said)
  }
  expect(code, said).toBe(0)
  expect(said).toMatch(/as the account 10001\.\nIt has ended in order\.\nDuckDB runs\.\n.*nothing is damaged/)
}, 600_000)
