/** ODS: OpenDocument 1.3, part 3, 9. Cells have their values beside the shown text. */

import type { OpenStream } from '../streamed-source.ts'
import { columnsMax } from '../table.ts'
import { sheetBytesMax } from './bounds.ts'
import { isoMoment, isoTime } from './moments.ts'
import type { SheetName } from './requests.ts'
import type { CellContent, RowEvent, SheetEvent } from './sheet-events.ts'
import type { FindPart } from './xlsx.ts'
import { GrowingText, parsedXml, type XmlHandler } from './xml-part.ts'

type Attributes = Readonly<Record<string, string>>

export class Ods {
  readonly sheets: readonly SheetName[]
  readonly #open: OpenStream

  private constructor(sheets: readonly SheetName[], open: OpenStream) {
    this.sheets = sheets
    this.#open = open
  }

  static async open(find: FindPart): Promise<Ods> {
    const mimetype = await textOf(find('mimetype'))
    const open = find('content.xml')
    if (open === undefined || !mimetype.startsWith('application/vnd.oasis.opendocument.spreadsheet'))
      throw new Error('it is an OpenDocument, but no workbook')
    const handler = new OdsHandler(-1)
    for await (const _ of parsedXml(open(), handler, sheetBytesMax)) handler.take()
    return new Ods(handler.sheets, open)
  }

  async *eventsOf(sheet: number): AsyncGenerator<SheetEvent, void> {
    const handler = new OdsHandler(sheet)
    for await (const _ of parsedXml(this.#open(), handler, sheetBytesMax)) {
      yield* handler.take()
      if (handler.sheets.length > sheet + 1) return
    }
  }
}

async function textOf(open: OpenStream | undefined): Promise<string> {
  if (open === undefined) return ''
  const reader = open().getReader()
  const { value } = await reader.read()
  await reader.cancel().catch(() => undefined)
  return new TextDecoder().decode(value)
}

const repeatsIn = (attributes: Attributes, name: string): number => {
  const repeats = Number(attributes[name] ?? 1)
  return Number.isSafeInteger(repeats) && repeats > 0 ? repeats : 1
}

/** LibreOffice writes errors as texts, and marks only newer ones. */
const errorText = /^(?:#(?:N\/A|REF!|DIV\/0!|VALUE!|NAME\?|NUM!|NULL!)|Err:\d+)$/

/** Elements in a cell whose text is not the cell's. */
const besides: ReadonlySet<string> = new Set(['annotation', 'frame', 'shapes', 'detective', 'ruby-text', 'g'])

interface OpenCell {
  readonly attributes: Attributes
  readonly isCovered: boolean
}

class OdsHandler implements XmlHandler {
  readonly sheets: SheetName[] = []
  readonly #wanted: number
  readonly #path: string[] = []
  readonly #hiddenStyles = new Set<string>()
  #style = ''
  #events: SheetEvent[] = []
  #line = 1
  #column = 0
  #tableColumn = 0
  #row: Attributes = {}
  #cells: RowEvent['cells'][number][] = []
  #cell: OpenCell | undefined
  #beside = 0
  #paragraphs = 0
  readonly #text = new GrowingText()

  constructor(wanted: number) {
    this.#wanted = wanted
  }

  take(): SheetEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  get #isWanted(): boolean {
    return this.sheets.length - 1 === this.#wanted
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1)
    this.#path.push(name)
    if (this.#cell !== undefined) this.#openInCell(name, attributes)
    else this.#openOutside(name, attributes, parent)
  }

  #openOutside(name: string, attributes: Attributes, parent: string | undefined): void {
    if (name === 'style') this.#style = attributes['style:name'] ?? ''
    if (name === 'table-properties' && attributes['table:display'] === 'false')
      this.#hiddenStyles.add(this.#style)
    if (name === 'table' && parent === 'spreadsheet') this.#openTable(attributes)
    else if (!this.#isWanted) return
    else if (name === 'table-column') this.#seeColumn(attributes)
    else if (name === 'table-row') {
      this.#row = attributes
      this.#column = 0
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.#cell = { attributes, isCovered: name === 'covered-table-cell' }
      this.#paragraphs = 0
      this.#beside = 0
    }
  }

  #openTable(attributes: Attributes): void {
    const name = attributes['table:name'] ?? ''
    const style = attributes['table:style-name'] ?? ''
    this.sheets.push({ name, isHidden: this.#hiddenStyles.has(style) })
    this.#line = 1
    this.#tableColumn = 0
  }

  #seeColumn(attributes: Attributes): void {
    const repeats = repeatsIn(attributes, 'table:number-columns-repeated')
    const first = this.#tableColumn
    this.#tableColumn += repeats
    if (isHidden(attributes)) this.#events.push({ hidden: { first, last: first + repeats - 1 } })
  }

  #openInCell(name: string, attributes: Attributes): void {
    if (besides.has(name)) this.#beside++
    if (this.#beside > 0) return
    if (name === 'p' && this.#paragraphs++ > 0) this.#text.add('\n')
    if (name === 's') this.#text.add(' '.repeat(Math.min(repeatsIn(attributes, 'text:c'), 1_000)))
    if (name === 'tab') this.#text.add('\t')
    if (name === 'line-break') this.#text.add('\n')
  }

  text(piece: string): void {
    if (this.#cell === undefined || this.#beside > 0 || this.#paragraphs === 0) return
    // Blanks around the paragraphs are of the XML.
    if (this.#path.includes('p')) this.#text.add(piece.replace(/[\t\r\n ]+/g, ' '))
  }

  close(name: string): void {
    this.#path.pop()
    if (this.#cell === undefined) {
      if (name === 'table-row' && this.#isWanted) this.#closeRow()
      return
    }
    if (name === 'table-cell' || name === 'covered-table-cell') this.#closeCell(this.#cell)
    else if (besides.has(name)) this.#beside--
  }

  #closeCell({ attributes, isCovered }: OpenCell): void {
    this.#cell = undefined
    const repeats = repeatsIn(attributes, 'table:number-columns-repeated')
    const column = this.#column
    this.#column += repeats
    const text = this.#text.take()
    if (isCovered) return
    const [columns, rows] = ['columns', 'rows'].map((of) =>
      repeatsIn(attributes, `table:number-${of}-spanned`),
    )
    if (columns! > 1 || rows! > 1) {
      const [bottom, right] = [this.#line + rows! - 1, column + columns! - 1]
      this.#events.push({ merged: { top: this.#line, bottom, left: column, right } })
    }
    const content = contentOf(attributes, text)
    if (content === undefined || content === '') return
    if (column + repeats > columnsMax)
      throw new Error(`it has values in ${column + repeats} columns; at most ${columnsMax} can be read`)
    this.#cells.push({ column, repeats, content })
  }

  #closeRow(): void {
    const repeats = repeatsIn(this.#row, 'table:number-rows-repeated')
    const row = { line: this.#line, repeats, isHidden: isHidden(this.#row), cells: this.#cells }
    if (this.#cells.length > 0) this.#events.push({ row })
    this.#cells = []
    this.#line += repeats
  }
}

/** `collapse`: by hand; `filter`: by a filter. */
const isHidden = (attributes: Attributes): boolean =>
  (attributes['table:visibility'] ?? 'visible') !== 'visible'

function contentOf(attributes: Attributes, text: string): CellContent | undefined {
  const hasFormula = attributes['table:formula'] !== undefined
  const type = attributes['office:value-type'] ?? ''
  if (attributes['calcext:value-type'] === 'error' || (hasFormula && errorText.test(text)))
    return { error: text === '' ? '#VALUE!' : text }
  switch (type) {
    case 'float':
    case 'currency':
    case 'percentage': {
      const number = Number(attributes['office:value'])
      if (Number.isNaN(number)) throw new Error(`a cell has the number "${attributes['office:value']}"`)
      return number
    }
    case 'boolean':
      return attributes['office:boolean-value'] === 'true'
    case 'date': {
      const value = attributes['office:date-value'] ?? ''
      return isoMoment(value) ?? value
    }
    case 'time': {
      const value = attributes['office:time-value'] ?? ''
      return isoTime(value) ?? value
    }
    case 'string':
      return attributes['office:string-value'] ?? text
    default:
      return hasFormula && text === '' ? 'no value' : text
  }
}
