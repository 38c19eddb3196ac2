/** Run as a process of its own: opens a database, makes a thousand statements, and says the largest memory it has had. MiB. */
import { writeSync } from 'node:fs'
import { openDatabase } from './database.ts'

const database = await openDatabase({ folder: process.argv[2]! })
for (let i = 0; i < 1_000; i++) await database.query('select $1::int + 1', [i])
await database.close()
writeSync(1, String(process.resourceUsage().maxRSS / 1024))
