/**
 * `npm run migrations`: writes the one initial migration anew from the tables and the functions (.sql) in src/sql. Nothing is released, so no database
 * needs a step from one form to the next. The generator knows no extensions; the one that the indexes need comes first.
 * With `--check` it writes nothing and fails when the migration is not what the tables say.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const folder = join(here, 'migrations')
const made = `migrations.${process.pid}`
const initial = '0000_initial.sql'

rmSync(join(here, made), { recursive: true, force: true })
const kit = join(here, '../../node_modules/drizzle-kit/bin.cjs')
execFileSync(process.execPath, [kit, 'generate', '--name', 'initial'], {
  cwd: here,
  env: { ...process.env, MIGRATIONS_OUT: `./${made}` },
  stdio: ['ignore', 'ignore', 'inherit'],
})
const functions = globSync('src/sql/**/*.sql', { cwd: here }).sort()
const text = [
  'CREATE EXTENSION IF NOT EXISTS pg_trgm;\n',
  ...[join(made, initial), ...functions].map((file) => readFileSync(join(here, file), 'utf8')),
].join('--> statement-breakpoint\n')
writeFileSync(join(here, made, initial), text)

const before = join(folder, initial)
const current = existsSync(before) && readFileSync(before, 'utf8') === text
if (current || process.argv.includes('--check')) {
  rmSync(join(here, made), { recursive: true })
  console.log(current ? 'The migration is up to date.' : 'The tables have changed: run "npm run migrations".')
  process.exitCode = current ? 0 : 1
} else {
  rmSync(folder, { recursive: true, force: true })
  renameSync(join(here, made), folder)
  console.log(`Wrote packages/storage/migrations/${initial}.`)
}
