/** The log holds a leaf for every change, in order, once. Signed leaves are in it, erased statements are gone. */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  bytesOfBase64,
  checkConsistency,
  consistencyProof,
  entriesIn,
  firstSlot,
  fullCommitment,
  hexOf,
  leafHashOf,
  nodeHashOf,
  openedLeaves,
  openNote,
  parseCheckpoint,
  parseProof,
  parseStatement,
  parseVkey,
  rootByInclusion,
  type Signer,
  signerOf,
  slotOf,
  tilePath,
  tileWidth,
  verifyVersion,
  vkeyOf,
} from '@ulmus/content/log'
import {
  type AccountRow,
  type CollectionRow,
  deleteCollection,
  dropQueued,
  findLog,
  numberEvents,
  type VersionRow,
} from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import type { LogStatement } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { collectionsOf } from '../collections/collections.ts'
import type { RegistryError } from '../errors/errors.ts'
import { anonymous } from '../principal.ts'
import {
  addAccount,
  addCollection,
  addVersion,
  callerOf,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { sequence } from './sequencing.ts'
import type { SignedHere } from './signing.ts'
import { storedHashes } from './stored-hashes.ts'
import { type VersionLog, versionLogOf } from './version-log.ts'

const signer: Signer = signerOf('registry.example/log/1', 'ed25519', new Uint8Array(32).fill(1))
/** RFC 6962 §2.1. */
function naiveRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 1) return hashes[0]!
  let half = 1
  while (half * 2 < hashes.length) half *= 2
  return nodeHashOf(naiveRoot(hashes.slice(0, half)), naiveRoot(hashes.slice(half)))
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: RegistryError) => error.code,
  )

describe.each(serviceDatabases)('the log on $name', (database) => {
  let context: TestContext
  let log: VersionLog
  let ada: AccountRow
  let made = 0

  beforeAll(async () => {
    context = await openContext(database)
    log = versionLogOf(context, [signer])
    ada = await addAccount(context, 'ada')
  })
  afterAll(() => context.dispose())

  /** Numbers and logs all changes so far. */
  async function settled(): Promise<void> {
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    while ((await sequence(context, [signer])) > 0);
  }
  const collection = (isPublic = true) =>
    addCollection(context, ada, { slug: `c${++made}`, public: isPublic })
  const path = ({ slug }: Pick<CollectionRow, 'slug'>) => ({ owner: 'ada', slug })
  const patch = (base: VersionRow, patch: number) => ({
    ...{ base, semver: { major: 1, minor: 0, patch } },
    content: `p${patch}`,
  })

  const withdrawn = (id: string, patch: number, erasure: 'asked' | null = null) =>
    context.database.query(
      'update versions set withdrawn_at = now(), erasure = $3 where collection_id = $1 and patch = $2',
      [id, patch, erasure],
    )

  test('the first leaf names the key', async () => {
    expect(await codeOf(log.checkpoint())).toBe('log_unavailable')
    await sequence(context, [])
    expect(await codeOf(log.facts())).toBe('log_unavailable')
    await settled()
    const { size, keys } = await log.facts()
    expect(size).toBe(1)
    expect(keys).toMatchObject([{ vkey: vkeyOf(signer), index: 0, until: null }])
    expect(parseStatement(keys[0]!.statement)).toMatchObject({ kind: 'key', name: vkeyOf(signer), seq: 1 })
  })

  test('a version is proven, from its digests to the signature', async () => {
    const row = await collection()
    const version = await addVersion(context, row, { secret: true })
    await addVersion(context, row, patch(version, 1))
    await settled()
    const { keys, size, origin } = await log.facts()
    expect({ size, origin }).toEqual({ size: 3, origin: signer.name })
    const member = await log.ofVersion(callerOf(ada), { ...path(row), v: 'v1.0.0' })
    const outsider = await log.ofVersion(anonymous, { ...path(row), v: 'v1.0.0' })
    expect(outsider).toEqual({ ...member, fullSalt: undefined })
    const { index, statement, proof, fullSalt } = member
    const said = parseStatement(statement)
    expect(said).toMatchObject({
      kind: 'version',
      name: `${path(row).owner}/${row.slug}`,
      semver: 'v1.0.0',
      seq: 1,
    })
    expect(said).toMatchObject({ public: version.publicDigest, prev: null, collection: row.id })
    expect(fullCommitment(bytesOfBase64(fullSalt!)!, version.fullDigest as never)).toBe(said.full)
    const parsed = parseProof(proof)
    expect(parsed.index).toBe(index)
    const { text, verified } = openNote(parsed.checkpoint, [parseVkey(keys[0]!.vkey)])
    expect(verified).toHaveLength(1)
    const leaf = leafHashOf(openedLeaves(member)[0]!)
    const checkpoint = parseCheckpoint(text)
    expect(rootByInclusion({ index, size: checkpoint.size }, leaf, parsed.path)).toEqual(checkpoint.root)
    const next = await log.ofVersion(anonymous, { ...path(row), v: 'v1.0.1' })
    expect(parseStatement(next.statement)).toMatchObject({ prev: hexOf(leaf), seq: 2 })
    expect(next.links).toMatchObject([{ index, key: null, chain: member.chain }])
    const trust = { keys: [parseVkey(keys[0]!.vkey)] }
    const expected = { semver: 'v1.0.1', view: 'public', digest: said.public as never } as const
    expect(() => verifyVersion(next, expected, trust)).toThrow('another digest')
    const digest = parseStatement(next.statement).public as never
    expect(verifyVersion(next, { ...expected, digest }, trust)).toMatchObject({ index: next.index })
  })

  test('new names and withdrawals are stated; statements come in order', async () => {
    const row = await collection()
    const version = await addVersion(context, row)
    await addVersion(context, row, patch(version, 1))
    const collections = collectionsOf(context)
    const slug = `${row.slug}-new`
    await collections.patch(callerOf(ada), path(row), { slug })
    await withdrawn(row.id, 1)
    await settled()
    const listed = await log.statements(anonymous, { owner: 'ada', slug }, 0)
    const statements = listed.map((one) => ('statement' in one ? parseStatement(one.statement) : one))
    expect(statements).toMatchObject([
      { kind: 'version', seq: 1, semver: 'v1.0.0', name: `ada/${row.slug}` },
      { kind: 'version', seq: 2, semver: 'v1.0.1' },
      { kind: 'named', seq: 3, semver: null, name: `ada/${slug}` },
      { kind: 'withdrawn', seq: 4, semver: 'v1.0.1' },
    ])
    expect(await log.statements(anonymous, { owner: 'ada', slug }, 3)).toHaveLength(1)
    expect(await codeOf(log.ofVersion(anonymous, { owner: 'ada', slug, v: 'v1.0.1' }))).toBe(
      'version_withdrawn',
    )
  })

  test('a new name of an account is stated for each of its collections with versions', async () => {
    const zoe = await addAccount(context, 'zoe')
    const rows = []
    for (const slug of ['birds', 'fish', 'empty'])
      rows.push(await addCollection(context, zoe, { slug, public: true }))
    for (const row of rows.slice(0, 2)) await addVersion(context, row)
    await settled()
    await context.database.query("update accounts set slug = 'zoey' where id = $1", [zoe.id])
    await context.database.query("update accounts set slug = 'zo' where id = $1", [zoe.id])
    await settled()
    const statements = async (slug: string) =>
      (await log.statements(anonymous, { owner: 'zo', slug }, 0)).map(
        (one) => 'statement' in one && parseStatement(one.statement),
      )
    for (const slug of ['birds', 'fish'])
      expect(await statements(slug)).toMatchObject([
        { kind: 'version', name: `zoe/${slug}` },
        { kind: 'named', name: `zo/${slug}`, semver: null },
      ])
    expect(await statements('empty')).toEqual([])
  })

  test('a log with nothing to do writes nothing', async () => {
    await addVersion(context, await collection())
    await settled()
    const snapshot = async () =>
      (await context.database.query('select pg_current_snapshot()::text as at')).rows[0]
    // Tests beside this one write to other databases of the server.
    await vi.waitFor(
      async () => {
        const before = await snapshot()
        expect(await sequence(context, [signer])).toBe(0)
        expect(await sequence(context, [])).toBe(0)
        expect(await snapshot()).toEqual(before)
      },
      { timeout: 10_000, interval: 10 },
    )
  })

  // The embedded database runs one transaction after the other.
  test.runIf(database.name === 'server')('leaves and erasures wait for each other', async () => {
    const row = await collection()
    await addVersion(context, row)
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const erasing = context.database.transact(async (tx) => {
      const erase = "update versions set withdrawn_at = now(), erasure = 'asked' where collection_id = $1"
      await tx.query(erase, [row.id])
      begun.resolve()
      await mayEnd.promise
    })
    await begun.promise
    expect(await sequence(context, [signer])).toBe(0)
    mayEnd.resolve()
    await erasing
    await settled()
    expect(await log.statements(anonymous, path(row), 0)).toMatchObject([
      { seq: 1, statement: expect.stringContaining('withdrawn') },
    ])
  })

  test('a version without a leaf is behind for some time, then not logged', async () => {
    const row = await collection()
    const version = await addVersion(context, row)
    const v = { ...path(row), v: 'v1.0.0' }
    expect(await codeOf(log.ofVersion(anonymous, v, AbortSignal.abort()))).toBe('log_behind')
    await context.database.transact(async (tx) => {
      await numberEvents(tx, 1_000)
      await dropQueued(tx)
    })
    const older = `update versions set created_at = now() - interval '1 hour' where id = $1`
    await context.database.query(older, [version.id])
    expect(await codeOf(log.ofVersion(anonymous, v))).toBe('not_logged')
  })

  test('an old version whose leaf is not signed is behind, at once, and clients need not wait; as little if the signing fails', async () => {
    const row = await collection()
    const version = await addVersion(context, row)
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    while ((await sequence(context, [])) > 0);
    const older = `update versions set created_at = now() - interval '1 hour' where id = $1`
    await context.database.query(older, [version.id])
    const v = { ...path(row), v: 'v1.0.0' }
    const lasting = { code: 'log_behind', retryAfter: 600, message: expect.stringContaining('cannot sign') }
    await expect(log.ofVersion(anonymous, v)).rejects.toMatchObject(lasting)
    // A new one, on a server whose signing fails.
    await context.database.query('update versions set created_at = now() where id = $1', [version.id])
    const now = AbortSignal.abort()
    await expect(log.ofVersion(anonymous, v, now)).rejects.toMatchObject({
      code: 'log_behind',
      retryAfter: 5,
    })
    const failed = () => [{ name: 'work on log', since: new Date(), times: 1, error: 'another key' }]
    const failing = versionLogOf({ ...context, jobs: { ...context.jobs, failed } }, [signer])
    await expect(failing.ofVersion(anonymous, v, now)).rejects.toMatchObject(lasting)
    await settled()
    expect(await log.ofVersion(anonymous, v)).toMatchObject({ seq: 1 })
  })

  test('strangers of a private collection get nothing of it', async () => {
    const row = await collection(false)
    await addVersion(context, row)
    await settled()
    expect(await codeOf(log.statements(anonymous, path(row), 0))).toBe('collection_not_found')
    expect(await codeOf(log.ofVersion(anonymous, { ...path(row), v: 'v1.0.0' }))).toBe('collection_not_found')
    expect(await log.statements(callerOf(ada), path(row), 0)).toHaveLength(1)
  })

  test('after erasure 64 bytes remain', async () => {
    const row = await collection()
    const version = await addVersion(context, row)
    await addVersion(context, row, patch(version, 1))
    await settled()
    const before = await log.latest()
    const said = await log.ofVersion(anonymous, { ...path(row), v: 'v1.0.0' })
    await withdrawn(row.id, 0, 'asked')
    await settled()
    const [first, second, third] = await log.statements(anonymous, path(row), 0)
    const opened = { key: null, chain: said.chain, commitment: said.commitment, next: second!.key }
    expect(first).toEqual({ ...opened, seq: 1, index: expect.any(Number), erased: true })
    // Later versions are proven all the same.
    const later = await log.ofVersion(anonymous, { ...path(row), v: 'v1.0.1' })
    const digest = parseStatement(later.statement).public as never
    const trust = { keys: (await log.facts()).keys.map(({ vkey }) => parseVkey(vkey)) }
    verifyVersion(later, { semver: 'v1.0.1', view: 'public', digest }, trust)
    expect([second, third]).toMatchObject([{ seq: 2 }, { seq: 3 }])
    await context.database.transact((tx) => deleteCollection(tx, row.id))
    await settled()
    const { rows } = await context.database.query(`select * from log_leaves where index = any($1)`, [
      [first!.index, second!.index],
    ])
    for (const { leaf, index, at, seq, ...rest } of rows) {
      expect((leaf as Uint8Array).length + Number(index) + Number(seq) + Number(Boolean(at))).toBeGreaterThan(
        0,
      )
      expect(Object.values(rest).every((value) => value === null)).toBe(true)
    }
    const everything = JSON.stringify((await context.database.query('select * from log_leaves')).rows)
    expect(everything).not.toContain(row.id)
    expect(
      (await context.database.query('select from log_heads where collection_id = $1', [row.id])).rows,
    ).toEqual([])
    // The leaf still commits to what those say who kept it.
    const [leaf] = rows.filter(({ index }) => index === first!.index)
    expect(hexOf(leaf!['leaf'] as Uint8Array)).toBe(hexOf(openedLeaves(said)[0]!))
    const after = await log.latest()
    expect(after.size).toBeGreaterThan(before.size)
  })

  test('tiles and entries lead to the signed root, and every checkpoint continues the one before', async () => {
    const row = await collection()
    let base = await addVersion(context, row)
    await settled()
    let before = await log.latest()
    for (let n = 1; n < 300; n++) {
      base = await addVersion(context, row, patch(base, n))
      if (n % 60 !== 0) continue
      await settled()
      const after = await log.latest()
      const proof = await consistencyProof(
        before.size,
        after.size,
        storedHashes(context.database, after.size),
      )
      checkConsistency(before, after, proof)
      before = after
    }
    await settled()
    const { size, root } = await log.latest()
    expect(size).toBeGreaterThan(tileWidth)
    const entries: Uint8Array[] = []
    for (let index = 0; index * tileWidth < size; index++) {
      const width = Math.min(tileWidth, size - index * tileWidth)
      entries.push(...entriesIn((await log.tile(tilePath({ level: 'entries', index, width })))!))
      const tile = (await log.tile(tilePath({ level: 0, index, width })))!
      expect(hexOf(tile.subarray(-32))).toBe(hexOf(leafHashOf(entries.at(-1)!)))
    }
    const hashes = entries.map(leafHashOf)
    expect(hashes).toHaveLength(size)
    expect(naiveRoot(hashes)).toEqual(root)
    for (const wrong of ['tile/0/999', 'tile/0/000.p/0', 'tile/9/000', '../x'])
      expect(await log.tile(wrong)).toBeUndefined()
  })

  test('two servers append each change once', async () => {
    const rows = await Promise.all([collection(), collection(), collection()])
    let isOver = false
    const server = async () => {
      while (!isOver) {
        await context.database.transact((tx) => numberEvents(tx, 7))
        await sequence(context, [signer])
        await sleep(1)
      }
    }
    const servers = [server(), server()]
    await Promise.all(
      rows.map(async (row) => {
        let base = await addVersion(context, row)
        for (let n = 1; n < 15; n++) base = await addVersion(context, row, patch(base, n))
      }),
    )
    isOver = true
    await Promise.all(servers)
    await settled()
    for (const row of rows) {
      const statements = await log.statements(anonymous, path(row), 0)
      expect(statements.map(({ seq }) => seq)).toEqual(Array.from({ length: 15 }, (_, n) => n + 1))
      const semvers = statements.map((one) => 'statement' in one && parseStatement(one.statement).semver)
      expect(semvers).toEqual(Array.from({ length: 15 }, (_, n) => `v1.0.${n}`))
    }
    const slots = (await context.database.query('select leaf from log_leaves')).rows.map(({ leaf }) =>
      hexOf((leaf as Uint8Array).subarray(0, 32)),
    )
    expect(new Set(slots).size).toBe(slots.length)
    expect(slots).toContain(hexOf(firstSlot(rows[0]!.id)))
  })

  test('a former reader of a collection finds none of its later versions, only that it was made private', async () => {
    const row = await collection()
    let base = await addVersion(context, row)
    for (let n = 1; n < 15; n++) base = await addVersion(context, row, patch(base, n))
    await settled()
    const known = await log.statements(anonymous, path(row), 0)
    await collectionsOf(context).patch(callerOf(ada), path(row), { public: false })
    for (let n = 15; n < 25; n++) base = await addVersion(context, row, patch(base, n))
    await settled()
    const { rows } = await context.database.query<{ leaf: Uint8Array; index: number }>(
      'select leaf, index from log_leaves order by index',
    )
    const found = (slots: readonly Uint8Array[]) => {
      const wanted = new Set(slots.map(hexOf))
      return rows
        .filter(({ leaf }) => wanted.has(hexOf(leaf.subarray(0, 32))))
        .map(({ index }) => Number(index))
    }
    /** Slots that a stranger can compute: from the id, the public keys, their hashes, and hashes of these with numbers. */
    const keys = known.flatMap(({ key, next, chain }) => [key, next, chain])
    const bytes = keys.flatMap((text) => (text ? [bytesOfBase64(text)!] : []))
    for (let n = 0; n < 20 * keys.length; n++) bytes.push(hash('sha256', bytes[n]!, 'buffer'))
    const numbers = Array.from({ length: 60 }, (_, n) => n)
    const slots = [
      ...bytes.map(slotOf),
      firstSlot(row.id),
      ...numbers.map((seq) => firstSlot(`${row.id}\n${seq}`)),
    ]
    const listed = await log.statements(callerOf(ada), path(row), 0)
    expect(listed).toHaveLength(26)
    const hidden = listed[15] as Exclude<LogStatement, { erased: true }>
    expect(parseStatement(hidden.statement)).toMatchObject({ kind: 'private', semver: null })
    expect(found(slots)).toEqual(listed.slice(0, 16).map(({ index }) => index))
    // Members find all of them, and would find one that the registry hides.
    const own = listed.flatMap(({ next }) => slotOf(bytesOfBase64(next)!))
    expect(found(own)).toEqual(listed.slice(1).map(({ index }) => index))
    expect(await codeOf(log.statements(anonymous, path(row), 0))).toBe('collection_not_found')
  })

  test('a leaf that was written before a crash is signed by the next server', async () => {
    await addVersion(context, await collection())
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    const before = await log.latest()
    while ((await sequence(context, [])) > 0);
    expect(await log.latest()).toEqual(before)
    await sequence(context, [signer])
    expect((await log.latest()).size).toBe(before.size + 1)
  })

  test('a key that the log does not know signs nothing', async () => {
    const other = signerOf(signer.name, 'ed25519', new Uint8Array(32).fill(2))
    await settled()
    const before = await findLog(context.database)
    // A server with it says so from its start, before there is anything to sign.
    const here: SignedHere = {}
    const place =
      context.database.kind === 'embedded'
        ? 'log\\.key in DATA_DIR or'
        : 'all servers that one by VERSION_LOG'
    const sentence = new RegExp(`is not a key of this log.*${place}.*If it is lost,.*log restart`)
    for (let tick = 0; tick < 2; tick++)
      await expect(sequence(context, [other], here)).rejects.toThrow(sentence)
    await addVersion(context, await collection())
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    await expect(sequence(context, [other])).rejects.toThrow('is not a key of this log')
    expect((await findLog(context.database))?.checkpoint).toBe(before?.checkpoint)
    await settled()
    expect((await log.facts()).keys.map(({ vkey }) => vkey)).toEqual([vkeyOf(signer)])
  })

  test('beside a known key a new one is admitted, by a statement; both sign for 90 days', async () => {
    const next = signerOf(signer.name, 'ed25519', new Uint8Array(32).fill(3))
    const version = await addVersion(context, await collection())
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    await sequence(context, [next, signer])
    const note = await log.checkpoint()
    // Readers who know only one of them go on.
    for (const known of [signer, next]) expect(openNote(note, [known]).verified).toHaveLength(1)
    const { keys, size } = await log.facts()
    expect(keys.map(({ vkey, until }) => [vkey, until !== null])).toEqual([
      [vkeyOf(signer), true],
      [vkeyOf(next), false],
    ])
    expect(keys[1]).toMatchObject({ index: size - 2 })
    expect(parseStatement(keys[1]!.statement)).toMatchObject({ kind: 'key', name: vkeyOf(next), seq: 2 })
    const now = vi.spyOn(context, 'now').mockReturnValue(new Date(Date.now() + 91 * 86_400_000))
    await addVersion(context, { id: version.collectionId }, patch(version, 1))
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    await sequence(context, [next, signer])
    now.mockRestore()
    const later = await log.checkpoint()
    expect(openNote(later, [next]).verified).toHaveLength(1)
    expect(() => openNote(later, [signer])).toThrow('no signature of a known key')
  })
})
