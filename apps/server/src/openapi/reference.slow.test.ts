/** The commands of the API reference work as they are printed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { run } from '../testing/snippets.ts'
import { testClient } from '../testing/test-client.ts'

/** Operations in the order of a first version, by their headings. The id of a push is the only part that differs from the examples. */
const inOrder = [
  ['keys', 'Create an API key'],
  ['collections', 'Create a collection'],
  ['files', 'Upload a file'],
  ['pushes', 'Open a delta push'],
  ['pushes', 'Send records'],
  ['pushes', 'Commit a delta push'],
  ['records', 'List records of a version'],
  ['versions', 'Export a version as .tar.gz'],
] as const

/** Id of the push in the examples. */
const exampleId = '0198c9a0-0000-7000-8000-000000000000'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-reference-'))
let server: TestServer
let dispose: () => Promise<void>
beforeAll(async () => {
  const database = await databases[0]!.settings()
  dispose = database.dispose
  server = await serveForTest(database.settings)
})
afterAll(async () => {
  await server?.close()
  await dispose?.()
  rmSync(folder, { recursive: true, force: true })
})

test('from a key to a version and back', async () => {
  const ada = testClient(server.url, await server.signIn('ada'))
  const key = (await ada.post('/accounts/keys', { label: 'mine', scope: 'admin' })).json.key as string
  let session = ''
  for (const [group, heading] of inOrder) {
    const command = (await commandOf(group, heading)).replace(exampleId, session)
    const { code, out } = await run('bash', ['-c', command.replace('curl ', 'curl -sS --fail-with-body ')], {
      cwd: folder,
      env: { ULMUS_HOST: server.url, ULMUS_TOKEN: key },
    })
    expect(code, `${command}\n${out}`).toBe(0)
    session = /"session_id":"([^"]+)"/.exec(out)?.[1] ?? session
  }
})

/** The `curl` command of an operation, from the Markdown of its group. */
async function commandOf(group: string, heading: string): Promise<string> {
  const text = await (await fetch(`${server.url}/docs/api/${group}.md`)).text()
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`))
  return /^```sh\n(.*?)^```$/ms.exec(section ?? '')?.[1] ?? `no command: ${group}, ${heading}`
}
