/** A workbook in the process or worker that reads it: answers the requests of its opener. */

import type { FileSource } from '../source.ts'
import { columnsMax, rowCharactersMax } from '../table.ts'
import { filesInZip } from '../zip.ts'
import { cellsMax, mergedMax, rowsMax } from './bounds.ts'
import { Ods } from './ods.ts'
import type {
  ColumnFacts,
  MergedCell,
  SheetFacts,
  SheetName,
  SheetRow,
  SheetValue,
  WorkbookFormat,
  WorkbookRequest,
} from './requests.ts'
import { type CellContent, lettersOf, type Moment, type RowEvent, type SheetEvent } from './sheet-events.ts'
import { Xlsx } from './xlsx.ts'

/** Rows by which the header is found. */
const headRows = 200
/** Maximum of rows and of characters in an answer. */
const answerRows = 512
const answerCharacters = 1024 ** 2
/** Addresses named of a kind of trouble. */
const namedMax = 5

interface SheetColumn {
  count: number
  hasTimes: boolean
  readonly errors: Map<string, { count: number; first: string[] }>
  readonly unvalued: { count: number; first: string[] }
}

export class Workbook {
  readonly #source: FileSource
  #reader: Xlsx | Ods | undefined
  #sheet = 0
  #columns: SheetColumn[] = []
  #merged: MergedCell[] = []
  #rows: AsyncGenerator<SheetRow, void> | undefined

  constructor(source: FileSource) {
    this.#source = source
  }

  async answer(request: WorkbookRequest): Promise<unknown> {
    switch (request.do) {
      case 'sheets':
        return this.#open(request.format)
      case 'scan':
        this.#sheet = request.sheet
        return this.#scan()
      case 'read':
        await this.#rows?.return()
        this.#rows = this.#readRows()
        return undefined
      case 'next':
        return this.#next()
    }
  }

  async #open(format: WorkbookFormat): Promise<SheetName[]> {
    const files = new Map((await filesInZip(this.#source)).map((file) => [file.name, file]))
    if ([...files.values()].some(({ isEncrypted }) => isEncrypted)) throw new Error('it has a password')
    const find = (path: string) => files.get(path)?.open
    this.#reader = format === 'xlsx' ? await Xlsx.open(find) : await Ods.open(find)
    return this.#reader.sheets.map(({ name, isHidden }) => ({ name, isHidden }))
  }

  async #scan(): Promise<SheetFacts> {
    this.#columns = []
    this.#merged = []
    const hidden: { first: number; last: number }[] = []
    const head: number[] = []
    let hiddenRows = 0
    let cells = 0
    let last = 0
    for await (const event of this.#events()) {
      if ('hidden' in event) hidden.push(event.hidden)
      if ('merged' in event && this.#merged.push(event.merged) > mergedMax)
        throw new Error(`the sheet has more than ${mergedMax} merged cells`)
      if (!('row' in event)) continue
      const { line, repeats, isHidden, cells: some } = event.row
      if (!(line > last)) throw new Error('its rows are not in order')
      last = line + repeats - 1
      if (last > rowsMax) throw new Error(`the sheet has more than ${rowsMax} rows`)
      for (const cell of some) {
        cells += cell.repeats * repeats
        if (cells > cellsMax) throw new Error(`the sheet has more than ${cellsMax} cells`)
        for (let nth = 0; nth < cell.repeats; nth++) this.#see(cell.column + nth, line, repeats, cell.content)
      }
      if (isHidden) hiddenRows += repeats
      for (let nth = 0; nth < repeats && head.length < headRows; nth++) head.push(line + nth)
    }
    this.#merged.sort((a, b) => a.top - b.top)
    const lastHead = head.at(-1) ?? 0
    return {
      head: await this.#headRows(head.length),
      merged: this.#merged.filter(({ top }) => top <= lastHead),
      columns: this.#columns.map(
        (column, place): ColumnFacts => ({
          letters: lettersOf(place),
          isHidden: hidden.some(({ first, last: end }) => first <= place && place <= end),
          isEmpty: column.count === 0,
          errors: Object.fromEntries(column.errors),
          unvalued: column.unvalued,
        }),
      ),
      hiddenRows,
    }
  }

  #events(): AsyncGenerator<SheetEvent, void> {
    return this.#reader!.eventsOf(this.#sheet)
  }

  #see(place: number, line: number, repeats: number, content: CellContent): void {
    if (!(place >= 0 && place < columnsMax))
      throw new Error(`row ${line} has a value beyond column ${columnsMax}, the last that can be read`)
    while (this.#columns.length <= place)
      this.#columns.push({ count: 0, hasTimes: false, errors: new Map(), unvalued: { count: 0, first: [] } })
    const column = this.#columns[place]!
    column.count += repeats
    const trouble = (one: { count: number; first: string[] }) => {
      one.count += repeats
      if (one.first.length < namedMax) one.first.push(`${lettersOf(place)}${line}`)
    }
    if (content === 'no value') trouble(column.unvalued)
    if (typeof content !== 'object') return
    if ('error' in content) {
      const known = column.errors.get(content.error) ?? { count: 0, first: [] }
      column.errors.set(content.error, known)
      trouble(known)
    } else if (content.day !== undefined) column.hasTimes ||= content.time !== midnight
  }

  async #headRows(count: number): Promise<SheetRow[]> {
    const rows: SheetRow[] = []
    if (count === 0) return rows
    for await (const row of this.#readRows()) if (rows.push(row) >= count) break
    return rows
  }

  /** Rows with a value. The cells that a merged cell covers lose their own values, which no program shows. */
  async *#readRows(): AsyncGenerator<SheetRow, void> {
    let next = 0
    let merged: { readonly area: MergedCell; value: SheetValue }[] = []
    for await (const event of this.#events()) {
      if (!('row' in event)) continue
      for (let nth = 0; nth < event.row.repeats; nth++) {
        const line = event.row.line + nth
        const values = this.#valuesOf(event.row)
        merged = merged.filter(({ area }) => area.bottom >= line)
        for (; next < this.#merged.length && this.#merged[next]!.top <= line; next++) {
          const area = this.#merged[next]!
          merged.push({ area, value: area.top === line ? values[area.left] : undefined })
        }
        for (const { area, value } of merged) {
          for (let place = area.left; place <= area.right && place < values.length; place++)
            values[place] = undefined
          if (value !== undefined) values[area.left] = value
        }
        if (values.some((value) => value !== undefined)) yield { line, values }
      }
    }
  }

  #valuesOf({ line, cells }: RowEvent): SheetValue[] {
    const values: SheetValue[] = []
    let characters = 0
    for (const { column, repeats, content } of cells) {
      const value = typeof content === 'object' ? this.#textOf(content, column) : content
      for (let place = column; place < column + repeats; place++) {
        while (values.length < place) values.push(undefined)
        values[place] = content === 'no value' ? undefined : value
        if (typeof value === 'string') characters += value.length
      }
    }
    if (characters > rowCharactersMax)
      throw new Error(`row ${line} has more than ${rowCharactersMax} characters; no record may be that long`)
    return values
  }

  /** In a column with any time of day, all moments have one. */
  #textOf(content: Moment | { readonly error: string }, column: number): string {
    if ('error' in content) return content.error
    const { day, time = midnight } = content
    if (day === undefined) return time
    return this.#columns[column]?.hasTimes === true ? `${day}T${time}` : day
  }

  async #next(): Promise<SheetRow[]> {
    const rows: SheetRow[] = []
    let characters = 0
    while (rows.length < answerRows && characters < answerCharacters) {
      const { value } = await this.#rows!.next()
      if (value === undefined) break
      rows.push(value)
      for (const one of value.values) characters += typeof one === 'string' ? one.length : 8
    }
    return rows
  }
}

const midnight = '00:00:00'
