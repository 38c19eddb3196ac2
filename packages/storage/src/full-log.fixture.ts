/**
 * Child process for tests: once standard input has ended, writes to an embedded database's log until it refuses. Each line on standard
 * output is an acknowledged commit.
 */
import { text } from 'node:stream/consumers'
import { keepBallast } from './database/embedded/ballast.ts'
import { openDatabase } from './database/open.ts'

const database = await openDatabase({ folder: process.argv[2]! })
await database.query('create table progress (value integer); insert into progress values (0)')
await keepBallast(process.argv[2]!, 0)
process.stdout.write('0\n')
await text(process.stdin)
for (let value = 1; ; value++) {
  await database.transact(async (tx) => {
    await tx.query('update progress set value = $1', [value])
    await tx.query(`select pg_logical_emit_message(true, 'filling', repeat('x', 200000))`)
  })
  process.stdout.write(`${value}\n`)
}
