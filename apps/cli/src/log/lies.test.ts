/**
 * Every lie of docs/verifying.md against every verifier: a proxy that lies stands before a real registry. The table of the page says which
 * verifiers refuse it (`yes`) and which cannot know (an empty cell), and this test runs each cell.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createClient } from '@ulmus/client'
import { type Signer, signerOf, skeyOf, vkeyOf } from '@ulmus/content/log'
import { anyDatabase } from '@ulmus/storage/testing'
import type { VersionInLog } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { testClient } from '../../../server/src/testing/test-client.ts'
import { openPerson, type Person } from '../testing/cli.ts'
import { type Liar, leavesOf, logOf, openLiar } from '../testing/lying-server.ts'

const root = join(import.meta.dirname, '../../../..')
const verifyPy = join(root, 'docs/verify.py')
const signer: Signer = signerOf('registry.example/log/1', 'ed25519', new Uint8Array(32).fill(1))
const api = '/api/collections/ada/birds'

/** Cells of the table, by lie and verifier. */
function documented(): Map<string, Map<string, boolean>> {
  const page = readFileSync(join(root, 'docs/verifying.md'), 'utf8')
  const [head, , ...rows] = page
    .split('### Lies and their discovery')[1]!
    .trim()
    .split('\n\n')[0]!
    .split('\n')
  const cells = (row: string) =>
    row
      .replace(/^\| | \|$/g, '')
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
  const [, ...names] = cells(head!)
  const table = rows.map((row) => {
    const [lie, ...found] = cells(row)
    return [lie!, new Map(names.map((name, n) => [name, found[n]!.startsWith('yes')]))] as const
  })
  return new Map(table)
}

describe.each(anyDatabase.slice(0, 1))('the lies of docs/verifying.md, on $name', ({ settings: open }) => {
  let server: TestServer
  let liar: Liar
  let ada: ReturnType<typeof testClient>
  let leaves: Uint8Array[]
  let digest: string
  let checkpoint: string
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-lies-'))
  const ends: (() => unknown)[] = []

  beforeAll(async () => {
    const { settings, dispose } = await open()
    const keyFile = join(folder, 'log.key')
    writeFileSync(keyFile, skeyOf(signer))
    server = await serveForTest(settings, { versionLog: { keyFile } })
    liar = await openLiar(server.url)
    ends.push(
      () => liar.close(),
      () => server.close(),
      dispose,
    )
    const { cookie } = await server.signIn('ada')
    const apiKey = await server.keyFor(cookie, 'admin')
    ada = testClient(server.url, apiKey)
    const client = createClient({ baseUrl: server.url, apiKey })
    const put = (id: string) => ({ id, type: 'Bird', data: { name: id } })
    const create = (slug: string) =>
      client.push(`ada/${slug}`, {
        ...{ create: { public: true }, baseVersion: null, schemas: { Bird: {} } },
        records: [put(slug === 'birds' ? 'robin' : 'raven')],
      })
    await create('birds')
    await ada.get(`${api.slice(4)}/versions/v1.0.0/log`)
    await client.push('ada/birds', { baseVersion: 'v1.0.0', records: [put('wren')] })
    await ada.get(`${api.slice(4)}/versions/v1.1.0/log`)
    await create('others')
    await ada.get('/collections/ada/others/versions/v1.0.0/log')
    leaves = await leavesOf(server.url)
    checkpoint = await (await fetch(`${server.url}/log/checkpoint`)).text()
    digest = (await ada.get(`${api.slice(4)}/versions/v1.1.0`)).json.publicHash
  })
  afterAll(async () => {
    for (const end of ends) await end()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Shows other leaves in place of the real log. */
  function show(shown: readonly Uint8Array[]): void {
    const log = logOf(shown, [signer])
    liar.change = async (path, answer) => {
      if (path === '/api/log') return { ...JSON.parse(answer.toString()), size: shown.length }
      if (path.startsWith('/log/')) return log.file(path.slice('/log/'.length))
      if (!/versions\/[^/]+\/log$/.test(path)) return undefined
      const real = JSON.parse(answer.toString()) as VersionInLog
      return log.proven(real, Math.min(real.index, shown.length - 1))
    }
  }
  const older = (path: string) => path.replace('v1.1.0', 'v1.0.0')
  const changed = (pattern: RegExp, change: (text: string) => string) => {
    liar.change = (path, answer) => (pattern.test(path) ? change(answer.toString()) : undefined)
  }

  /** Each lie to a reader who knows v1.0.0 of ada/birds and the log, and asks for v1.1.0. */
  const lies: Record<string, () => void> = {
    'sends a changed record': () => {
      liar.change = (path, answer) => {
        if (path.includes('/export'))
          return gzipSync(
            Buffer.from(gunzipSync(answer).toString('latin1').replaceAll('wren', 'crow'), 'latin1'),
          )
        return /records|manifest|diff/.test(path) ? answer.toString().replaceAll('wren', 'crow') : undefined
      }
    },
    'answers with another version than was asked for, or with another collection': () => {
      liar.move = older
      liar.resource = (_, real) => real
    },
    'passes an older version off as a newer one, wherever it names it': () => {
      liar.move = older
      liar.change = (path, answer) => {
        const text = answer.toString()
        if (path.includes('/diff')) return text.replace('"to":"v1.0.0"', '"to":"v1.1.0"')
        return /v1\.1\.0(\/manifest|\/files)?(\?|$)/.test(path) && !path.includes('export')
          ? text.replaceAll('v1.0.0', 'v1.1.0')
          : undefined
      }
    },
    'says that a version was made at another time': () =>
      changed(/versions\/v1\.1\.0$/, (text) =>
        JSON.stringify({ ...JSON.parse(text), createdAt: '2020-01-01T00:00:00.000Z' }),
      ),
    'says that a version has another message or author': () =>
      changed(/versions\/v1\.1\.0$/, (text) =>
        JSON.stringify({ ...JSON.parse(text), message: 'Nothing new', actor: null }),
      ),
    'lists a version with another digest than the log': () =>
      changed(/\/versions\?/, (text) => text.replaceAll(digest, `public:${'c'.repeat(64)}`)),
    'shows a shorter log than before': () => show(leaves.slice(0, -1)),
    'shows one reader another history': () => {
      // Not a leaf that begins a chain of keys: the proof of the version has those.
      const last = leaves.length - 1
      show(leaves.with(last, leaves[0]!))
    },
    'states two digests for one version': () => show([...leaves, leaves.at(-1)!]),
    'shows others a collection of another id under your name': () =>
      changed(/^\/api\/collections\/ada\/birds$/, (text) =>
        text.replace(/"id":"[^"]+"/, `"id":"${crypto.randomUUID()}"`),
      ),
    'sends statements without end': () =>
      changed(/\/birds\/log\?after/, (text) => {
        const [one] = JSON.parse(text)
        let seq = (one?.seq ?? 0) + Number(process.hrtime.bigint() / 1_000n)
        return JSON.stringify(Array.from({ length: 100 }, () => ({ index: 0, seq: seq++, erased: true })))
      }),
    'sends an answer about the log that never ends': () => {
      liar.change = (path) =>
        /^\/api\/log|\/log$|^\/log\//.test(path) ? `[${' '.repeat(2 ** 21)}]` : undefined
    },
  }

  /** The exit of each verifier, and what it says. */
  const verifiers: Record<string, (who: Person) => Promise<{ refused: boolean; said: string }>> = {
    'ulmus verify': (who) => ended(who.ulmus('.', 'verify', 'ada/birds@v1.1.0')),
    'ulmus clone': (who) => ended(who.ulmus('.', 'clone', 'ada/birds@v1.1.0', 'clone')),
    'ulmus pull': (who) => ended(who.ulmus('birds', 'pull')),
    'ulmus log monitor': (who) => ended(who.ulmus('.', 'log', 'monitor', 'ada/birds')),
    'ulmus trust': async (who) => {
      const { said } = await who.ulmus('.', 'trust', liar.url)
      return { refused: !said.includes('Nothing differs.'), said }
    },
    async 'verify.py'(who) {
      const said: string[] = []
      for (const [what, path] of [
        ['log', `${api}/versions/v1.1.0/log`],
        ['export', `${api}/export?version=v1.1.0`],
      ] as const) {
        const file = join(who.home, what)
        writeFileSync(file, new Uint8Array(await (await fetch(liar.url + path)).arrayBuffer()))
        said.push(await python(who, what, file))
      }
      return { refused: said.some((text) => text.includes('Not verified.')), said: said.join('') }
    },
    'the page': async () => {
      const said = await onPage()
      return { refused: said !== 'proven', said }
    },
  }

  async function ended(running: ReturnType<Person['ulmus']>) {
    const { code, out, said } = await running
    return { refused: code !== 0, said: out + said }
  }

  /** Other threads must answer meanwhile, so it is not waited for synchronously. */
  async function python(who: Person, what: 'log' | 'export', file: string): Promise<string> {
    const old = join(who.home, 'old.txt')
    writeFileSync(old, checkpoint)
    const log = ['--vkey', vkeyOf(signer), '--checkpoint', old, '--url', liar.url]
    const version = ['--version', what === 'log' ? 'ada/birds@v1.1.0' : 'v1.1.0']
    const { execFile } = await import('node:child_process')
    const words = [verifyPy, what, file, '--digest', digest, ...version, ...(what === 'log' ? log : [])]
    return new Promise((resolve) => {
      execFile('python3', words, (_, out, said) => resolve(out + said))
    })
  }

  /** Runs the worker of *Verify here*. */
  async function onPage(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    const page = globalThis as { self?: unknown; postMessage?: unknown }
    const worker: { location: { origin: string }; onmessage?: (event: { data: object }) => void } = {
      location: { origin: liar.url },
    }
    page.self = worker
    page.postMessage = (told: {
      kind: string
      reason?: string
      digest?: string
      logged?: { kind: string; reason?: string }
    }) => {
      if (told.kind === 'failed') resolve(told.reason!)
      if (told.kind !== 'done') return
      if (told.digest !== digest) resolve('another digest')
      resolve(told.logged!.kind === 'proven' ? 'proven' : told.logged!.reason!)
    }
    const { start } = await import('../../../web/src/islands/verify-version-worker.ts')
    start()
    worker.onmessage!({ data: { collection: 'ada/birds', version: 'v1.1.0', digest } })
    return promise
  }

  test('the page and this test have the same lies and verifiers', () => {
    execFileSync('python3', ['--version'])
    const table = documented()
    expect([...table.keys()]).toEqual(Object.keys(lies))
    for (const cells of table.values()) expect([...cells.keys()]).toEqual(Object.keys(verifiers))
  })

  test('an honest registry is refused by none', async () => {
    expect(await outcomes(() => undefined)).toEqual(
      new Map(Object.keys(verifiers).map((name) => [name, false])),
    )
  })

  test.each(Object.keys(lies))('%s', async (lie) => {
    expect(await outcomes(lies[lie]!)).toEqual(documented().get(lie))
  })

  async function outcomes(tell: () => void): Promise<Map<string, boolean>> {
    const found = new Map<string, boolean>()
    const said: string[] = []
    for (const [name, verify] of Object.entries(verifiers)) {
      liar.honest()
      const who = openPerson(liar.url)
      try {
        await who.ulmus('.', 'verify', 'ada/birds@v1.0.0')
        expect((await who.ulmus('.', 'clone', 'ada/birds@v1.0.0')).code).toBe(0)
        tell()
        const one = await verify(who)
        found.set(name, one.refused)
        said.push(`${name}: ${one.said}`)
      } finally {
        who.dispose()
      }
    }
    liar.honest()
    if (process.env['LIES']) process.stderr.write(`${said.join('\n')}\n\n`)
    return found
  }
})
