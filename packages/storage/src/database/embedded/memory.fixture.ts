/**
 * Child process that opens a database, runs statements, many of them with long answers, and prints its peak memory. MiB.
 */
import { writeSync } from 'node:fs'
import { openDatabase } from '../open.ts'

const database = await openDatabase({ folder: process.argv[2]! })
for (let i = 0; i < 1_000; i++) await database.query('select $1::int + 1', [i])
for (let i = 0; i < 10_000; i++) await database.query(`select repeat('a', 20000)`)
await database.close()
writeSync(1, String(process.resourceUsage().maxRSS / 1024))
