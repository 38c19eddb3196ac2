import { expect, test } from 'vitest'
import { databases } from '../testing/databases.ts'
import { isUnavailable } from '../unavailable.ts'
import { openDatabase } from './database.ts'
import { LookUps } from './look-ups.ts'

const server = databases.find(({ name }) => name === 'server')!

test('a connection that is silent for too long is given up, with all that was asked on it; the next has a new one', async () => {
  const { settings, dispose } = await server.settings()
  const database = await openDatabase(settings)
  const lookUps = new LookUps({ connectionString: settings.url }, 500)
  lookUps.pool.on('error', () => undefined)
  lookUps.pool.on('connect', (client) => client.on('error', () => undefined))
  const backend = async (): Promise<number> => {
    const asked = { text: 'select pg_backend_pid() as pid, (select count(*) from accounts)' }
    return (await lookUps.client.query(asked, [])).rows[0].pid
  }
  const before = await backend()
  const asked = await database.transact(async (tx) => {
    await tx.query('lock table accounts')
    return Promise.allSettled(Array.from({ length: 5 }, () => backend()))
  })
  expect(asked.map((one) => one.status === 'rejected' && isUnavailable(one.reason))).toEqual(
    Array(5).fill(true),
  )
  expect(await backend()).not.toBe(before)
  await lookUps.pool.end()
  await database.close()
  await dispose()
})
