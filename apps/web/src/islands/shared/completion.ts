/** Names of tables and columns that complete the word before the caret in a statement of SQL. */

/** A table and its columns. */
export type TableNames = readonly [table: string, columns: readonly string[]]

export interface Completion {
  readonly name: string
  /** What takes the place of the word: the name, in quotation marks if it needs them. */
  readonly text: string
  /** `table`, or the tables of a column. */
  readonly of: string
}

export interface Completions {
  /** Where the word begins. */
  readonly start: number
  readonly found: readonly Completion[]
}

const completionsMax = 8

const ended = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*\n|\/\*[\s\S]*?\*\//g
const word = String.raw`[\p{L}_][\p{L}\p{N}_]*`
/** A word, or a name whose quotation mark has no end yet. */
const begun = new RegExp(`(?:"(?<quoted>(?:[^"]|"")*)|(?<word>${word}))$`, 'u')
const qualifier = new RegExp(String.raw`(?:"((?:[^"]|"")*)"|(${word}))\.$`, 'u')

/** @param caret end of the word. Nothing completes a text in quotation marks or a comment. */
export function completionsAt(statement: string, caret: number, tables: readonly TableNames[]): Completions {
  const before = statement.slice(0, caret)
  const open = before.replace(ended, ' ')
  const none = { start: caret, found: [] }
  const match = begun.exec(open)
  const { quoted, word: typed } = match?.groups ?? {}
  // A name in quotation marks may have an apostrophe or a dash.
  const outside = quoted === undefined ? open : open.slice(0, match!.index)
  if (/'|--|\/\*/.test(outside)) return none
  const start = caret - (match?.[0].length ?? 0)
  const [, quotedTable, plainTable] = qualifier.exec(before.slice(0, start)) ?? []
  const table = quotedTable?.replaceAll('""', '"') ?? plainTable
  const search = (quoted?.replaceAll('""', '"') ?? typed ?? '').toLowerCase()
  if (search === '' && table === undefined) return none
  const names = table === undefined ? [] : columnsOf(tables.filter(isMeant(statement, table)))
  const ordered = names.length > 0 ? names : inOrder(statement, before.slice(0, start), tables)
  const found = ranked(search, ordered).slice(0, completionsMax)
  return { start, found: found.map((one) => ({ ...one, text: textOf(one.name, quoted !== undefined) })) }
}

type Name = Omit<Completion, 'text'>

/** After FROM and JOIN tables come first, elsewhere columns, those of mentioned tables before all. */
function inOrder(statement: string, before: string, tables: readonly TableNames[]): Name[] {
  const text = statement.toLowerCase()
  const isMentioned = ([name]: TableNames) => text.includes(name.toLowerCase())
  const columns = [tables.filter(isMentioned), tables.filter((one) => !isMentioned(one))].flatMap(columnsOf)
  const named = tables.map(([name]): Name => ({ name, of: 'table' }))
  return /\b(?:from|join)\s+$/i.test(before) ? [...named, ...columns] : [...columns, ...named]
}

/** Columns by name: several tables may have the same. */
function columnsOf(tables: readonly TableNames[]): Name[] {
  const found = new Map<string, string[]>()
  for (const [table, columns] of tables)
    for (const column of columns) found.set(column, [...(found.get(column) ?? []), table])
  return Array.from(found, ([name, of]) => ({ name, of: of.join(', ') }))
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** True for the table that a word before a dot names, by its name or an alias. */
const isMeant =
  (statement: string, word: string) =>
  ([name]: TableNames): boolean =>
    same(name, word) || isAlias(statement, name, word)

/** True for `b` in `FROM "City" b` and `FROM City AS b`. */
function isAlias(statement: string, table: string, alias: string): boolean {
  const plain = (text: string) =>
    text.replace(/[^\p{L}\p{N}_]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
  const form = String.raw`(?:"${plain(table.replaceAll('"', '""'))}"|\b${plain(table)})\s+(?:as\s+)?"?${plain(alias)}(?![\p{L}\p{N}_])`
  return new RegExp(form, 'iu').test(statement)
}

/** Names that begin with the word, then those that contain it. */
function ranked(search: string, names: readonly Name[]): Name[] {
  const [first, rest]: [Name[], Name[]] = [[], []]
  const taken = new Set<string>()
  for (const one of names) {
    const at = one.name.toLowerCase().indexOf(search)
    const key = JSON.stringify([one.name, one.of === 'table'])
    if (at < 0 || taken.has(key)) continue
    taken.add(key)
    ;(at === 0 ? first : rest).push(one)
  }
  const all = [...first, ...rest]
  // The word is complete: a list would only be in the way.
  return all.length === 1 && all[0]!.name.toLowerCase() === search ? [] : all
}

const textOf = (name: string, isQuoted: boolean): string =>
  !isQuoted && /^[a-z_][a-z0-9_]*$/i.test(name) && !keywords.has(name.toLowerCase())
    ? name
    : `"${name.replaceAll('"', '""')}"`

/** `duckdb_keywords()` of DuckDB 1.5: those that are no name of a table or column without quotation marks. */
const keywords: ReadonlySet<string> = new Set(
  'all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast check collate collation column columns concurrently constraint create cross default deferrable desc describe distinct do else end except false fetch for foreign freeze from full generated glob group having ilike in initially inner intersect into is isnull join lambda lateral leading left like limit map natural not notnull null offset on only or order outer overlaps pivot pivot_longer pivot_wider placing positional primary qualify references returning right select semi show similar some struct summarize symmetric table tablesample then to trailing true try_cast union unique unpack unpivot using variadic verbose when where window with'.split(
    ' ',
  ),
)
