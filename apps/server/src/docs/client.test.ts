/** Runs the examples in the pages about the client, and counts the requests of a nightly push without changes. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@ulmus/client'
import { signerOf, skeyOf } from '@ulmus/content/log'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { run, snippetsOf } from '../testing/snippets.ts'

const root = join(import.meta.dirname, '../../../..')

describe.each(anyDatabase)('the client on $name', ({ settings: open }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-client-'))
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    const keyFile = join(folder, 'log.key')
    writeFileSync(keyFile, skeyOf(signerOf('registry.example/log/1', 'ed25519', new Uint8Array(32))))
    server = await serveForTest(settings, { versionLog: { keyFile } })
    key = await server.keyFor((await server.signIn('ada')).cookie, 'write')
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  })
  afterAll(async () => {
    await server.close()
    await dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  const examplesOf = async (document: string) => {
    const said: string[] = []
    for (const { language, text } of snippetsOf(document)) {
      if (language !== 'js') continue
      const file = join(folder, `${said.length}.mjs`)
      writeFileSync(file, text.replaceAll('https://registry.example', server.url))
      const env = { ULMUS_HOST: server.url, ULMUS_TOKEN: key }
      const { code, out } = await run(process.execPath, [file], { cwd: folder, env })
      expect(code, out).toBe(0)
      said.push(out)
    }
    return said
  }

  test('the examples of docs/client.md', async () => {
    expect(await examplesOf('docs/client.md')).toEqual([
      'published v1.0.0\n',
      'robin Robin\nwren Wren\n',
      'wren Wren\n[ [ 2 ] ]\n',
      'published v1.1.0\nnothing to publish\n',
      expect.stringMatching(/^refused: This would remove 3 of 3 records of Bird/),
      expect.stringContaining('ok: true'),
      'ada/garden v1.1.0 true\n',
    ])
  })

  test('the example of its readme', async () => {
    expect(await examplesOf('packages/client/README.md')).toEqual(["wren { name: 'Wren' }\n"])
  })

  test('mirror: changes alone are sent, an unchanged night is one request, and what is private stays so', async () => {
    const asked: string[] = []
    const client = createClient({
      baseUrl: server.url,
      apiKey: key,
      fetch: (input, init) => {
        const { method = 'GET' } = init ?? {}
        asked.push(`${method} ${new URL(String(input)).pathname.split('/').slice(5).join('/')}`)
        return fetch(input, init)
      },
    })
    const at = 'ada/items'
    const row = (n: number, value: unknown = n) => ({ code: n, value })
    const rows = Array.from({ length: 40 }, (_, n) => row(n))
    await client.push(at, {
      create: {},
      baseVersion: null,
      schemas: { Item: {}, Other: {} },
      records: [
        ...rows.map(({ code, value }) => ({
          ...{ id: `${code}`, type: 'Item', data: { value }, private: code === 7 },
        })),
        { id: 'kept', type: 'Other', data: {} },
      ],
    })
    const mirror = (what: object[], maxRemoved?: '5%') =>
      client.mirror(at, { type: 'Item', id: 'code', rows: what, maxRemoved } as never)
    asked.length = 0
    expect(await mirror(rows)).toBeNull()
    expect(asked).toEqual(['GET versions/latest'])

    const next = rows.slice(1).map((one) => (one.code === 7 ? row(7, 'new') : one))
    expect(await mirror([...next, row(100)], '5%')).toMatchObject({
      semver: 'v1.1.0',
      changes: { added: 1, updated: 1, removed: 1 },
    })
    const [page] = await Array.fromAsync(client.versions.manifest(at))
    expect(page!.records!.filter((one) => one.private).map(({ id }) => id)).toEqual(['7'])
    expect(page!.records!.some(({ id }) => id === 'kept')).toBe(true)

    await expect(mirror(next.slice(5), '5%')).rejects.toMatchObject({ code: 'too_many_removed' })
    await expect(mirror([])).rejects.toMatchObject({ code: 'too_many_removed' })
    await expect(mirror([row(1), row(1)])).rejects.toThrow('Row 2 has the id "1", as a row before it.')
    await expect(mirror([{ value: 1 }])).rejects.toThrow('Row 1 has no id in "code"')
  })

  test('mirror reads rows that can be read once, and makes a collection only when it is asked to', async () => {
    const client = createClient({ baseUrl: server.url, apiKey: key })
    function* rows() {
      for (let n = 0; n < 3_000; n++) yield { id: `i${n}`, text: 'x'.repeat(20) }
    }
    const what = { type: 'Item', id: 'id', schema: { properties: { text: { type: 'string' } } } } as const
    const missing = client.mirror('ada/once', { ...what, rows: rows() })
    await expect(missing).rejects.toMatchObject({ code: 'collection_not_found' })
    const done = await client.mirror('ada/once', { ...what, rows: rows(), create: { public: true } })
    expect(done).toMatchObject({ semver: 'v1.0.0', recordCount: 3_000 })
    expect(await client.mirror('ada/once', { ...what, rows })).toBeNull()
    expect((await client.collections.get('ada/once')).public).toBe(true)
  })
})
