/**
 * Reads a file of variables as systemd's EnvironmentFile does (systemd.exec(5)), since the server starts with that reading, and names the
 * lines that `node --env-file`, by which commands run, reads differently.
 */
import { parseEnv } from 'node:util'
import { readSettingFile } from '@ulmus/registry'
import { ConfigError, type Environment, givenIn } from '../variables/variables.ts'

interface Assignment {
  readonly line: number
  readonly name: string
  readonly value: string
}

const blank = /[ \t\r\n]+/y
/** Begins a line. Within a line, `#` and `;` are parts of the value. */
const comment = /[#;][^\r\n]*/y
/** With the `=` after the first character, if there is one: a line without it is ignored. */
const key = /[^\r\n][^=\r\n]*=?/y
const space = /[ \t]*/y
const singleQuoted = /'([^']*)'?/y
const doubleQuoted = /"((?:\\[\s\S]|[^"\\])*)\\?"?/y
/** To the end of the line, where a backslash continues it. The group is without the spaces at the end. */
const bare = /((?:\\(?:[\s\S]|$)|[^\\\r\n])*?)[ \t]*(?=[\r\n]|$)/y

/** Text that `pattern` matches at a place, which moves behind it. */
class Scanner {
  private place = 0
  private readonly text: string
  constructor(text: string) {
    this.text = text
  }
  next(pattern: RegExp, group = 0): string | undefined {
    pattern.lastIndex = this.place
    const found = pattern.exec(this.text)
    if (found === null || found[0] === '') return undefined
    this.place += found[0].length
    return found[group]
  }
  get isAtEnd(): boolean {
    return this.place >= this.text.length
  }
  /** From 1. */
  get line(): number {
    return this.text.slice(0, this.place).split('\n').length
  }
}

/** All lines with `=`, also those that systemd ignores because of their name. */
function assignmentsOf(text: string): Assignment[] {
  const scanner = new Scanner(text)
  const found: Assignment[] = []
  while (!scanner.isAtEnd) {
    if (scanner.next(blank) !== undefined || scanner.next(comment) !== undefined) continue
    const { line } = scanner
    const name = scanner.next(key) ?? ''
    if (name.length > 1 && name.endsWith('='))
      found.push({ line, name: name.slice(0, -1).trim(), value: valueAt(scanner) })
  }
  return found
}

/** Quoted parts follow each other; the first character without quotes begins the last part. */
function valueAt(scanner: Scanner): string {
  let value = ''
  for (;;) {
    scanner.next(space)
    const single = scanner.next(singleQuoted, 1)
    const double = single === undefined ? scanner.next(doubleQuoted, 1) : undefined
    if (single === undefined && double === undefined) break
    value += single ?? double!.replace(/\\([\s\S])/g, (pair, one: string) => unescaped(pair, one))
  }
  const rest = scanner.next(bare, 1) ?? ''
  return value + rest.replace(/\\([\s\S]?)/g, (_, one: string) => (/[\r\n]/.test(one) ? '' : one))
}

const unescaped = (pair: string, one: string): string =>
  one === '\n' ? '' : '"\\`$'.includes(one) ? one : pair

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The variables that a unit with this EnvironmentFile gets: the last one of each name. */
export const readEnvFile = (text: string): Environment =>
  Object.fromEntries(
    assignmentsOf(text)
      .filter(({ name }) => variableName.test(name))
      .map(({ name, value }) => [name, value]),
  )

/** @throws ConfigError if the file cannot be read */
export function settingsOf(file: string): { variables: Environment; differences: string[] } {
  const fault = (what: string) => new ConfigError(`The file of settings is ${file}, ${what}`)
  const text = readSettingFile(file, fault).toString()
  return { variables: readEnvFile(text), differences: envFileDifferences(text) }
}

/** A sentence for each variable that systemd and `node --env-file` read differently. No sentence repeats a value, which may be a secret. */
export function envFileDifferences(text: string): string[] {
  const assignments = assignmentsOf(text)
  const systemd = readEnvFile(text)
  const node: Environment = parseEnv(text)
  const names = Object.keys({ ...systemd, ...node }).filter((name) => variableName.test(name))
  return names
    .filter((name) => givenIn(systemd, name) !== givenIn(node, name))
    .map((name) => {
      const last = assignments.findLast((one) => one.name.replace(/^export\s+/, '') === name)
      const line = last?.line ?? lineOf(text, name)
      return { line, sentence: `Line ${line}: ${differenceOf(name, last?.name, systemd[name], node[name])}` }
    })
    .sort((a, b) => a.line - b.line)
    .map(({ sentence }) => sentence)
}

/** Of the last line that names a variable, for those that only Node finds, such as in a value of several lines. */
const lineOf = (text: string, name: string): number =>
  text.split('\n').findLastIndex((line) => new RegExp(`(?:^|\\s)${name}\\s*=`).test(line)) + 1

function differenceOf(
  name: string,
  written: string | undefined,
  systemd: string | undefined,
  node: string | undefined,
): string {
  if (written !== undefined && written !== name)
    return `systemd ignores ${name} because of \`export\`, and \`node --env-file\` reads it. Remove \`export\`.`
  const isComment =
    systemd !== undefined &&
    node !== undefined &&
    systemd.startsWith(node) &&
    /^\s*#/.test(systemd.slice(node.length))
  return isComment
    ? `# in ${name} belongs to the value for systemd, and begins a comment for \`node --env-file\`. Write the comment on a line of its own, or put double quotes around the value if the # belongs to it.`
    : `systemd and \`node --env-file\` read ${name} differently. Put the value on one line, in single quotes.`
}
