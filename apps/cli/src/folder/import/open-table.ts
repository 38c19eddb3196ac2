/** Opens a file for import with the options of the flags, and asks the user about uncertain readings. */
import { basename } from 'node:path'
import { type Choice, type Quotes, type ReadOptions, type Table, TableError } from '@ulmus/tabular'
import { openFile, tablesOf } from '@ulmus/tabular/node'
import type { Call } from '../../context.ts'
import { askOneOf } from '../../terminal/ask.ts'
import { usageError } from '../../terminal/failure.ts'
import { harmless } from '../../terminal/harmless.ts'
import { shellWord } from '../../terminal/shell-word.ts'

export type ReadFlags = {
  readonly missing?: readonly string[]
  readonly delimiter?: string
  readonly header?: boolean
  readonly skip?: number
  readonly comment?: string
  readonly quotes?: string
  readonly encoding?: string
  readonly renameDuplicates: boolean
  readonly records?: string
  readonly table?: string
  readonly yes: boolean
}

const delimiterNames = new Map([
  ['tab', '\t'],
  ['\\t', '\t'],
  ['comma', ','],
  ['semicolon', ';'],
  ['pipe', '|'],
])
const quoteStyles: readonly Quotes[] = ['doubled', 'backslash', 'spaced', 'none']

function optionsOf(flags: ReadFlags): ReadOptions {
  const { missing, header, skip, comment, encoding, records, delimiter, quotes } = flags
  const style = quoteStyles.find((one) => one === quotes)
  if (quotes !== undefined && style === undefined)
    throw usageError(`--quotes ${quotes}: use one of ${quoteStyles.join(', ')}.`)
  return {
    missing,
    header,
    skip,
    comment,
    encoding,
    records,
    delimiter: delimiterNames.get(delimiter ?? '') ?? delimiter,
    quotes: style,
    sameNames: flags.renameDuplicates ? 'number' : undefined,
  }
}

/** @throws TableError, and CommandError if a reading is uncertain and the user cannot be asked */
export async function openTable(call: Call, flags: ReadFlags, path: string): Promise<Table> {
  let options = optionsOf(flags)
  const canAsk = call.terminal.canAsk && !flags.yes
  const table = await openChosen(call, flags, path, options)
  const questions = table.notes.filter(({ isUncertain }) => isUncertain)
  if (questions.length === 0) return table
  await table.close()
  for (const { sentence, choices } of questions) {
    if (!canAsk) throw usageError([`${basename(path)}: ${sentence}`, ...ways(choices)].join(' '))
    const label = await askOneOf(
      sentence,
      choices.map((choice) => choice.label),
    )
    options = { ...options, ...choices.find((choice) => choice.label === label)!.options }
  }
  return openFile(path, { ...options, table: flags.table, signal: call.terminal.signal })
}

/** Table of a file; for a SQLite file with several tables, the named or chosen one. */
async function openChosen(call: Call, flags: ReadFlags, path: string, options: ReadOptions): Promise<Table> {
  const { signal } = call.terminal
  try {
    return await openFile(path, { ...options, table: flags.table, signal })
  } catch (error) {
    if (!(error instanceof TableError) || !call.terminal.canAsk || flags.yes) throw error
    const { choices } = error
    if (choices.length > 1) {
      const label = await askOneOf(
        error.message,
        choices.map((choice) => choice.label),
      )
      const { options: chosen } = choices.find((choice) => choice.label === label)!
      return openFile(path, { ...options, ...chosen, table: flags.table, signal })
    }
    if (flags.table !== undefined) throw error
    return openFile(path, { ...options, table: await askTable(path, error, signal), signal })
  }
}

const viewLabel = ' (a view: runs a query of the file)'

/** @throws the error if the file has no tables to choose from */
async function askTable(path: string, error: TableError, signal: AbortSignal): Promise<string> {
  const { tables, views } = await tablesOf(path, signal).catch(() => {
    throw error
  })
  const labels = [...tables, ...views.map((view) => `${view}${viewLabel}`)]
  if (labels.length === 0) throw error
  const label = await askOneOf('Which table?', labels)
  return tables.includes(label) ? label : label.slice(0, -viewLabel.length)
}

/** Notes on the reading of a file, each with the flag for an alternative. */
export const notesIn = (table: Table): string[] =>
  table.notes
    .filter(({ isUncertain }) => !isUncertain)
    .map(({ sentence, choices: [, other] }) => {
      const flag = other === undefined ? '' : ` Otherwise: ${flagOf(other.options)}`
      return harmless(`${sentence}${flag}`)
    })

/** Choices as flags: `Read the first row as data: --no-header.` */
export const ways = (choices: readonly Choice[]): string[] =>
  choices.slice(0, 10).map(({ label, options }) => `${label}: ${flagOf(options)}.`)

function flagOf(options: ReadOptions): string {
  const { delimiter, header, skip, comment, quotes, encoding, sameNames, records, missing } = options
  if (delimiter !== undefined) return `--delimiter ${delimiter === '\t' ? 'tab' : shellWord(delimiter)}`
  if (header !== undefined) return header ? '--header' : '--no-header'
  if (skip !== undefined) return `--skip ${skip}`
  if (comment !== undefined) return `--comment ${shellWord(comment)}`
  if (quotes !== undefined) return `--quotes ${shellWord(quotes)}`
  if (encoding !== undefined) return `--encoding ${shellWord(encoding)}`
  if (sameNames !== undefined) return '--rename-duplicates'
  if (records !== undefined) return `--records ${shellWord(records)}`
  return missingFlags(missing ?? [])
}

/** `--missing NA --missing '\\N'` */
export const missingFlags = (values: readonly unknown[]): string =>
  values
    .map(
      (value) =>
        `--missing ${shellWord(typeof value === 'string' ? harmless(value) : JSON.stringify(value))}`,
    )
    .join(' ')
