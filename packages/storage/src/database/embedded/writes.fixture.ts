/**
 * Child process that commits one account after the other, and prints the name of each once it is acknowledged. With a
 * third argument, it makes `failing-syncs.fixture.ts` fail after that many.
 */
import { writeFileSync, writeSync } from 'node:fs'
import { accounts } from '../../sql/accounts/accounts.ts'
import { insertInto } from '../../sql/columns/rows.ts'
import { openDatabase } from '../open.ts'

const [folder, round, syncedMax] = process.argv.slice(2) as [string, string, string?]
try {
  const database = await openDatabase({ folder })
  for (let i = 0; ; i++) {
    if (i === Number(syncedMax)) writeFileSync(process.env['FAIL_SYNCS_WHERE']!, '')
    const slug = `${round}-${i}`
    const account = {
      id: crypto.randomUUID(),
      slug,
      type: 'user' as const,
      displayName: slug,
      createdAt: new Date(),
    }
    await database.query(...insertInto(accounts, account))
    writeSync(1, `${slug}\n`)
  }
} catch (error) {
  writeSync(1, `${(error as Error).name}: ${(error as Error).message}\n`)
}
