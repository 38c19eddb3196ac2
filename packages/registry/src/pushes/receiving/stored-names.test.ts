/** Records with ids that no new record may have: those of the base can be changed and deleted. */
import { recordOf } from '@ulmus/content'
import { insertPushSpill, spillName } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import { v4 as randomId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../testing/world.ts'
import { encodeSpill } from '../spills/spill.ts'

const strange = 'owl\u0007'

describe.each(anyDatabase)('ids from before a rule on $name', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())

  /** A collection with a record that no request can push now. */
  async function started() {
    const path = await world.collection()
    const session = await world.open(path, { base: null, schemas: { A: {} } })
    const { hash, canonical } = recordOf(strange, 'A', { n: 1 })
    const put = { hash, canonical, private: false, refers: false }
    const name = spillName(session, randomId())
    const bytes = await world.context.blobs.put(name, encodeSpill([{ type: 'A', id: strange, put }]))
    await world.context.database.transact((tx) =>
      insertPushSpill(tx, { pushId: session, role: 'records', name, entries: 1, bytes }),
    )
    await world.commit(path, session)
    return path
  }

  test('a record of the base can be changed and deleted; a new one is refused with its line', async () => {
    const path = await started()
    const session = await world.open(path, { base: 'v1.0.0' })
    const line = (id: string) => ({ id, type: 'A', data: { n: 2 } })
    await expect(
      world.receive(path, session, [line(strange), line('new\u0007\u202e')]),
    ).rejects.toMatchObject({
      code: 'invalid_records',
      details: {
        totalErrors: 1,
        validationErrors: [
          {
            ...{ line: 2, code: 'bad_id', id: 'new\u0007\u202e', type: 'A' },
            message: 'The id "new\\u0007\\u202e" holds the control character U+0007. Leave it out.',
          },
        ],
      },
    })
    await world.receive(path, session, [line(strange)])
    expect(await world.commit(path, session)).toBe('v1.1.0')
    expect(await world.push(path, { base: 'v1.1.0', deletes: [{ id: strange, type: 'A' }] })).toBe('v1.2.0')
    const again = await world.open(path, { base: 'v1.2.0' })
    await expect(world.receive(path, again, [line(strange)])).rejects.toMatchObject({
      code: 'invalid_records',
    })
  })

  test('a snapshot changes such a record, too', async () => {
    const path = await started()
    const puts = [{ id: strange, type: 'A', data: { n: 3 } }]
    expect(await world.snapshot(path, { base: 'v1.0.0', schemas: { A: {} }, puts })).toBe('v1.1.0')
  })
})
