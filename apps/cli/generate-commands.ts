/** Writes src/command-table.ts and the tables of docs/commands.md from the declarations in src/commands: `npm run commands`. A test compares both. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DeclaredCommand, groups, type Noun, type Word } from './src/command.ts'

const source = join(import.meta.dirname, 'src')
const tableFile = join(source, 'command-table.ts')
const pageFile = join(import.meta.dirname, '../../docs/commands.md')

interface Declared extends Word {
  readonly name: string
  readonly section: string
  /** Module, from src. */
  readonly file: string
}

/** The words of all nouns, in the order of `ulmus --help`. */
async function declaredWords(): Promise<Declared[]> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => `./${file.replaceAll('\\', '/')}`)
    .filter((file) => file.startsWith('./commands/') && file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => readFileSync(join(source, file), 'utf8').includes('\nexport default noun('))
  const words = await Promise.all(
    files.map(async (file) => {
      const { default: noun } = (await import(join(source, file))) as { default: Noun }
      return Object.entries(noun.words).map(([name, word]) => ({
        ...word,
        name,
        file,
        section: noun.section,
      }))
    }),
  )
  return words.flat().sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group) || a.place - b.place)
}

const quoted = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

/** Source of src/command-table.ts, formatted as biome formats it. */
function tableOf(words: readonly Declared[]): string {
  const entries = words.map(({ name, file, group, line, command }) =>
    [
      `  ${name}: {`,
      `    load: () => import('${file}'),`,
      `    brief: ${quoted(command.brief)},`,
      `    group: '${group}',`,
      ...(line === undefined ? [] : [`    line: [${line.map(quoted).join(', ')}],`]),
      '  },',
    ].join('\n'),
  )
  return `/** Generated from the declarations in commands/ by \`npm run commands\`. \`ulmus --help\` and completions read it without loading commands. */
import type { Noun, Word } from ${quoted('./command.ts')}

interface Entry extends Pick<Word, 'group' | 'line'> {
  readonly brief: string
  readonly load: () => Promise<{ readonly default: Noun }>
}

/** The first words of command lines. */
export const words: Readonly<Record<string, Entry>> = {
${entries.join('\n')}
}
`
}

/** Replaces the tables of the page; text between them stays. */
function pageOf(page: string, words: readonly Declared[]): string {
  const rows = words.flatMap(({ name, section, command }) => rowsOf(name, section, command))
  const parts = page.split(/^(?=## )/m).map((part) => {
    const title = /^## (.*)$/m.exec(part)?.[1]
    const own = rows.filter((row) => row.section === title).map((row) => row.text)
    return own.length === 0
      ? part
      : part.replace(/^\| \| \|\n\|---\|---\|\n(?:\|.*\n)*/m, () => head + own.join(''))
  })
  const missing = rows.find(({ text }) => !parts.some((part) => part.includes(text)))
  if (missing !== undefined)
    throw new Error(
      `docs/commands.md has no table below \`## ${missing.section}\`. Add the heading and an empty table.`,
    )
  return parts.join('')
}

const head = '| | |\n|---|---|\n'

interface Row {
  /** Heading above its table. */
  readonly section: string
  /** Markdown, with its line feed. */
  readonly text: string
}

function rowsOf(path: string, section: string, target: Word['command']): Row[] {
  if (!('getAllEntries' in target)) return [rowOf(path, section, target)]
  const byItself = target.getDefaultCommand()
  return target.getAllEntries().map(({ name, target: one }) => {
    const full = `${path} ${name.original}`
    return one === byItself
      ? rowOf(path, section, one as DeclaredCommand, `; \`ulmus ${full}\` does the same`)
      : rowOf(full, section, one as DeclaredCommand)
  })
}

function rowOf(path: string, section: string, { brief, parameters, about }: DeclaredCommand, more = ''): Row {
  const words = [brief, about.description?.replaceAll('\n\n', ' ').replace(/\.$/, '')]
  const flags = Object.entries(parameters.flags ?? {}).filter(([name]) => !commonFlags.has(name))
  const derived = [words.filter(Boolean).join('. '), ...flags.map(([name, flag]) => flagText(name, flag!))]
  const cells = [
    `\`${['ulmus', path, ...argumentsOf(parameters.positional)].join(' ')}\``,
    (about.page ?? derived.join('; ')) + more,
  ]
  return {
    section: about.section ?? section,
    text: `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`,
  }
}

/** Explained once, above the tables. */
const commonFlags = new Set(['json', 'quiet', 'host'])

type Parameters = DeclaredCommand['parameters']

/** `--role owner|admin|member` role of the member (default: member) */
function flagText(name: string, flag: NonNullable<Parameters['flags']>[string]): string {
  const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const value = flag.kind === 'enum' ? flag.values.join('|') : flag.kind === 'parsed' ? flag.placeholder : ''
  const preset = 'default' in flag && typeof flag.default === 'string' ? ` (default: ${flag.default})` : ''
  const brief = flag.brief.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
  return `\`${`--${kebab} ${value}`.trim()}\` ${brief}${preset}`
}

function argumentsOf(positional: Parameters['positional']): string[] {
  if (positional === undefined) return []
  if (positional.kind === 'array') return [`${argumentText(positional.parameter.placeholder)}…`]
  return positional.parameters.map(({ placeholder, optional }) =>
    optional ? `[${placeholder}]` : argumentText(placeholder),
  )
}

const argumentText = (placeholder = ''): string =>
  placeholder.includes(' ') ? `<${placeholder}>` : placeholder

/** The generated files: their text now, and as it should be. */
export async function generated(): Promise<{ file: string; now: string; wanted: string }[]> {
  const words = await declaredWords()
  const page = readFileSync(pageFile, 'utf8')
  return [
    { file: tableFile, now: readFileSync(tableFile, 'utf8'), wanted: tableOf(words) },
    { file: pageFile, now: page, wanted: pageOf(page, words) },
  ]
}

if (import.meta.main) for (const { file, wanted } of await generated()) writeFileSync(file, wanted)
