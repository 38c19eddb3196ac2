/** Detects the dialect of a CSV or TSV file from the beginning of its text: delimiter, quotes, comments, lines above the header. */
import { DelimitedParser, type Dialect, type Line } from './delimited-parser.ts'
import type { Choice, Note, Quotes, ReadOptions } from './options.ts'
import { rowCharactersMax } from './table.ts'
import { shown } from './table-error.ts'

export interface DetectedDialect {
  readonly dialect: Required<Dialect>
  /** Lines of the sample after the first `dialect.skip`. */
  readonly lines: readonly Line[]
  readonly notes: readonly Note[]
}

export const delimiters = [
  { delimiter: ',', called: 'commas' },
  { delimiter: ';', called: 'semicolons' },
  { delimiter: '\t', called: 'tabs' },
  { delimiter: '|', called: 'pipes' },
] as const

/** Maximum of lines at the top that may be a title. */
const titleLinesMax = 20

interface Attempt {
  readonly dialect: Required<Dialect>
  readonly lines: readonly Line[]
  /** Most frequent number of values per line. */
  readonly width: number
  /** Agreement of the lines, from 0 to 1. 0: one value per line, or unreadable. */
  readonly score: number
  /** Every line has the same number of values, even if it is one. */
  readonly isEven: boolean
}

/** @param own usual delimiter of the format @param isCut whether the text continues after the sample */
export function detectDialect(
  text: string,
  isCut: boolean,
  own: string,
  given: ReadOptions,
): DetectedDialect {
  const named = given.delimiter === undefined && given.skip === undefined ? namedDelimiter(text) : undefined
  const delimiter = given.delimiter ?? named
  const skip = given.skip ?? (named === undefined ? 0 : 1)
  const { comment, above } =
    given.comment === undefined ? commentIn(text, skip) : { comment: given.comment, above: 0 }
  const tried = delimiter === undefined ? delimiters.map((one) => one.delimiter) : [delimiter]
  const attempts = tried.map((one) =>
    attemptQuotes(text, isCut, { delimiter: one, quotes: given.quotes, comment, skip }),
  )
  const preferred = attempts.find((one) => one.dialect.delimiter === own)
  const best = attempts.reduce((a, b) => (rank(b, own) > rank(a, own) ? b : a))
  const found = best.score >= 0.6 || preferred === undefined ? best : preferred
  const titles = given.skip === undefined && named === undefined ? above || titleLines(found) : 0
  const dialect = { ...found.dialect, skip: skip + titles }
  const lines = found.lines.filter(({ line }) => line > dialect.skip)
  return { dialect, lines, notes: notesOf(found, dialect, { own, given, named }) }
}

const rank = ({ score, dialect, width }: Attempt, own: string): number =>
  score + (dialect.delimiter === own ? 0.05 : 0) + width / 1e6

/** `sep=;` in the first line: a hint for Excel, not part of the table. */
const namedDelimiter = (text: string): string | undefined => /^"?sep=([^\r\n])"?\r?\n/i.exec(text)?.[1]

/** Maximum of lines searched for the end of comments at the top. */
const commentLinesMax = 200

/** `#`, if the first lines begin with it. The last of them may be the header, if it is at least as wide as the next line: `#chrom`. */
function commentIn(text: string, skip: number): { comment: string; above: number } {
  const lines = text.split(/\r\n|\n|\r/, skip + commentLinesMax).slice(skip)
  if (!lines.find((line) => line !== '')?.startsWith('#')) return { comment: '', above: 0 }
  const first = lines.findIndex((line) => line !== '' && !line.startsWith('#'))
  const last = lines.slice(0, Math.max(first, 0)).findLastIndex((line) => line !== '')
  const isHeader = delimiters.some(({ delimiter }) => {
    const width = lines[first]?.split(delimiter).length ?? 0
    // Lines may lack values at their end.
    return width > 1 && (lines[last]?.split(delimiter).length ?? 0) >= width
  })
  return isHeader ? { comment: '', above: last } : { comment: '#', above: 0 }
}

function attemptQuotes(text: string, isCut: boolean, dialect: Dialect): Attempt {
  if (dialect.quotes !== undefined) return attempt(text, isCut, dialect)
  const { delimiter = ',' } = dialect
  const plain = attempt(text, isCut, { ...dialect, quotes: 'doubled' })
  const others: Quotes[] = []
  // Look outside of quotes only: a quoted text may contain the same.
  if (text.replace(/"[^"]*"/g, '""').includes(`${delimiter} "`)) others.push('spaced')
  // A table of one column has score 0, but nothing that other quotes would explain.
  if (!plain.isEven && text.includes('\\"')) others.push('backslash')
  if (!plain.isEven && plain.score === 0 && delimiter === '\t') others.push('none')
  return others
    .map((quotes) => attempt(text, isCut, { ...dialect, quotes }))
    .reduce(
      (a, b) =>
        b.score > a.score || (b.dialect.quotes === 'spaced' && b.score >= a.score && b.score > 0) ? b : a,
      plain,
    )
}

function attempt(text: string, isCut: boolean, given: Dialect): Attempt {
  const { delimiter = ',', quotes = 'doubled', comment = '', skip = 0 } = given
  const dialect = { delimiter, quotes, comment, skip }
  const parser = new DelimitedParser(dialect, rowCharactersMax)
  const lines = parser.push(text)
  if (!isCut) lines.push(...parser.end())
  const widths = lines.filter((line) => !isBlank(line)).map(({ values }) => values.length)
  const width = mostFrequent(widths)
  if (parser.fault !== undefined) return { dialect, lines, width, score: 0, isEven: false }
  const share = widths.filter((one) => one === width).length / widths.length
  const isEven = share === 1
  if (width < 2) return { dialect, lines, width, score: 0, isEven }
  return { dialect, lines, width, score: widths[0] === width ? share : share * 0.8, isEven }
}

/** The most frequent number; of several, the largest. */
function mostFrequent(numbers: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const one of numbers) counts.set(one, (counts.get(one) ?? 0) + 1)
  const [most = [0]] = [...counts].sort(([a, times], [b, timesOfB]) => timesOfB - times || b - a)
  return most[0]
}

/** True if a line of a table with several columns has only delimiters, or only spaces. */
export const isBlank = ({ values }: Line): boolean =>
  values.every((value) => value === undefined) || (values.length === 1 && values[0]?.trim() === '')

const filled = ({ values }: Line): number =>
  values.filter((value) => value !== undefined && value.trim() !== '').length

/** Number of the last line above the header, or 0, after the skipped ones. */
function titleLines({ lines, dialect }: Attempt): number {
  const titles = titleRows(lines)
  return titles === 0 ? 0 : lines[titles]!.line - 1 - dialect.skip
}

/**
 * Number of rows above the header: with one value and no delimiter, or with fewer than half as many values as most rows have, if these
 * have at least three.
 */
export function titleRows(lines: readonly Line[]): number {
  const most = mostFrequent(lines.map(filled).filter((count) => count > 0))
  if (most < 2) return 0
  // With two columns, `,value` may be a header with an unnamed index.
  const isTitle = (line: Line) =>
    line.values.length === 1 || filled(line) === 0 || (most > 2 && filled(line) < Math.max(2, most / 2))
  const header = lines.findIndex((line) => !isTitle(line))
  return header < 1 || header > titleLinesMax || header + 1 === lines.length ? 0 : header
}

interface Reasons {
  readonly own: string
  readonly given: ReadOptions
  readonly named: string | undefined
}

function notesOf(
  { dialect: found, lines }: Attempt,
  dialect: Required<Dialect>,
  { own, given, named }: Reasons,
): Note[] {
  const notes: Note[] = []
  const { delimiter, quotes, comment, skip } = dialect
  const called = (one: string) => delimiters.find((known) => known.delimiter === one)?.called ?? shown(one)
  const note = (option: keyof ReadOptions, sentence: string, choices: readonly Choice[]) =>
    notes.push({ option, sentence, isUncertain: false, choices })
  if (given.delimiter === undefined && (delimiter !== own || named !== undefined)) {
    const first = { delimiter, called: called(delimiter) }
    const choices = [first, ...delimiters.filter((one) => one.delimiter !== delimiter)].map((one) => ({
      label: `Separate values by ${one.called}`,
      options: { delimiter: one.delimiter },
    }))
    const why = named === undefined ? '' : ', as its first line says'
    note('delimiter', `The values are separated by ${called(delimiter)}${why}.`, choices)
  }
  if (given.quotes === undefined && quotes !== 'doubled')
    note('quotes', quotesSentences[quotes], [
      { label: quotesLabels[quotes], options: { quotes } },
      { label: quotesLabels.doubled, options: { quotes: 'doubled' } },
    ])
  if (given.comment === undefined && comment !== '')
    note('comment', `Lines that begin with ${comment} are comments and are not read.`, [
      { label: `Pass over lines that begin with ${comment}`, options: { comment } },
      { label: 'Read all lines', options: { comment: '' } },
    ])
  if (skip > found.skip) notes.push(titleNote(found, lines, skip))
  return notes
}

/** A line above the header may be the name of a single column whose values contain the delimiter, so ask the user. */
function titleNote(found: Required<Dialect>, lines: readonly Line[], skip: number): Note {
  const titles = lines.filter(({ line }) => line <= skip)
  const above = titles.flatMap(({ values }) =>
    values.filter((value) => value !== undefined && value.trim() !== ''),
  )
  const isUncertain = skip === found.skip + 1 && titles[0]?.values.length === 1
  const which = skip === 1 ? 'Line 1 is' : `Lines 1 to ${skip} are`
  const what = above.length === 0 ? 'empty' : shown(above.join(' '))
  const pass = `Pass over ${skip === 1 ? 'the first line' : `the first ${skip} lines`}`
  const other: Choice = isUncertain
    ? { label: 'Read each line as one value', options: { delimiter: found.delimiter === '\t' ? ',' : '\t' } }
    : { label: 'Read all lines', options: { skip: 0 } }
  const choices = [{ label: pass, options: { skip } }, other]
  const sentence = isUncertain
    ? `Line ${skip} may be a title above the header: ${what}.`
    : `${which} above the header and not read: ${what}.`
  return { option: 'skip', sentence, isUncertain, choices }
}

const quotesLabels: Readonly<Record<Quotes, string>> = {
  doubled: 'Read quotes as CSV does',
  backslash: 'Read a backslash and a quote as a quote',
  spaced: 'Ignore spaces around values',
  none: 'Read quotes as characters',
}

const quotesSentences: Readonly<Record<Quotes, string>> = {
  doubled: '',
  backslash: 'A quote inside quotes is written with a backslash.',
  spaced: 'Spaces around values are not part of them.',
  none: 'Quotes are characters of the values.',
}
