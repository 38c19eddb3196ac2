/** Opens a file for import with the options of the flags, and asks the user about uncertain readings. */
import { basename } from 'node:path'
import {
  type Choice,
  type Note,
  openAsBefore,
  type Quotes,
  type ReadOptions,
  type RememberedTable,
  type Table,
  TableError,
} from '@ulmus/tabular'
import { openFile, tablesOf } from '@ulmus/tabular/node'
import type { Call } from '../../context.ts'
import { askOneOf } from '../../terminal/ask.ts'
import { usageError } from '../../terminal/failure.ts'
import { harmless } from '../../terminal/harmless.ts'
import { shellWord } from '../../terminal/shell-word.ts'

export type ReadFlags = {
  readonly leaveOut?: readonly string[]
  readonly missing?: readonly string[]
  readonly delimiter?: string
  readonly header?: boolean
  readonly skip?: number
  readonly comment?: string
  readonly skipUnits?: boolean
  readonly skipFooter?: boolean
  readonly anew: boolean
  readonly quotes?: string
  readonly encoding?: string
  readonly renameDuplicates: boolean
  readonly records?: string
  readonly table?: string
  readonly hidden?: boolean
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
  const { table, hidden, leaveOut, missing, header, skip, comment, encoding, records, delimiter, quotes } =
    flags
  const style = quoteStyles.find((one) => one === quotes)
  if (quotes !== undefined && style === undefined)
    throw usageError(`--quotes ${quotes}: use one of ${quoteStyles.join(', ')}.`)
  return {
    table,
    hidden,
    leaveOut,
    ...missingOf(missing),
    header,
    skip,
    skipUnits: flags.skipUnits,
    skipFooter: flags.skipFooter,
    asBefore: flags.anew ? false : undefined,
    comment,
    encoding,
    records,
    delimiter: delimiterNames.get(delimiter ?? '') ?? delimiter,
    quotes: style,
    sameNames: flags.renameDuplicates ? 'number' : undefined,
  }
}

/** `NA` means missing in all columns, `rank=NA` in `rank`, `rank=` no value there. A mark with `=` has one more before it: `==`. */
function missingOf(given: readonly string[] = []): Pick<ReadOptions, 'missing' | 'missingIn'> {
  const missing: string[] = []
  const missingIn = new Map<string, string[]>()
  for (const text of given) {
    const cut = text.startsWith('=') ? 0 : text.lastIndexOf('=')
    if (cut < 1) missing.push(cut === 0 && text !== '=' ? text.slice(1) : text)
    else {
      const [column, mark] = [text.slice(0, cut), text.slice(cut + 1)]
      missingIn.set(column, [...(missingIn.get(column) ?? []), ...(mark === '' ? [] : [mark])])
    }
  }
  return {
    ...(missing.length > 0 && { missing }),
    ...(missingIn.size > 0 && { missingIn: Object.fromEntries(missingIn) }),
  }
}

/** @throws TableError, and CommandError if a reading is uncertain and the user cannot be asked */
export async function openTable(
  call: Call,
  flags: ReadFlags,
  path: string,
  types: readonly { readonly type: string; readonly schema: unknown }[],
): Promise<RememberedTable> {
  let options = optionsOf(flags)
  const canAsk = call.terminal.canAsk && !flags.yes
  // The file is opened several times, and the user is asked once.
  let chosen: ReadOptions = {}
  const open = (all: ReadOptions) =>
    openChosen(call, flags, path, { ...all, ...chosen }, (choice) => {
      chosen = choice
    })
  const answered = new Set<string>()
  for (;;) {
    const opened = await openAsBefore(open, options, types)
    const { table } = opened
    const question = table.notes.find(({ isUncertain, option }) => isUncertain && !answered.has(option))
    if (question === undefined) return opened
    await table.close()
    const { sentence, choices, option } = question
    if (!canAsk) throw usageError([`${basename(path)}: ${sentence}`, ...ways(choices)].join(' '))
    const label = await askOneOf(
      sentence,
      choices.map((choice) => choice.label),
    )
    options = { ...options, ...choices.find((choice) => choice.label === label)!.options }
    // The reading may raise another question, such as the header of the chosen sheet.
    answered.add(option)
  }
}

/** Table of a file; of several, the named or chosen one. */
async function openChosen(
  call: Call,
  flags: ReadFlags,
  path: string,
  options: ReadOptions,
  onChoice: (options: ReadOptions) => void,
): Promise<Table> {
  const { signal } = call.terminal
  try {
    return await openFile(path, { ...options, signal })
  } catch (error) {
    if (!(error instanceof TableError) || !call.terminal.canAsk || flags.yes) throw error
    const chosen = await askWay(path, flags, error, signal)
    onChoice(chosen)
    return openFile(path, { ...options, ...chosen, signal })
  }
}

/** Asks for one of the ways that the error offers, or for a table. @throws the error if there are none */
async function askWay(
  path: string,
  flags: ReadFlags,
  error: TableError,
  signal: AbortSignal,
): Promise<ReadOptions> {
  const { choices } = error
  if (choices.length > 1) {
    const label = await askOneOf(
      error.message,
      choices.map((choice) => choice.label),
    )
    return choices.find((choice) => choice.label === label)!.options
  }
  if (flags.table !== undefined) throw error
  return { table: await askTable(path, error, signal) }
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
export const notesIn = (notes: readonly Note[]): string[] =>
  notes
    .filter(({ isUncertain }) => !isUncertain)
    .map(({ sentence, choices: [, other] }) => {
      const flag = other === undefined ? '' : ` Otherwise: ${flagOf(other.options)}`
      return harmless(`${sentence}${flag}`)
    })

/** Choices as flags: `Read the first row as data: --no-header.` */
export function ways(choices: readonly Choice[]): string[] {
  const encodings = choices.flatMap(({ options: { encoding } }) => encoding ?? [])
  if (encodings.length > 1) return [`Add --encoding, likeliest first: ${encodings.join(', ')}.`]
  return choices.slice(0, 10).map(({ label, options }) => `${label}: ${flagOf(options)}.`)
}

function flagOf(options: ReadOptions): string {
  const { table, hidden, delimiter, header, skip, comment, quotes, encoding } = options
  const { sameNames, records, missing, leaveOut } = options
  if (table !== undefined) return `--table ${shellWord(table)}`
  if (hidden !== undefined) return hidden ? '--hidden' : '--no-hidden'
  if (delimiter !== undefined) return `--delimiter ${delimiter === '\t' ? 'tab' : shellWord(delimiter)}`
  if (header !== undefined) return header ? '--header' : '--no-header'
  if (skip !== undefined) return `--skip ${skip}`
  if (options.skipUnits !== undefined) return options.skipUnits ? '--skip-units' : '--no-skip-units'
  if (options.skipFooter !== undefined) return options.skipFooter ? '--skip-footer' : '--no-skip-footer'
  if (options.asBefore !== undefined) return '--anew'
  if (comment !== undefined) return `--comment ${shellWord(comment)}`
  if (quotes !== undefined) return `--quotes ${shellWord(quotes)}`
  if (encoding !== undefined) return `--encoding ${shellWord(encoding)}`
  if (sameNames !== undefined) return '--rename-duplicates'
  if (records !== undefined) return `--records ${shellWord(records)}`
  if (leaveOut !== undefined) return leaveOut.map((name) => `--leave-out ${shellWord(name)}`).join(' ')
  return missingFlags(missing ?? [])
}

/** `--missing rank=NA --missing 'rank=\\N'`; without a column: in all of them. */
export const missingFlags = (values: readonly unknown[], column?: string): string =>
  values
    .map((value) => {
      const mark = typeof value === 'string' ? value : JSON.stringify(value)
      return `--missing ${shellWord(harmless(column === undefined ? mark.replace(/^(?=.*=)/s, '=') : `${column}=${mark}`))}`
    })
    .join(' ')
