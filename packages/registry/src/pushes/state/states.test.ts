/** Checks the statements that move sessions against each cell of the table. */
import {
  claimPush,
  claimPushForDryRun,
  columnsOf,
  expirePushes,
  findPush,
  insertPush,
  insertPushSpill,
  listEndedPushesWithSpills,
  livePushes,
  movePush,
  type PushRow,
  pushes,
  type Queries,
  type Tx,
  touchOpenPush,
} from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addAccount, addCollection, openContext, type TestContext } from '../../testing/context.ts'
import { isLive, type PushEvent, type PushState, pushTable, statesFor } from './states.ts'

const now = new Date('2026-06-15T12:00:00Z')
const later = new Date('2026-06-15T13:00:00Z')
const holder = newId()
const lease = { holder, seconds: 60 }

/** The calls of services that move a session. */
const moves: Record<PushEvent, (tx: Tx, push: PushRow) => Promise<unknown>> = {
  receive: (tx, { id }) => touchOpenPush(tx, id, { now, expiresAt: later, receivedRecords: 1 }),
  try: (tx, { id }) => claimPushForDryRun(tx, id, { now, expiresAt: later, lease }),
  commit: (tx, { id, accountId }) =>
    claimPush(tx, id, { now, expiresAt: later, lease, committer: { id: accountId, means: {} } }),
  done: (tx, { id }) => movePush(tx, id, statesFor('done'), { status: 'committed' }, holder),
  reopen: (tx, { id }) => movePush(tx, id, statesFor('reopen'), { status: 'open' }, holder),
  fail: (tx, { id }) => movePush(tx, id, statesFor('fail'), { status: 'failed' }, holder),
  cancel: (tx, { id }) => movePush(tx, id, statesFor('cancel'), { status: 'cancelled' }),
  expire: (tx) => expirePushes(tx, later),
}
const cells = (Object.keys(pushTable) as PushState[]).flatMap((from) =>
  (Object.keys(moves) as PushEvent[]).map((event) => ({ from, event, to: pushTable[from][event] })),
)

describe.each(databases)('push sessions on $name', (testDatabase) => {
  let context: TestContext
  let ids: { collectionId: string; accountId: string }
  beforeAll(async () => {
    context = await openContext(testDatabase, { now: () => now })
    const account = await addAccount(context, 'ada')
    const collection = await addCollection(context, account, { slug: 'c' })
    ids = { collectionId: collection.id, accountId: account.id }
  })
  afterAll(() => context.dispose())

  test.each(cells)('$from, $event: $to', async ({ from, event, to }) => {
    const id = newId()
    const { database } = context
    const row = { id, ...ids, kind: 'delta', status: from, createdAt: now, expiresAt: later } as const
    const push = await database.transact(async (tx) => {
      await insertPush(tx, { ...row, leaseHolder: holder, leaseUntil: later })
      return standing(id, tx)
    })
    await database.transact((tx) => moves[event](tx, push))
    const after = (await findPush(database, ids.collectionId, id))!
    expect(after.status).toBe(to === 'refused' ? from : to)
    // A refusal changes nothing else either.
    if (to === 'refused') expect(await standing(id)).toEqual(push)
    await database.query('delete from pushes where id = $1', [id])
  })

  test.each(Object.keys(pushTable) as PushState[])(
    '%s: keeps what it received if it is live',
    async (status) => {
      const id = newId()
      const { database } = context
      await database.transact(async (tx) => {
        await insertPush(tx, { id, ...ids, kind: 'delta', status, createdAt: now, expiresAt: later })
        await insertPushSpill(tx, {
          pushId: id,
          role: 'records',
          name: `spills/${id}/1`,
          entries: 1,
          bytes: 1,
        })
      })
      const isKept = !(await listEndedPushesWithSpills(database)).includes(id)
      const { ids: live } = await livePushes(database)
      expect([isKept, live.has(id)]).toEqual([isLive(status), isLive(status)])
      await database.query('delete from pushes where id = $1', [id])
    },
  )
  const standing = async (id: string, at: Queries = context.database) => {
    const text = `select ${columnsOf(pushes)} from pushes where id = $1`
    return (await at.query<typeof pushes.$inferSelect>(text, [id])).rows[0]!
  }
})

test('nothing leads out of an end but into another end', () => {
  for (const { from, to } of cells) if (!isLive(from) && to !== 'refused') expect(isLive(to)).toBe(false)
})
