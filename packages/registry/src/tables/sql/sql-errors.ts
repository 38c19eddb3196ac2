/** Errors of DuckDB about a statement, in the words of the other refusals. Unknown messages stay as they are. */
import { namesHint } from '@ulmus/content'

/** Names that a statement may use. */
export interface SqlNames {
  readonly tables: readonly string[]
  /** Columns of the tables that it uses. */
  readonly columns: readonly string[]
}

type Rule = readonly [pattern: RegExp, sentence: (parts: readonly string[], names: SqlNames) => string]

/** The first that matches. The part of the message that a pattern covers is replaced. */
const rules: readonly Rule[] = [
  [
    /^Binder Error: Referenced (?:column|table) "(.*?)" not found(?: in FROM clause)?!\n(?:Candidate (?:bindings|tables): .*)?/,
    ([name = ''], { columns }) =>
      `There is no column ${JSON.stringify(name)}. ${namesHint(name, columns, 'columns')}${
        /[^\w.]/.test(name) ? ' A text is in single quotes.' : ''
      }`,
  ],
  [
    /^Binder Error: Table "(.*?)" does not have a column named "(.*?)"\n+(?:Candidate bindings: .*)?/,
    ([table = '', name = ''], { columns }) =>
      `The table ${JSON.stringify(table)} has no column ${JSON.stringify(name)}. ${namesHint(name, columns, 'columns')}`,
  ],
  [
    /^Catalog Error: Table with name (.*?) does not exist!\n(?:Did you mean .*)?/,
    ([name = ''], { tables }) =>
      `There is no table ${JSON.stringify(name)}. ${namesHint(name, tables, 'tables')}`,
  ],
  [
    /^Catalog Error: (?:Scalar|Aggregate|Table|Macro)? ?Function with name (.*?) does not exist!/,
    ([name = '']) => `There is no function ${JSON.stringify(name)}.`,
  ],
  [
    /^Binder Error: column "(.*?)" must appear in the GROUP BY clause.*\n.*/,
    ([name = '']) =>
      `The column ${JSON.stringify(name)} is neither grouped nor aggregated. Add it to GROUP BY, or write any_value(${name}).`,
  ],
  [
    /^Binder Error: Ambiguous reference to column name "(.*?)" \(use: (.*?)\)/,
    ([name = '', written = '']) => `Several tables have a column ${JSON.stringify(name)}. Write ${written}.`,
  ],
  [
    /^Binder Error: No function matches the given name and argument types '(.*?)'.*(?:\n\s.*)*/,
    ([call = '']) => `There is no ${call}. Convert its values, as in CAST(… AS DOUBLE).`,
  ],
  [
    /^Parser Error: syntax error at or near "(.*?)"/,
    ([near = '']) => `The statement is wrong at ${JSON.stringify(near)}, or just before it.`,
  ],
  [/^Parser Error: syntax error at end of input/, () => 'The statement ends too early.'],
]

/** @param message of DuckDB: a sentence, then perhaps the line of the statement with a mark below it */
export function plainSqlError(message: string, names: SqlNames): string {
  for (const [pattern, sentence] of rules) {
    const found = pattern.exec(message)
    if (found === null) continue
    const rest = message.slice(found[0].length).replace(/^\n+/, '')
    return `${sentence(found.slice(1), names)}${rest === '' ? '' : `\n\n${rest}`}`
  }
  return message
}
