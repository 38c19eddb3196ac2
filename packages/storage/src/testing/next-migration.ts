/** A made-up migration of a later release, for tests of upgrades. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes the migrations of this release into `folder`, unless it has them, and adds another one.
 * @param later time after the last migration of this release. Milliseconds.
 */
export function addMigration(folder: string, sql: string, later = 1_000): void {
  const path = join(folder, 'meta/_journal.json')
  const own = new URL('../../migrations', import.meta.url)
  if (!existsSync(path)) cpSync(own, folder, { recursive: true })
  const read = (from: string | URL) =>
    JSON.parse(readFileSync(from, 'utf8')) as { entries: { when: number; tag: string }[] }
  const journal = read(path)
  const last = read(new URL('../../migrations/meta/_journal.json', import.meta.url)).entries.at(-1)!
  const tag = later === 1_000 ? '9999_newer' : `9999_newer_${later}`
  journal.entries.push({ ...last, when: last.when + later, tag })
  writeFileSync(path, JSON.stringify(journal))
  writeFileSync(join(folder, `${tag}.sql`), sql)
}
