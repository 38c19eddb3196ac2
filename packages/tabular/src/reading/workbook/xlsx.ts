/** XLSX, also of other programs than Excel: ECMA-376, part 1, 18. */
import type { OpenStream } from '../streamed-source.ts'
import { partBytesMax, sheetBytesMax } from './bounds.ts'
import { builtInFormat, formatOfCode, isoMoment, type MomentFormat, momentOf } from './moments.ts'
import type { MergedCell, SheetName } from './requests.ts'
import { type CellContent, columnOf, type RowEvent, type SheetEvent } from './sheet-events.ts'
import { GrowingText, parsedXml, type XmlHandler } from './xml-part.ts'

/** Finds a part by its path; undefined: there is none. */
export type FindPart = (path: string) => OpenStream | undefined

type Attributes = Readonly<Record<string, string>>

const nothing = () => undefined
const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true'

export class Xlsx {
  readonly sheets: readonly (SheetName & { readonly open: OpenStream })[]
  readonly #texts: readonly string[]
  readonly #formats: readonly MomentFormat[]
  readonly #is1904: boolean

  private constructor(
    sheets: Xlsx['sheets'],
    texts: readonly string[],
    formats: readonly MomentFormat[],
    is1904: boolean,
  ) {
    this.sheets = sheets
    this.#texts = texts
    this.#formats = formats
    this.#is1904 = is1904
  }

  static async open(find: FindPart): Promise<Xlsx> {
    const main = (await relations(find, '')).find(({ type }) => type === 'officeDocument')?.target
    const path = main ?? 'xl/workbook.xml'
    const related = await relations(find, path)
    const listed: (SheetName & { readonly id: string })[] = []
    let is1904 = false
    await readPart(find(path), {
      open(name, attributes) {
        if (name === 'workbookPr') is1904 = isTrue(attributes['date1904'])
        if (name !== 'sheet') return
        const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? ''
        const state = attributes['state'] ?? 'visible'
        listed.push({ name: attributes['name'] ?? '', isHidden: state !== 'visible', id })
      },
      close: nothing,
      text: nothing,
    })
    const sheets = listed.flatMap(({ id, ...sheet }) => {
      // Charts are sheets, too.
      const found = related.find((one) => one.id === id && one.type === 'worksheet')
      const open = found && find(found.target)
      return open === undefined ? [] : [{ ...sheet, open }]
    })
    const partOf = (type: string) => find(related.find((one) => one.type === type)?.target ?? '')
    const texts = await readTexts(partOf('sharedStrings'))
    return new Xlsx(sheets, texts, await readFormats(partOf('styles')), is1904)
  }

  async *eventsOf(sheet: number): AsyncGenerator<SheetEvent, void> {
    const handler = new SheetHandler((type, style, text, hasFormula) =>
      this.#contentOf(type, style, text, hasFormula),
    )
    for await (const _ of parsedXml(this.sheets[sheet]!.open(), handler, sheetBytesMax)) yield* handler.take()
  }

  #contentOf(type: string, style: number, text: string, hasFormula: boolean): CellContent | undefined {
    if (type === 's') {
      const shared = this.#texts[Number(text)]
      if (text !== '' && shared === undefined) throw new Error(`there is no text ${text} for a cell`)
      return text === '' ? undefined : shared
    }
    if (type === 'str' || type === 'inlineStr') return unescaped(text)
    if (text === '') return hasFormula ? 'no value' : undefined
    if (type === 'b') return isTrue(text)
    if (type === 'e') return { error: text }
    if (type === 'd') return isoMoment(text) ?? text
    const number = Number(text)
    if (Number.isNaN(number)) throw new Error(`a cell has the number "${text.slice(0, 40)}"`)
    return momentOf(number, this.#formats[style], this.#is1904) ?? number
  }
}

/** Characters that XML cannot have are written `_x000D_`. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text

async function readPart(open: OpenStream | undefined, handler: XmlHandler): Promise<void> {
  if (open === undefined) throw new Error('a part is missing')
  for await (const _ of parsedXml(open(), handler, partBytesMax)) void _
}

interface Relation {
  readonly id: string
  /** Last word of its address: strict and transitional files have other addresses. */
  readonly type: string
  /** Path in the archive. */
  readonly target: string
}

/** @param path of the part whose relations are read; the empty text for the package */
async function relations(find: FindPart, path: string): Promise<Relation[]> {
  const cut = path.lastIndexOf('/') + 1
  const part = find(`${path.slice(0, cut)}_rels/${path.slice(cut)}.rels`)
  const found: Relation[] = []
  if (part === undefined) return found
  await readPart(part, {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship') return
      const { pathname } = new URL(target, `http://x/${path}`)
      found.push({
        id,
        type: type.slice(type.lastIndexOf('/') + 1),
        target: decodeURIComponent(pathname).slice(1),
      })
    },
    close: nothing,
    text: nothing,
  })
  return found
}

/** Texts of cells by number. Hints to the pronunciation (`rPh`) are no part of them. */
async function readTexts(part: OpenStream | undefined): Promise<string[]> {
  const texts: string[] = []
  if (part === undefined) return texts
  const text = new GrowingText()
  let isText = false
  let hints = 0
  await readPart(part, {
    open(name) {
      if (name === 'rPh') hints++
      isText = name === 't' && hints === 0
    },
    close(name) {
      if (name === 'rPh') hints--
      isText = false
      if (name === 'si') texts.push(unescaped(text.take()))
    },
    text(piece) {
      if (isText) text.add(piece)
    },
  })
  return texts
}

/** By the style of a cell. */
async function readFormats(part: OpenStream | undefined): Promise<MomentFormat[]> {
  const formats: MomentFormat[] = []
  if (part === undefined) return formats
  const own = new Map<number, MomentFormat>()
  let isCell = false
  await readPart(part, {
    open(name, attributes) {
      const id = Number(attributes['numFmtId'] ?? 0)
      if (name === 'numFmt') own.set(id, formatOfCode(attributes['formatCode'] ?? ''))
      if (name === 'cellXfs') isCell = true
      if (name === 'xf' && isCell) formats.push(own.has(id) ? own.get(id) : builtInFormat(id))
    },
    close(name) {
      if (name === 'cellXfs') isCell = false
    },
    text: nothing,
  })
  return formats
}

type ContentOf = (type: string, style: number, text: string, hasFormula: boolean) => CellContent | undefined

class SheetHandler implements XmlHandler {
  readonly #contentOf: ContentOf
  #events: SheetEvent[] = []
  #line = 0
  #column = -1
  #isHidden = false
  #cells: RowEvent['cells'][number][] = []
  #type = 'n'
  #style = 0
  #hasFormula = false
  readonly #text = new GrowingText()
  #isText = false
  #hints = 0

  constructor(contentOf: ContentOf) {
    this.#contentOf = contentOf
  }

  take(): SheetEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  open(name: string, attributes: Attributes): void {
    switch (name) {
      case 'row':
        this.#line = Number(attributes['r'] ?? this.#line + 1)
        this.#column = -1
        this.#isHidden = isTrue(attributes['hidden'])
        break
      case 'c':
        this.#openCell(attributes)
        break
      case 'f':
        this.#hasFormula = true
        break
      case 'v':
        this.#isText = true
        break
      case 'rPh':
        this.#hints++
        break
      case 't':
        this.#isText = this.#hints === 0
        break
      case 'col':
        if (isTrue(attributes['hidden']))
          this.#events.push({
            hidden: { first: Number(attributes['min']) - 1, last: Number(attributes['max']) - 1 },
          })
        break
      case 'mergeCell':
        this.#events.push({ merged: areaOf(attributes['ref'] ?? '') })
        break
    }
  }

  #openCell({ r, t = 'n', s = '0' }: Attributes): void {
    const letters = /^[A-Z]+/.exec(r ?? '')?.[0]
    this.#column = letters === undefined ? this.#column + 1 : columnOf(letters)
    this.#type = t
    this.#style = Number(s)
    this.#hasFormula = false
    this.#text.take()
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isText = false
    if (name === 'rPh') this.#hints--
    if (name === 'c') {
      const content = this.#contentOf(this.#type, this.#style, this.#text.take(), this.#hasFormula)
      if (content !== undefined && content !== '')
        this.#cells.push({ column: this.#column, repeats: 1, content })
    }
    if (name !== 'row') return
    const row = { line: this.#line, repeats: 1, isHidden: this.#isHidden, cells: this.#cells }
    if (this.#cells.length > 0) this.#events.push({ row })
    this.#cells = []
  }

  text(piece: string): void {
    if (this.#isText) this.#text.add(piece)
  }
}

/** @param ref `A1:C2` */
function areaOf(ref: string): MergedCell {
  const found = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/.exec(ref)
  if (found === null) throw new Error(`"${ref.slice(0, 40)}" is no area of cells`)
  const [, left = '', top = '', right = left, bottom = top] = found
  return { top: Number(top), bottom: Number(bottom), left: columnOf(left), right: columnOf(right) }
}
