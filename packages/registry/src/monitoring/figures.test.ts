/** Figures about backups and the signed log: what the metrics show of them. */
import { type Signer, signerOf } from '@ulmus/content/log'
import { noteBackup, numberEvents } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addAccount, addCollection, addVersion, openContext, type TestContext } from '../testing/context.ts'
import { sequence } from '../version-log/sequencing.ts'
import { figuresOf } from './figures.ts'

const signer: Signer = signerOf('registry.example/log/1', 'ed25519', new Uint8Array(32).fill(1))

describe.each(serviceDatabases)('figures on $name', (database) => {
  let context: TestContext
  beforeAll(async () => {
    context = await openContext(database)
  })
  afterAll(() => context.dispose())

  const note = (seconds: number, bytes: number) =>
    context.database.transactOnce((tx) => noteBackup(tx, { seconds, bytes }))

  test('the last backup is the one with the latest dump, and its age counts from there', async () => {
    const { lastBackup } = figuresOf(context)
    expect(await lastBackup()).toBeNull()
    await note(30, 1_000)
    expect(await lastBackup()).toMatchObject({ seconds: 30, bytes: 1_000 })
    expect((await lastBackup())!.secondsAgo).toBeGreaterThanOrEqual(30)
    // One to a slow bucket ends later and shows an earlier moment.
    await note(7_200, 900)
    expect(await lastBackup()).toMatchObject({ seconds: 30, bytes: 1_000 })
    await note(2, 1_100)
    expect(await lastBackup()).toMatchObject({ seconds: 2, bytes: 1_100 })
  })

  test('the log counts what it has not signed, from the change on', async () => {
    const { log } = figuresOf(context)
    const numbered = () => context.database.transact((tx) => numberEvents(tx, 1_000))
    const owner = await addAccount(context, 'ada')
    const collection = await addCollection(context, owner, { slug: 'birds', public: true })
    expect(await log()).toBeUndefined()
    await sequence(context, [])
    expect(await log()).toMatchObject({ checkpointSeconds: null })
    await numbered()
    while ((await sequence(context, [signer])) > 0);
    const before = (await log())!
    expect(before).toMatchObject({ unsigned: 0, unsignedSeconds: 0 })
    expect(before.checkpointSeconds).toBeLessThan(60)

    await addVersion(context, collection)
    await numbered()
    await context.database.query("update log_queue set at = at - interval '1 hour'")
    expect(await log()).toMatchObject({ entries: before.entries, unsigned: 1 })
    expect((await log())!.unsignedSeconds).toBeGreaterThan(3_590)

    // Without a key changes get entries, which wait for a signature.
    await sequence(context, [])
    expect(await log()).toMatchObject({ entries: before.entries + 1, unsigned: 1 })
    expect((await log())!.unsignedSeconds).toBeGreaterThan(0)

    await sequence(context, [signer])
    expect(await log()).toMatchObject({ entries: before.entries + 1, unsigned: 0, unsignedSeconds: 0 })
  })
})
