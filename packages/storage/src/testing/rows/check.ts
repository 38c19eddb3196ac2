/**
 * `npm run test:rows -- FOLDER`: compares the row types of statements with the columns that PostgreSQL describes.
 * FOLDER has the statements that tests ran with `STATEMENT_ROWS=FOLDER`; every statement with a declared type must be among them.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '../../database/open.ts'
import { startPostgres } from '../postgres.ts'
import { declaredRows } from './declared.ts'
import { describer } from './described.ts'
import { rowFaults } from './faults.ts'
import { readStatements } from './recorded.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder that tests wrote as STATEMENT_ROWS.')
const statements = readStatements(folder)
const home = mkdtempSync(join(tmpdir(), 'ulmus-rows-'))
// As root, the server runs under another account.
chmodSync(home, 0o755)
const server = await startPostgres(join(home, 'server'))
const faults: string[] = []
let compared = 0
try {
  const { url } = server
  await (await openDatabase({ url })).close()
  const client = new pg.Client(url)
  await client.connect()
  const describe = await describer(client)
  for (const [place, row] of declaredRows()) {
    const texts = statements.get(place)
    if (texts === undefined) faults.push(`${place}: no test runs it`)
    if (row === undefined) continue
    for (const text of texts ?? []) {
      const described = await describe(text)
      // A temporary table is only in the session that made it.
      if (described === undefined) continue
      compared++
      faults.push(...rowFaults(row, described, text).map((fault) => `${place}: ${fault}`))
    }
  }
  await client.end()
} finally {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
}
for (const fault of new Set(faults)) console.error(fault)
console.log(`Rows of ${compared} statements compared: ${faults.length} faults.`)
if (faults.length > 0) process.exitCode = 1
