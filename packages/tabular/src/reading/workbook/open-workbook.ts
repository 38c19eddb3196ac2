/** A sheet of a workbook as a table: chooses it, finds its header, and leaves hidden columns out. */
import type { Choice, Note, ReadOptions } from '../options.ts'
import { Batch, type Row, realOf, type Table } from '../table.ts'
import { errorAt, shown } from '../table-error.ts'
import type {
  CellTrouble,
  ColumnFacts,
  SheetFacts,
  SheetName,
  SheetRow,
  StartWorkbook,
  WorkbookFormat,
  WorkbookProcess,
} from './requests.ts'
import { headerOf, type SheetHeader } from './sheet-header.ts'

/** @throws TableError for a workbook without values, and for cells whose values are errors or not in the file */
export async function openWorkbook(
  file: string,
  format: WorkbookFormat,
  options: ReadOptions,
  start: StartWorkbook,
): Promise<Table> {
  const process = start()
  try {
    const sheets = await process.ask<SheetName[]>({ do: 'sheets', format })
    const { sheet, notes } = chosenSheet(file, sheets, options.table)
    const facts = await process.ask<SheetFacts>({ do: 'scan', sheet })
    const { name } = sheets[sheet]!
    const table = tableOf(`${file}, ${name}`, format, { process, facts, options })
    const detected = { ...table.detected, table: sheets.length > 1 ? name : undefined }
    return { ...table, detected, notes: [...notes, ...table.notes] }
  } catch (error) {
    process.close()
    throw error
  }
}

/** The chosen sheet, or the first that is not hidden; if there are several, the user is asked. */
function chosenSheet(
  file: string,
  sheets: readonly SheetName[],
  wanted: string | undefined,
): { readonly sheet: number; readonly notes: Note[] } {
  const visible = sheets.filter(({ isHidden }) => !isHidden)
  const hidden = sheets.filter(({ isHidden }) => isHidden)
  const readSheet = ({ name, isHidden }: SheetName): Choice => ({
    label: `Read the ${isHidden ? 'hidden ' : ''}sheet ${name}`,
    options: { table: name },
  })
  const choices = [...visible, ...hidden].map(readSheet)
  const names = (some: readonly SheetName[]) => some.map(({ name }) => shown(name)).join(', ')
  const note = (sentence: string, isUncertain: boolean, others: readonly Choice[]): Note => ({
    ...{ option: 'table', sentence, isUncertain, choices: others },
  })
  if (wanted !== undefined) {
    const sheet = sheets.findIndex(({ name }) => name === wanted)
    const sentence = `There is no sheet ${shown(wanted)}. The sheets are: ${names(sheets)}.`
    if (sheet < 0) throw errorAt(file, sentence, {}, 'row', choices)
    if (sheets.length === 1) return { sheet, notes: [] }
    const { isHidden } = sheets[sheet]!
    const others = choices.filter(({ options }) => options.table !== wanted)
    const said = `The ${isHidden ? 'hidden ' : ''}sheet ${shown(wanted)} is read, one of ${sheets.length}.`
    return { sheet, notes: [note(said, false, [readSheet(sheets[sheet]!), ...others])] }
  }
  const [first] = visible
  if (first === undefined) {
    const none = sheets.length === 0 ? 'The workbook has no sheet of cells.' : 'All sheets are hidden.'
    throw errorAt(file, none, {}, 'row', choices)
  }
  const sheet = sheets.indexOf(first)
  if (visible.length > 1) {
    const also = hidden.length === 0 ? '' : ` Hidden sheets are: ${names(hidden)}.`
    const sentence = `The workbook has ${visible.length} sheets: ${names(visible)}.${also} Each is a type of records; ${shown(first.name)} is read.`
    return { sheet, notes: [note(sentence, true, choices)] }
  }
  if (hidden.length === 0) return { sheet, notes: [] }
  const sentence = `Hidden sheets are not read: ${names(hidden)}.`
  return { sheet, notes: [note(sentence, false, choices)] }
}

interface OpenSheet {
  readonly process: WorkbookProcess
  readonly facts: SheetFacts
  readonly options: ReadOptions
}

function tableOf(name: string, format: WorkbookFormat, { process, facts, options }: OpenSheet): Table {
  const filled = facts.columns.flatMap((column, place) => (column.isEmpty ? [] : [{ ...column, place }]))
  const kept = filled.filter(({ isHidden }) => options.hidden === true || !isHidden)
  if (kept.length === 0) throw errorAt(name, 'The sheet has no values in columns that are not hidden.')
  refuseTrouble(name, kept, options)
  const places = kept.map(({ place }) => place)
  const found = headerOf(name, facts, places, options)
  return {
    name,
    format,
    unit: 'row',
    isText: false,
    columns: found.columns,
    detected: { format, header: found.header, skip: found.skip, hidden: options.hidden },
    notes: [...found.notes, ...hiddenNotes(filled, facts, options, (place) => nameAt(facts, found, place))],
    async *batches() {
      await process.ask({ do: 'read' })
      const batch = new Batch()
      for (;;) {
        const rows = await process.ask<SheetRow[]>({ do: 'next' })
        for (const { line, values } of rows) {
          const row: Row = { line, values: places.map((place) => recordValue(values[place])) }
          if (line <= found.lastHeaderLine || row.values.every((value) => value === undefined)) continue
          const characters = values.reduce<number>((sum, one) => sum + String(one ?? '').length, 0)
          if (batch.add(row, characters)) yield batch.take()
        }
        if (rows.length === 0) break
      }
      const rest = batch.take()
      if (rest.length > 0) yield rest
    },
    close: async () => process.close(),
  }
}

/** Workbooks keep all numbers as doubles, so a whole one may be a count: other than in Parquet it is an integer. */
const recordValue = (value: SheetRow['values'][number]): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? realOf(value) : value

/** Name of a column that may be hidden, and so has none in the table. */
function nameAt(
  { head, columns }: SheetFacts,
  { lastHeaderLine: line, header }: SheetHeader,
  place: number,
): string {
  const text = header ? head.find((row) => row.line === line)?.values[place] : undefined
  const { letters } = columns[place]!
  return text === undefined ? letters : `${letters} (${String(text)})`
}

type FilledColumn = ColumnFacts & { readonly place: number }

function hiddenNotes(
  columns: readonly FilledColumn[],
  { hiddenRows }: SheetFacts,
  { hidden: isRead }: ReadOptions,
  nameOf: (place: number) => string,
): Note[] {
  const names = columns.filter(({ isHidden }) => isHidden).map(({ place }) => nameOf(place))
  const listed = `${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
  const [column, them] = names.length === 1 ? ['column is', 'it'] : ['columns are', 'them']
  const out: Choice = { label: 'Leave hidden columns out', options: { hidden: false } }
  const read: Choice = { label: 'Read hidden columns, too', options: { hidden: true } }
  const notes: Note[] = []
  if (names.length > 0)
    notes.push({
      option: 'hidden',
      sentence:
        isRead === true
          ? `Hidden ${column} read, too: ${listed}. Leave ${them} out, or make ${them} private, if not everyone may read ${them}.`
          : `Hidden ${column} left out: ${listed}.`,
      isUncertain: false,
      choices: isRead === true ? [read, out] : [out, read],
    })
  if (hiddenRows > 0) {
    const rows = hiddenRows === 1 ? '1 row is hidden' : `${hiddenRows} rows are hidden`
    const sentence = `${rows}, perhaps by a filter, and read like the others. Delete secret rows in the file.`
    notes.push({ option: 'hidden', sentence, isUncertain: false, choices: [] })
  }
  return notes
}

/** @throws TableError for errors that do not mean missing, and for formulas without values */
function refuseTrouble(name: string, columns: readonly FilledColumn[], { missing = [] }: ReadOptions): void {
  const text = ({ count, first }: CellTrouble) => {
    const more = count - first.length
    return `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  }
  const unvalued = columns.flatMap(({ unvalued: one }) => (one.count > 0 ? [text(one)] : []))
  if (unvalued.length > 0) {
    const sentence = `Formulas have no values in the file: ${unvalued.slice(0, 5).join(', ')}. Open the workbook in a spreadsheet program, which calculates them, and save it.`
    throw errorAt(name, sentence, {}, 'row')
  }
  const errors = columns.flatMap(({ errors: all }) =>
    Object.entries(all).filter(([error]) => !missing.includes(error)),
  )
  if (errors.length === 0) return
  const marks = [...new Set(errors.map(([error]) => error))]
  const named = errors.slice(0, 5).map(([error, one]) => `${error} in ${text(one)}`)
  const sentence = `Cells have errors instead of values: ${named.join('; ')}. Correct them, or treat ${marks.join(' and ')} as missing.`
  const label = `Treat ${marks.join(' and ')} as missing`
  throw errorAt(name, sentence, {}, 'row', [{ label, options: { missing: [...missing, ...marks] } }])
}
