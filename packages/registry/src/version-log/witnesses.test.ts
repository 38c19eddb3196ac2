/** Witnesses cosign a log that goes on, and nothing else; a log goes on whatever its witnesses do. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  base64Of,
  checkpointText,
  consistencyProof,
  emptyRoot,
  type HashReader,
  leafHashOf,
  nodeHashOf,
  openNote,
  parseVkey,
  rootOf,
  type Signer,
  signatureLine,
  signerOf,
  signNote,
} from '@ulmus/content/log'
import { findLog, numberEvents } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addAccount, addCollection, addVersion, openContext, type TestContext } from '../testing/context.ts'
import { cosigningOf, type Witness } from './cosigning.ts'
import { settleLog } from './restored.ts'
import { sequence } from './sequencing.ts'
import { versionLogOf } from './version-log.ts'

const own = signerOf('mirror.example/log/1', 'ed25519', new Uint8Array(32).fill(9))
const theirs = signerOf('registry.example/log/1', 'ed25519', new Uint8Array(32).fill(1))
const origin = theirs.name

/** A log whose leaves are the bytes of a text. */
function logOf(text: string) {
  const hashes = Array.from(text, (_, at) => leafHashOf(new TextEncoder().encode(text.slice(0, at + 1))))
  const subtree = (from: number, count: number): Uint8Array =>
    count === 1 ? hashes[from]! : nodeHashOf(subtree(from, count / 2), subtree(from + count / 2, count / 2))
  const read: HashReader = async (places) =>
    places.map(({ level, index }) => subtree(index * 2 ** level, 2 ** level))
  const note = async (size: number, signer: Signer = theirs) =>
    signNote(checkpointText({ origin: signer.name, size, root: await rootOf(size, read) }), [signer])
  return {
    note,
    /** Body of a request to a witness. */
    async grown(old: number, size: number): Promise<string> {
      const proof = await consistencyProof(Math.min(old, size), size, read)
      return [`old ${old}`, ...proof.map(base64Of), '', await note(size)].join('\n')
    },
  }
}
const log = logOf('abcdefghij')
const forked = logOf('abcDefghij')

describe.each(serviceDatabases)('a witness on $name', (database) => {
  let context: TestContext
  let witness: ReturnType<typeof versionLogOf>
  beforeEach(async () => {
    context = await openContext(database)
    await sequence(context, [own])
    witness = versionLogOf(context, [own], { witnessed: [theirs] })
  })
  afterEach(() => context.dispose())
  const statusOf = async (body: string | Promise<string>) => (await witness.cosign(await body)).status

  test('cosigns a log that goes on', async () => {
    const key = parseVkey((await witness.facts()).witness!)
    for (const [old, size] of [
      [0, 3],
      [3, 3],
      [3, 10],
    ] as const) {
      const { status, body } = await witness.cosign(await log.grown(old, size))
      expect(status, body).toBe(200)
      const note = (await log.note(size)) + body
      expect(openNote(note, [theirs, key]).verified).toMatchObject([{ by: theirs }, { by: key }])
    }
  })

  test('does not cosign a log that was rolled back, or has another history', async () => {
    expect(await statusOf(log.grown(0, 5))).toBe(200)
    const sized = { status: 409, body: '5\n', type: 'text/x.tlog.size' }
    for (const body of [log.grown(0, 3), log.grown(3, 3), log.grown(3, 5), log.grown(0, 10)])
      expect(await witness.cosign(await body)).toEqual(sized)
    expect(await witness.cosign(await forked.grown(5, 5))).toEqual(sized)
    expect(await statusOf(forked.grown(5, 7))).toBe(422)
    expect(await statusOf((await log.grown(5, 7)).replace(/\n[^\n]+/, ''))).toBe(422)
    expect(await statusOf(log.grown(5, 7))).toBe(200)
  })

  test('of requests at the same time, one wins', async () => {
    expect(await statusOf(log.grown(0, 5))).toBe(200)
    const bodies = await Promise.all([6, 7, 8, 9].map((size) => log.grown(5, size)))
    const both = await Promise.all([...bodies, ...bodies].map((body) => witness.cosign(body)))
    const won = both.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(both.filter(({ status }) => status === 409)).toHaveLength(7)
    // Also of the first ones, and of forks.
    await context.database.query('delete from log_witnessed')
    const first = await Promise.all([log.grown(0, 4), forked.grown(0, 4)])
    const statuses = await Promise.all(first.map((body) => statusOf(body)))
    expect(statuses.sort()).toEqual([200, 409])
  })

  test('refuses unknown logs, keys and odd requests', async () => {
    const stranger = signerOf(origin, 'ed25519', new Uint8Array(32).fill(3))
    const elsewhere = signerOf('other.example/log', 'ed25519', new Uint8Array(32).fill(1))
    const wrong = (await log.note(3)).replace(
      /(.{10})(.)(=*\n)$/,
      (_, a, b, c) => a + (b === 'A' ? 'Q' : 'A') + c,
    )
    const empty = signNote(checkpointText({ origin, size: 0, root: new Uint8Array(32) }), [theirs])
    const valid = await log.note(3)
    for (const [status, body] of [
      [404, `old 0\n\n${await log.note(3, elsewhere)}`],
      [403, `old 0\n\n${await log.note(3, stranger)}`],
      [403, `old 0\n\n${wrong}`],
      [400, `old 4\n\n${valid}`],
      [409, `old 1\n\n${valid}`],
      [422, `old 0\n${base64Of(emptyRoot())}\n\n${valid}`],
      [409, `old 0\n\n${empty}`],
      [400, ''],
      [400, '\n\n'],
      [400, valid],
      [400, `old 00\n\n${valid}`],
      [400, `old -1\n\n${valid}`],
      [400, `old 99999999999999999999\n\n${valid}`],
      [400, `old 0\n${'x'.repeat(44)}\n\n${valid}`],
      [400, `old 0\n${`${base64Of(emptyRoot())}\n`.repeat(64)}\n${valid}`],
      [400, `old 0\n\n${valid}\u0000`],
      [400, `old 0\n\n${valid.replace('\n3\n', '\n3.5\n')}`],
      [400, `old 0\n\n${valid}${signatureLine('x\n', stranger).repeat(101)}`],
    ] as const)
      expect(await statusOf(body), body.slice(0, 80)).toBe(status)
    expect((await context.database.query('select * from log_witnessed')).rows).toEqual([])
  })

  test('has another key after a restore, and none before it has a log', async () => {
    const { witness: before } = await witness.facts()
    await settleLog(context.database, { kind: 'restarts' })
    expect(await statusOf(log.grown(0, 3))).toBe(404)
    await sequence(context, [own])
    expect((await witness.facts()).witness).not.toBe(before)
    expect(await statusOf(log.grown(0, 3))).toBe(200)
  })
})

describe.each(serviceDatabases)('a log with witnesses on $name', (database) => {
  let context: TestContext
  const servers: Server[] = []
  beforeEach(async () => {
    context = await openContext(database)
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
    await context.dispose()
  })

  const keyOf = (n: number) => signerOf(`witness.example/${n}`, 'cosignature', new Uint8Array(32).fill(n))
  async function witnessAt(n: number, listener: RequestListener): Promise<Witness> {
    const server = createServer(listener)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    ;(context.outside!.allowed.origins as Set<string>).add(url)
    return { key: keyOf(n), url: `${url}/w` }
  }
  const bodyOf = async (request: Parameters<RequestListener>[0]) =>
    Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
  async function grow(): Promise<string> {
    const account = await addAccount(context, `a${Math.random()}`.replace('.', ''))
    await addVersion(context, await addCollection(context, account, { slug: 'c', public: true }))
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    await sequence(context, [theirs])
    return (await findLog(context.database))!.checkpoint!
  }

  test('gets the line of each good one, whatever the others do', async () => {
    context = { ...context, outside: { allowed: { networks: [], origins: new Set<string>() } } }
    const asked: string[] = []
    const good: RequestListener = async (request, response) => {
      const body = await bodyOf(request)
      asked.push(`${request.url} ${body.split('\n')[0]}`)
      const text = `${body.slice(body.indexOf('\n\n') + 2).split('\n\n')[0]}\n`
      response.end(signatureLine(text, keyOf(40)))
    }
    let isSilent = false
    const hostile = await Promise.all(
      [
        (_: unknown, response: Parameters<RequestListener>[1]) => {
          isSilent = true
          response.once('close', () => {
            isSilent = false
          })
        },
        (_: unknown, response: { end(text: string): void }) => response.end('— witness.example/2 AAAA\n'),
        (_: unknown, response: { end(text: string): void }) =>
          response.end(signatureLine('another text\n', keyOf(3))),
        (_: unknown, response: { end(text: string): void }) => response.end('x'.repeat(100_000)),
        (_: unknown, response: Parameters<RequestListener>[1]) =>
          response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end('1e99'),
        (_: unknown, response: Parameters<RequestListener>[1]) =>
          response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      ].map((listener, n) => witnessAt(n + 1, listener as RequestListener)),
    )
    const task = cosigningOf(context, [...hostile, await witnessAt(40, good)])
    const first = await grow()
    await task()
    await expect.poll(() => isSilent).toBe(true)
    await expect
      .poll(
        async () => openNote((await findLog(context.database))!.checkpoint!, [theirs, keyOf(40)]).verified,
      )
      .toHaveLength(2)
    const note = (await findLog(context.database))!.checkpoint!
    expect(note.startsWith(first)).toBe(true)
    expect(note.slice(first.length)).toMatch(/^— witness\.example\/40 [^\n]+\n$/)
    await grow()
    await task()
    await expect.poll(() => asked).toHaveLength(2)
    expect(asked[0]).toBe('/w/add-checkpoint old 0')
    expect(asked[1]).toMatch(/old [1-9]/)
    await expect.poll(() => context.log.warnings).toHaveLength(6)
    await task()
    // Each is named once, and asked again later.
    expect(context.log.warnings).toHaveLength(6)
    expect(context.log.errors).toEqual([])
  }, 30_000)

  test('asks none with OUTSIDE=off, and reports a witness that knows a later log', async () => {
    let requests = 0
    context = { ...context, outside: { allowed: { networks: [], origins: new Set<string>() } } }
    const witness = await witnessAt(1, (_, response) => {
      requests++
      response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end('1000\n')
    })
    await grow()
    await cosigningOf({ ...context, outside: null }, [witness])()
    expect(requests).toBe(0)
    await cosigningOf(context, [witness])()
    await expect.poll(() => context.log.errors).toHaveLength(1)
    expect(context.log.errors[0]!.line).toContain('knows another log')
    expect(requests).toBe(1)

    const { outside } = context
    const settled = settleLog(context.database, { kind: 'continues', witnesses: [witness], outside })
    await expect(settled).rejects.toThrow('knows the log with 1000 entries')
    await settleLog(context.database, { kind: 'continues', witnesses: [], outside })
    expect(await findLog(context.database)).toMatchObject({ origin, restoredAt: null })
  })
})
