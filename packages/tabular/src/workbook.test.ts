/** Workbooks of real programs, and hostile ones. `testing/workbooks/README.md` says how they were made. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inferTable, openTable, planOf, recordsOf, sourceOf, TableError, typeNameOf } from './index.ts'
import { type FileOptions, openFile } from './node.ts'
import { Workbook } from './reading/workbook/workbook.ts'
import { parsedXml } from './reading/workbook/xml-part.ts'

const folder = join(import.meta.dirname, 'testing', 'workbooks')
let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'workbook-'))
})
afterAll(() => rmSync(home, { recursive: true }))

async function read(path: string, options: FileOptions = {}) {
  const table = await openFile(path, options)
  try {
    const rows: unknown[][] = []
    for await (const batch of table.batches())
      for (const { line, values } of batch) rows.push([line, ...values.map((value) => value ?? null)])
    return { columns: table.columns, rows, notes: table.notes, detected: table.detected }
  } finally {
    await table.close()
  }
}
const refusal = async (path: string, options: FileOptions = {}) => {
  const refused = await read(path, options).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(TableError)
  return refused as TableError
}

describe('real files', () => {
  const own = (name: string, options?: FileOptions) => read(join(folder, name), options)

  test('days are days, times have no zone, and numbers are those that are stored', async () => {
    const { columns, rows } = await own('dates.xlsx')
    expect(columns).toEqual(['Town', 'Founded', 'Opens', 'Measured', 'People', 'Rate', 'Open'])
    expect(rows).toEqual([
      [2, 'Elmby', '1900-02-28', '09:30:00', '2026-01-31T10:30:00', 21, 0.125, true],
      [3, 'Ashford', '1900-03-01', '18:00:00', '2026-02-01T00:00:00', 1500, 1, false],
      [4, 'Oakham', null, null, null, 7, 46.5, null],
    ])
    // LibreOffice counts from another day before March 1900, and writes openpyxl's booleans as numbers.
    expect((await own('dates.ods')).rows[0]).toEqual([
      ...[2, 'Elmby', '1900-02-27', '09:30:00', '2026-01-31T10:30:00', 21, 0.125, 1],
    ])
    expect((await own('dates-1904.xlsx')).rows).toEqual([
      [2, 'Elmby', '1910-02-28', '09:30:00', '2026-01-31T10:30:00', 21, 0.125, true],
      [3, 'Ashford', '1900-03-01', '18:00:00', '2026-02-01T00:00:00', 1500, 1, false],
      [4, 'Oakham', null, null, null, 7, 46.5, null],
    ])
    const table = await openFile(join(folder, 'dates.xlsx'))
    const kinds = (await inferTable(table)).columns.map(({ name, kind }) => [name, kind])
    await table.close()
    expect(Object.fromEntries(kinds)).toMatchObject({
      Founded: 'date',
      People: 'integer',
      Rate: 'number',
      Open: 'boolean',
    })
  })

  test.each(['merged.xlsx', 'merged.ods'])(
    '%s: a merged header names its columns, a merged value its rows',
    async (name) => {
      const { columns, rows, notes } = await own(name)
      expect(columns).toEqual(['Town', '2025 Q1', '2025 Q2', '2026 Q1', '2026 Q2'])
      expect(rows).toEqual([
        [4, 'Elmby', 1, 2, 3, 4],
        [5, 'Ashford', 5, 6, 7, 8],
        [6, 'Ashford', 9, 10, 11, 12],
      ])
      expect(notes.map(({ sentence }) => sentence)).toEqual([
        'Row 1 is above the header and not read: "People by quarter".',
        'The header has merged cells: its rows 2 to 3 are joined, as in "2025 Q1".',
      ])
      for (const { choices } of notes) expect((await own(name, choices[0]!.options)).columns).toEqual(columns)
      const last = await own(name, { skip: 2, sameNames: 'number' })
      expect(last.columns).toEqual(['Town', 'Q1', 'Q2', 'Q1_2', 'Q2_2'])
    },
  )

  test.each(['hidden.xlsx', 'hidden.ods'])(
    '%s: hidden columns and sheets are left out, and named',
    async (name) => {
      const { columns, rows, notes } = await own(name)
      expect(columns).toEqual(['code', 'name', 'room'])
      expect(rows).toHaveLength(3)
      expect(notes.map(({ sentence }) => sentence)).toEqual([
        'Hidden sheets are not read: "Old".',
        'Hidden column is left out: C (salary).',
        '1 row is hidden, perhaps by a filter, and read like the others. Delete secret rows in the file.',
      ])
      expect(notes.some(({ isUncertain }) => isUncertain)).toBe(false)
      expect((await own(name, { hidden: true })).columns).toEqual(['code', 'name', 'salary', 'room'])
      expect((await own(name, { table: 'Old' })).rows).toEqual([[2, 'x', 1]])
    },
  )

  test.each(['two-sheets.xlsx', 'two-sheets.ods'])('%s: the user chooses the sheet', async (name) => {
    const { notes, detected } = await own(name)
    expect(notes).toMatchObject([
      {
        option: 'table',
        isUncertain: true,
        choices: [{ options: { table: 'Town' } }, { options: { table: 'River' } }],
      },
    ])
    expect(detected.table).toBe('Town')
    const river = await own(name, { table: 'River' })
    expect(river.rows).toEqual([[2, 'r', 12.5]])
    expect(river.notes).toMatchObject([{ isUncertain: false, choices: [{}, { options: { table: 'Town' } }] }])
    const { message, choices } = await refusal(join(folder, name), { table: 'Lake' })
    expect(message).toContain('There is no sheet "Lake". The sheets are: "Town", "River".')
    expect(choices).toHaveLength(2)
  })

  test('formulas have their values, errors are named with sheet and cell, and absent values are refused', async () => {
    expect((await refusal(join(folder, 'formulas.xlsx'))).message).toBe(
      'formulas.xlsx, Sums: Formulas have no values in the file: D2, D3, D4, E2, E3, E4, F2, F3, F4. Open the workbook in a spreadsheet program, which calculates them, and save it.',
    )
    for (const name of ['formulas-calculated.xlsx', 'formulas.ods']) {
      const { message, choices } = await refusal(join(folder, name))
      expect(message).toContain('Sums: Cells have errors instead of values: #DIV/0! in E3.')
      expect((await own(name, choices[0]!.options)).rows).toEqual([
        [2, 'k2', 1, 2, 3, 0.5, 'k2!'],
        [3, 'k3', 3, 0, 3, null, 'k3!'],
        [4, 'k4', 5, 5, 10, 1, 'k4!'],
      ])
    }
  })

  test('records are made of a sheet as of any table', async () => {
    const table = await openFile(join(folder, 'two-sheets.ods'), { table: 'Town' })
    const inference = await inferTable(table)
    const records = []
    for await (const record of recordsOf(table, planOf(inference, { type: 'Town', id: ['code'] })))
      records.push(record)
    await table.close()
    expect(records).toMatchObject([
      { id: 'e', data: { name: 'Elmby' } },
      { id: 'a', data: { name: 'Ashford' } },
    ])
  })
})

async function zipped(name: string, parts: Readonly<Record<string, string>>): Promise<string> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  for (const [part, text] of Object.entries(parts)) await writer.add(part, new TextReader(text))
  const path = join(home, name)
  writeFileSync(path, await writer.close())
  return path
}

const xlsx = (name: string, sheet: string, more: Readonly<Record<string, string>> = {}) =>
  zipped(name, {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      '<x:workbook xmlns:x="m" xmlns:r="r"><x:sheets><x:sheet name="A" r:id="1"/></x:sheets></x:workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="1" Type="o/worksheet" Target="/xl/worksheets/a.xml"/><Relationship Id="2" Type="o/sharedStrings" Target="texts.xml"/></Relationships>',
    'xl/worksheets/a.xml': sheet,
    ...more,
  })
const rowsXml = (...rows: string[]) => `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`
const textCell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`

const ods = (name: string, table: string) =>
  zipped(name, {
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<office:document-content><office:body><office:spreadsheet>${table}</office:spreadsheet></office:body></office:document-content>`,
  })
const odsText = (text: string, attributes = '') =>
  `<table:table-cell office:value-type="string" ${attributes}><text:p>${text}</text:p></table:table-cell>`

describe('files of other programs', () => {
  test('XLSX without addresses, with prefixes, rich text, hints to pronunciation and characters that XML lacks', async () => {
    const path = await xlsx(
      'a.xlsx',
      `<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="s"><x:v>1</x:v></x:c></x:row><x:row>${textCell('1').replaceAll('<', '<x:').replaceAll('<x:/', '</x:')}<x:c t="str"><x:v>a_x000D_b</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
      {
        'xl/texts.xml':
          '<sst><si><t>co</t><r><t>de</t></r></si><si><t>名</t><rPh><t>メイ</t></rPh></si></sst>',
      },
    )
    expect(await read(path)).toMatchObject({ columns: ['code', '名'], rows: [[2, '1', 'a\rb']] })
  })

  test('ODS with repeated and grouped rows, header rows, comments, drawings, blanks and cells without text', async () => {
    const path = await ods(
      'a.ods',
      `<table:table table:name="T"><table:table-header-rows><table:table-row>${odsText('code')}${odsText('n')}${odsText('note')}</table:table-row></table:table-header-rows>
      <table:table-row-group><table:table-row table:number-rows-repeated="2">${odsText('x<text:s text:c="2"/>y')}<table:table-cell office:value-type="float" office:value="7"/><table:table-cell office:value-type="string"><office:annotation><text:p>secret</text:p></office:annotation><text:p>a</text:p><text:p>b</text:p></table:table-cell></table:table-row></table:table-row-group>
      <table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`,
    )
    expect(await read(path)).toMatchObject({
      columns: ['code', 'n', 'note'],
      rows: [
        [2, 'x  y', 7, 'a\nb'],
        [3, 'x  y', 7, 'a\nb'],
      ],
    })
  })
})

describe('hostile files', () => {
  const says = async (path: string, sentence: string) =>
    expect((await refusal(path)).message).toContain(sentence)

  test('a document type, however many laughs, is refused before any entity', async () => {
    const laughs = `<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>${rowsXml(`<row>${textCell('&b;')}</row>`)}`
    await says(await xlsx('laughs.xlsx', laughs), 'its XML declares a document type')
  })

  test('a million columns and endless repeats are refused', async () => {
    const claims = `<worksheet><dimension ref="A1:XFD1048576"/><cols><col min="1" max="999999999" hidden="1"/></cols><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`
    await says(await xlsx('claims.xlsx', claims), 'no values in columns that are not hidden')
    const far = rowsXml(`<row r="1">${textCell('a')}<c r="XFD1"><v>1</v></c></row>`)
    await says(await xlsx('far.xlsx', far), 'row 1 has a value beyond column 4096')
    const wide = `<table:table table:name="T"><table:table-row>${odsText('a', 'table:number-columns-repeated="900000000"')}</table:table-row></table:table>`
    await says(await ods('wide.ods', wide), 'it has values in 900000000 columns; at most 4096 can be read')
    const long = `<table:table table:name="T"><table:table-row table:number-rows-repeated="900000000">${odsText('a')}</table:table-row></table:table>`
    await says(await ods('long.ods', long), 'the sheet has more than 1048576 rows')
    const many = `<table:table table:name="T"><table:table-row table:number-rows-repeated="1000000">${odsText('a', 'table:number-columns-repeated="4000"')}</table:table-row></table:table>`
    await says(await ods('many.ods', many), 'the sheet has more than 50000000 cells')
  })

  test('a part that unpacks to much is not unpacked to its end', async () => {
    let pieces = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces++
        controller.enqueue(new TextEncoder().encode(`<sst>${' '.repeat(1024)}`))
      },
    })
    const nothing = { open: () => undefined, close: () => undefined, text: () => undefined }
    const parsing = async () => {
      for await (const _ of parsedXml(endless, nothing, 100 * 1024)) void _
    }
    await expect(parsing()).rejects.toThrow('a part of it has more than 102400 bytes')
    expect(pieces).toBeLessThan(110)
  })

  test('broken files are refused with a sentence', async () => {
    await says(await xlsx('cut.xlsx', '<worksheet><sheetData>'), 'its XML is broken')
    await says(
      await xlsx('text.xlsx', rowsXml('<row><c t="s"><v>7</v></c></row>')),
      'there is no text 7 for a cell',
    )
    await says(
      await xlsx(
        'order.xlsx',
        rowsXml('<row r="2"><c><v>1</v></c></row>', '<row r="1"><c><v>1</v></c></row>'),
      ),
      'its rows are not in order',
    )
    const bytes = readFileSync(join(folder, 'dates.xlsx'))
    const half = join(home, 'half.xlsx')
    writeFileSync(half, bytes.subarray(0, bytes.length / 2))
    await says(half, 'The ZIP archive cannot be read')
    await says(
      await zipped('b.xlsx', { '[Content_Types].xml': '', 'xl/workbook.bin': '' }),
      'This is a binary workbook.',
    )
    await says(
      await zipped('a.docx', { '[Content_Types].xml': '', 'word/document.xml': '' }),
      'This is a text document',
    )
  })

  test('the process that reads a workbook ends with its table', async () => {
    const stop = new AbortController()
    const table = await openFile(join(folder, 'dates.xlsx'), { signal: stop.signal })
    stop.abort(new Error('stopped'))
    await expect(inferTable(table)).rejects.toThrow('stopped')
    await table.close()
  })
})

describe('packed files', () => {
  const csv = 'code,name\na,Ann\nb,Bo\n'
  const expected = {
    columns: ['code', 'name'],
    rows: [
      [2, 'a', 'Ann'],
      [3, 'b', 'Bo'],
    ],
  }

  test('gzip and a ZIP archive of one table are read as the table', async () => {
    const packed = join(home, 'people.csv.gz')
    writeFileSync(packed, gzipSync(csv))
    expect(await read(packed)).toMatchObject(expected)
    expect(typeNameOf('people.csv.gz')).toBe('People')
    const path = await zipped('people.zip', {
      'data/people.csv': csv,
      'README.txt': 'x',
      '__MACOSX/._people.csv': 'x',
    })
    expect(await read(path)).toMatchObject({ ...expected, detected: { table: 'data/people.csv' } })
    expect(typeNameOf('data/people.csv')).toBe('People')
    const rows = Array.from({ length: 60_000 }, (_, at) => `{"id":${at},"name":"${'x'.repeat(20)}"}\n`).join(
      '',
    )
    const large = await zipped('large.zip', { 'rows.ndjson': rows })
    expect((await read(large)).rows).toHaveLength(60_000)
    const parquet = readFileSync(join(import.meta.dirname, 'testing/groups.parquet'))
    const plain = await read(join(import.meta.dirname, 'testing/groups.parquet'))
    writeFileSync(join(home, 'groups.parquet.gz'), gzipSync(parquet))
    expect((await read(join(home, 'groups.parquet.gz'))).rows).toEqual(plain.rows)
  })

  test('gzip of several parts, as bgzip writes it, is read; where that is impossible, it says so', async () => {
    const path = join(home, 'parts.csv.gz')
    const parts = [gzipSync('code,name\n'), gzipSync('a,Ann\nb,Bo\n'), gzipSync('')]
    writeFileSync(path, Buffer.concat(parts))
    expect(await read(path)).toMatchObject(expected)
    const inBrowser = openTable(sourceOf(new File(parts, 'parts.csv.gz')))
    await expect(inBrowser).rejects.toThrow('several compressed parts, which browsers cannot unpack')
  })

  test('of several tables the user chooses one', async () => {
    const path = await zipped('two.zip', { 'a.csv': csv, 'b.csv': csv })
    const { message, choices } = await refusal(path)
    expect(message).toBe('two.zip: It has several tables. The tables are: "a.csv", "b.csv".')
    expect(await read(path, choices[1]!.options)).toMatchObject({ ...expected, detected: { table: 'b.csv' } })
  })

  test('damaged and nested archives are refused', async () => {
    const cut = join(home, 'cut.csv.gz')
    writeFileSync(cut, gzipSync(csv.repeat(100)).subarray(0, 40))
    expect((await refusal(cut)).message).toContain('cut.csv.gz: The file cannot be unpacked')
    const twice = join(home, 'twice.csv.gz')
    writeFileSync(twice, gzipSync(gzipSync(csv)))
    expect((await refusal(twice)).message).toContain('The file is compressed twice.')
    const tar = new Uint8Array(1024)
    tar.set(new TextEncoder().encode('ustar'), 257)
    writeFileSync(join(home, 'a.tar.gz'), gzipSync(tar))
    expect((await refusal(join(home, 'a.tar.gz'))).message).toContain('This is a TAR archive.')
  })
})

test('a browser reads a workbook by the worker that the caller starts', async () => {
  const file = new File([readFileSync(join(folder, 'two-sheets.xlsx'))], 'two-sheets.xlsx')
  const workbook = new Workbook(sourceOf(file))
  const startWorkbook = () => ({
    ask: async <Result>(request: Parameters<Workbook['answer']>[0]) =>
      structuredClone(await workbook.answer(request)) as Result,
    close: () => undefined,
  })
  const table = await openTable(sourceOf(file), { table: 'River' }, { startWorkbook })
  expect((await inferTable(table)).rows).toBe(1)
  await expect(openTable(sourceOf(file))).rejects.toThrow('A workbook cannot be read here.')
})
