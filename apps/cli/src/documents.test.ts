/** docs/cli.md, docs/commands.md and the overview name exactly the existing commands and flags; completions propose them. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command, RouteMap } from '@stricli/core'
import { expect, test } from 'vitest'
import { generated } from '../generate-commands.ts'
import { applicationOf } from './application.ts'
import { words } from './command-table.ts'
import { writeCompletions } from './completions.ts'
import { overview } from './overview.ts'
import { exitCodes } from './terminal/exit-codes.ts'

const page = ['cli', 'commands']
  .map((name) => readFileSync(join(import.meta.dirname, `../../../docs/${name}.md`), 'utf8'))
  .join('\n')

interface Named {
  readonly name: string
  readonly flags: readonly string[]
}

function commandsIn(target: Command<never> | RouteMap<never>, path: readonly string[] = []): Named[] {
  if (!('getAllEntries' in target)) {
    const { flags = {} } = (target as Command<never>).parameters
    const names = Object.keys(flags).map((name) =>
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    )
    return [{ name: path.join(' '), flags: names }]
  }
  const map = target as RouteMap<never>
  const below = map
    .getAllEntries()
    .flatMap(({ name, target: one }) => commandsIn(one, [...path, name.original]))
  const byItself = map.getDefaultCommand?.()
  return byItself === undefined ? below : [...commandsIn(byItself, path), ...below]
}

const loaded = await Promise.all(Object.keys(words).map((word) => applicationOf(word)))
const commands = loaded.flatMap(({ root }) => commandsIn(root as never))

test.each(commands)('`ulmus $name` is documented, with its flags', ({ name, flags }) => {
  expect(page).toMatch(new RegExp(`\`ulmus ${name}[\` ]`))
  for (const flag of flags) expect(page, `--${flag} of ${name}`).toMatch(new RegExp(`--(?:no-)?${flag}\\b`))
})

test('nothing is documented that there is not', () => {
  const written = [...page.matchAll(/`ulmus ((?:[a-z]+ ?)+)/g)].map(([, words]) => words!.trim())
  expect(written.length).toBeGreaterThan(20)
  const known = (words: string) =>
    commands.some(({ name }) => `${words.replace(/^help /, '')} `.startsWith(`${name} `))
  expect(written.filter((words) => !known(words))).toEqual([])
  const flags = new Set(commands.flatMap((command) => command.flags))
  const named = [...page.matchAll(/`[^`\n]*?--(?:no-)?([a-z-]+)/g)].map(([, flag]) => flag!)
  expect(named.filter((flag) => !flags.has(flag) && !['help', 'global'].includes(flag))).toEqual([])
})

test('the table of commands and the tables of docs/commands.md are up to date', async () => {
  const stale = (await generated()).filter(({ now, wanted }) => now !== wanted).map(({ file }) => file)
  expect(stale, 'Run `npm run commands`.').toEqual([])
})

test('a command loads only its own word; other words load the names of all, for errors', async () => {
  const namesOf = async (word: string) =>
    ((await applicationOf(word)).root as RouteMap<never>).getAllEntries().map(({ name }) => name.original)
  expect(await namesOf('push')).toEqual(['push'])
  expect(await namesOf('pus')).toEqual(expect.arrayContaining(['push', 'orgs']))
  expect(await namesOf('constructor')).toEqual(await namesOf(''))
})

test('`ulmus --help` loads no package and no command', () => {
  const packages: string[] = []
  const files = new Set(['main.ts'])
  for (const file of files) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8')
    for (const [, target = ''] of source.matchAll(/^(?:import|export) (?!type )[^'\n]*from '([^']+)'/gm))
      if (target.startsWith('.')) files.add(join(dirname(file), target))
      else if (!target.startsWith('node:')) packages.push(`${file}: ${target}`)
  }
  expect(files).toContain(join('terminal', 'terminal.ts'))
  expect(packages).toEqual([])
  expect([...files].filter((file) => file.startsWith('commands'))).toEqual([])
})

test('the overview names every command', () => {
  const words = new Set(overview().split(/[\s,]+/))
  const roots = new Set(commands.map(({ name }) => name.split(' ')[0]!))
  expect([...roots].filter((name) => !words.has(name))).toEqual([])
})

test.each([
  [[''], ['withdraw', 'deprecate', 'audit', 'usage', 'invitations', 'orgs']],
  [
    ['orgs', ''],
    ['invite', 'invitations', 'uninvite', 'settings'],
  ],
  [
    ['orgs', 'settings', 'atlas', '--default-visibility', ''],
    ['private', 'public'],
  ],
  [
    ['invitations', ''],
    ['list', 'accept', 'decline'],
  ],
  [['collections', 't'], ['transfer']],
  [
    ['webhooks', ''],
    ['list', 'add', 'test', 'deliveries'],
  ],
])('the shells complete %j', async (words, expected) => {
  const lines: string[] = []
  const terminal = { write: async (line: string) => void lines.push(line) }
  await writeCompletions(words, terminal as never)
  expect(lines.map((line) => line.split('\t')[0])).toEqual(expect.arrayContaining(expected))
})

test('every exit code is in the table', () => {
  for (const code of Object.values(exitCodes)) expect(page).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'))
})
