/**
 * `npm run migrations -- NAME`: writes migrations from the tables and the functions (.sql) in src/sql. Before the first release, it
 * rewrites the one initial migration. After it (a folder in packages/registry/releases whose version CHANGELOG.md dates), released
 * migrations stay and a new one with this name is added: forward only.
 * Drizzle's generator knows no extensions and no functions; this script adds both to its output.
 * With `--check` it writes nothing and fails if the migrations do not match the tables.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { functionFiles, isIn, replaced, separator } from './function-files.ts'

const here = import.meta.dirname
const folder = join(here, 'migrations')
const made = `migrations.${process.pid}`
const changelog = readFileSync(join(here, '../../CHANGELOG.md'), 'utf8')
const isReleased = readdirSync(join(here, '../registry/releases'), { withFileTypes: true }).some(
  (entry) => entry.isDirectory() && changelog.includes(`\n## [${entry.name}] - 2`),
)

rmSync(join(here, made), { recursive: true, force: true })
const functions = functionFiles()
const name = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? 'next'
const read = (file: string) => readFileSync(file, 'utf8')
const changed = isReleased ? next() : initial()
if (!changed || process.argv.includes('--check')) {
  rmSync(join(here, made), { recursive: true })
  console.log(
    changed ? 'The tables have changed: run "npm run migrations".' : 'The migrations are up to date.',
  )
  process.exitCode = changed ? 1 : 0
} else {
  rmSync(folder, { recursive: true, force: true })
  renameSync(join(here, made), folder)
  console.log('Wrote packages/storage/migrations.')
}

/** In a terminal, drizzle-kit asks whether a column was renamed. Without one it fails with exit code 0 and a text on stderr. */
function generate(...more: string[]): void {
  const kit = join(here, '../../node_modules/drizzle-kit/bin.cjs')
  const canAsk = process.stdin.isTTY && process.stdout.isTTY
  const { status, stderr } = spawnSync(process.execPath, [kit, 'generate', ...more], {
    cwd: here,
    env: { ...process.env, MIGRATIONS_OUT: `./${made}` },
    stdio: canAsk ? ['inherit', 'inherit', 'pipe'] : ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (status === 0 && !/Error/.test(stderr)) return
  rmSync(join(here, made), { recursive: true, force: true })
  throw new Error(`drizzle-kit made no migration. Run this in a terminal if it has a question:\n${stderr}`)
}

/** @returns whether it differs from the one there is */
function initial(): boolean {
  const file = '0000_initial.sql'
  generate('--name', 'initial')
  const text = ['CREATE EXTENSION IF NOT EXISTS pg_trgm;\n', read(join(here, made, file)), ...functions].join(
    separator,
  )
  writeFileSync(join(here, made, file), text)
  const before = join(folder, file)
  return !existsSync(before) || read(before) !== text
}

/** Adds a migration to those there are. @returns whether there was anything to add */
function next(): boolean {
  cpSync(folder, join(here, made), { recursive: true })
  const migrations = () =>
    readdirSync(join(here, made))
      .filter((file) => file.endsWith('.sql'))
      .sort()
  const before = migrations()
  const all = before.map((file) => read(join(here, made, file))).join('')
  const newer = functions.filter((text) => !isIn(all, text))
  generate('--name', name)
  const ofTables = migrations().length > before.length
  if (!ofTables && newer.length === 0) return false
  if (!ofTables) generate('--custom', '--name', name)
  const added = join(here, made, migrations().find((file) => !before.includes(file))!)
  const parts = [ofTables ? read(added) : '-- The tables are as they were.\n', ...newer.map(replaced)]
  writeFileSync(added, parts.join(`\n${separator}`))
  return true
}
