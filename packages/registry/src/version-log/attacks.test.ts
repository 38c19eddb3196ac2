/** Attacks on the log, and accidents: no name, key or lost commit stops or forks it. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  checkpointText,
  emptyRoot,
  parseCheckpoint,
  parseStatement,
  type Signer,
  signerOf,
  signNote,
  splitNote,
  vkeyOf,
} from '@ulmus/content/log'
import {
  type AccountRow,
  deleteCollection,
  erasePerson,
  hasQueued,
  lockLog,
  numberEvents,
  renameAccount,
  takeQueued,
} from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { anonymous } from '../principal.ts'
import { addAccount, addCollection, addVersion, openContext, type TestContext } from '../testing/context.ts'
import { renameLog } from './restored.ts'
import { append, sequence, statedOf } from './sequencing.ts'

import type { SignedHere } from './signing.ts'
import { versionLogOf } from './version-log.ts'

/** A name without a dot, as of a registry without an address. */
const [signer, next, third] = [1, 2, 3].map((byte) =>
  signerOf('localhost-1a2b3c4d/log/1', 'ed25519', new Uint8Array(32).fill(byte)),
) as [Signer, Signer, Signer]

describe.each(serviceDatabases)('the log on $name', (database) => {
  let context: TestContext
  beforeEach(async () => {
    context = await openContext(database)
    await sequence(context, [signer])
  })
  afterEach(() => context.dispose())

  async function settled(signers: Signer[] = [signer], here?: SignedHere): Promise<void> {
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    while ((await sequence(context, signers, here)) > 0);
  }
  const noteOf = () => versionLogOf(context, [signer]).checkpoint()

  test('erasing a person of the same name keeps the key of the log', async () => {
    const zoe = await addAccount(context, 'localhost-1a2b3c4d')
    await addVersion(context, await addCollection(context, zoe, { slug: 'birds', public: true }))
    await settled()
    const log = versionLogOf(context, [signer])
    const [before, at] = [await log.facts(), new Date()]
    const anonymized = { slug: 'erased-1', displayName: 'Erased account', at }
    await context.database.transact((tx) => erasePerson(tx, zoe, anonymized))
    await settled()
    expect((await log.facts()).keys).toEqual(before.keys)
    const statements = await log.statements(anonymous, { owner: 'erased-1', slug: 'birds' }, 0)
    expect(statements).toMatchObject([{ erased: true }, { statement: expect.stringContaining('erased-1') }])
  })

  test('erasing a person keeps statements about an earlier holder of the name', async () => {
    const { database } = context
    const former = await addAccount(context, 'zoe')
    await addVersion(context, await addCollection(context, former, { slug: 'birds', public: true }))
    await settled()
    await database.transact((tx) => renameAccount(tx, former, 'zoey', new Date()))
    await database.query("update log_leaves set at = at - interval '100 days' where seq = 1")
    const later = await addAccount(context, 'zoe')
    const anonymized = { slug: 'erased-1', displayName: 'Erased account', at: new Date() }
    await database.transact((tx) => erasePerson(tx, later, anonymized))
    await settled()
    const log = versionLogOf(context, [signer])
    const { statement } = await log.ofVersion(anonymous, { owner: 'zoey', slug: 'birds', v: 'v1.0.0' })
    expect(parseStatement(statement).name).toBe('zoe/birds')
  })

  // The embedded database runs one transaction after the other.
  test.runIf(database.name === 'server')('erasures wait for leaves that are being written', async () => {
    const ada = await addAccount(context, 'ada')
    const rows: { id: string }[] = []
    for (const slug of ['a', 'b', 'c']) rows.push(await addCollection(context, ada, { slug, public: true }))
    for (const row of rows) await addVersion(context, row)
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const appending = context.database.transact(async (tx) => {
      const log = (await lockLog(tx, true))!
      const queued = await takeQueued(tx, 100)
      begun.resolve()
      await mayEnd.promise
      await append(tx, log, queued.flatMap(statedOf))
    })
    await begun.promise
    const erase = "update versions set withdrawn_at = now(), erasure = 'asked' where collection_id = $1"
    const anonymized = { slug: 'erased-1', displayName: 'Erased account', at: new Date() }
    const erasing = [
      context.database.query(erase, [rows[0]!.id]),
      context.database.transact((tx) => deleteCollection(tx, rows[1]!.id)),
    ]
    await sleep(200)
    mayEnd.resolve()
    await appending
    await Promise.all(erasing)
    const stated = async () =>
      (await context.database.query('select name, statement from log_leaves where seq = 1 order by index'))
        .rows
    const gone = { name: null, statement: null }
    expect(await stated()).toEqual([
      expect.anything(),
      gone,
      gone,
      expect.objectContaining({ name: 'ada/c' }),
    ])
    await context.database.transact((tx) => erasePerson(tx, ada, anonymized))
    expect((await stated()).slice(1)).toEqual([gone, gone, gone])
  })

  test('an account that is renamed again and again fills the log once in five minutes', async () => {
    const { database } = context
    let owner = await addAccount(context, 'ada')
    for (const slug of ['birds', 'fish'])
      await addVersion(context, await addCollection(context, owner, { slug, public: true }))
    await settled()
    const rename = async (slug: string) => {
      await database.transact((tx) => renameAccount(tx, owner, slug, new Date()))
      owner = { ...owner, slug }
      await settled()
    }
    const names = async () => {
      const { rows } = await database.query<{ name: string }>(
        'select name from log_leaves where statement like \'%"named"%\' order by index',
      )
      return rows.map(({ name }) => name).sort()
    }
    await rename('ida')
    const once = ['ida/birds', 'ida/fish']
    expect(await names()).toEqual(once)
    for (const slug of ['oda', 'ida', 'oda']) await rename(slug)
    expect(await names()).toEqual(once)
    expect(await hasQueued(database)).toBe(false)
    // Changes of collections are not held up.
    await addVersion(context, await addCollection(context, owner, { slug: 'cats', public: true }))
    await settled()
    expect((await database.query("select from log_leaves where name = 'oda/cats'")).rows).toHaveLength(1)
    await database.query("update log_queue set at = at - interval '5 minutes' where kind = 'account.stated'")
    await settled()
    expect(await names()).toEqual([...once, 'oda/birds', 'oda/cats', 'oda/fish'])
    await database.query("update log_queue set at = at - interval '5 minutes'")
    await rename('ada')
    expect(await names()).toHaveLength(8)
  })

  test('a former key that signs no longer admits no key', async () => {
    await settled([next, signer])
    const now = vi.spyOn(context, 'now').mockReturnValue(new Date(Date.now() + 91 * 86_400_000))
    const keys = async () => (await versionLogOf(context, [signer]).facts()).keys.map(({ vkey }) => vkey)
    await expect(settled([third, signer])).rejects.toThrow('is not a key of this log')
    expect(await keys()).toEqual([signer, next].map(vkeyOf))
    await settled([third, next])
    expect(await keys()).toEqual([signer, next, third].map(vkeyOf))
    now.mockRestore()
  })

  describe('a database that went back to an earlier state', () => {
    const tables = ['log_state', 'log_leaves', 'log_heads', 'log_tiles']
    let here: SignedHere
    let ada: AccountRow
    const grow = async (slug: string) => {
      await addVersion(context, await addCollection(context, ada, { slug, public: true }))
      await settled([signer], here)
    }
    const state = async () => {
      const { origin, size } = parseCheckpoint(splitNote(await noteOf()).text)
      return [origin, size]
    }
    const name = 'localhost-1a2b3c4d/log/1'
    /** As after a restored dump, or a failover to a standby without the last commits. */
    const goBack = async () => {
      for (const table of tables)
        await context.database.query(`delete from ${table}; insert into ${table} table kept_${table}`)
    }

    beforeEach(async () => {
      here = {}
      ada = await addAccount(context, 'ada')
      await grow('birds')
      for (const table of tables) await context.database.query(`create table kept_${table} as table ${table}`)
      await grow('fish')
      expect(await state()).toEqual([name, 3])
    })

    test.each(['the same server', 'another server'])(
      '%s signs no other entries in the place of the lost ones, until the log has another name',
      async (server) => {
        await goBack()
        if (server === 'another server') here = {}
        await expect(grow('cats')).rejects.toThrow('went back to an earlier state')
        await expect(grow('dogs')).rejects.toThrow('went back to an earlier state')
        expect(await state()).toEqual([name, 2])
        await renameLog(context.database)
        await settled([signer], here)
        expect(await state()).toEqual([expect.stringMatching(/^localhost-1a2b3c4d\/log\/2-/), 5])
      },
    )

    test('a server that starts says so before there is anything to sign', async () => {
      await goBack()
      await expect(settled([signer], {})).rejects.toThrow(
        /^The log has 2 entries and does not continue the signed checkpoint of size 3: .*`ulmus-server log restart`/,
      )
    })

    test('a name that was given up stays known', async () => {
      await renameLog(context.database)
      await settled([signer], here)
      await goBack()
      here = {}
      await expect(grow('cats')).rejects.toThrow('went back to an earlier state')
    })

    test('a checkpoint is kept before it is published, and a damaged one stops the log', async () => {
      const { blobs } = context
      const put = vi.spyOn(blobs, 'put').mockRejectedValueOnce(new Error('the store is away'))
      await expect(grow('cats')).rejects.toThrow('the store is away')
      expect(await state()).toEqual([name, 3])
      put.mockRestore()
      await settled([signer], here)
      expect(await state()).toEqual([name, 4])
      const [kept] = await Array.fromAsync(blobs.list('installation/log-'))
      expect(Buffer.from(await blobs.read(kept!.name)).toString()).toBe(await noteOf())
      await blobs.put(kept!.name, Buffer.from('no note'))
      await expect(grow('dogs')).rejects.toThrow(/^The checkpoint installation\/log-.* is damaged/)
      await blobs.remove(kept!.name)
      await settled([signer], {})
      expect(await state()).toEqual([name, 5])
    })
  })

  test('a request to the witness about an unknown log costs no statement', async () => {
    const [query, lookUp] = (['query', 'lookUp'] as const).map((name) => vi.spyOn(context.database, name))
    const witness = versionLogOf(context, [signer], { witnessed: [next] })
    const foreign = signerOf('other.example/log/1', 'ed25519', next.seed)
    const note = signNote(checkpointText({ origin: foreign.name, size: 0, root: emptyRoot() }), [foreign])
    expect(await witness.cosign(`old 0\n\n${note}`)).toMatchObject({ status: 404 })
    expect([query!.mock.calls, lookUp!.mock.calls]).toEqual([[], []])
  })
})
