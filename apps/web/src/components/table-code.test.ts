import { tableColumns } from '@ulmus/content'
import { expect, test } from 'vitest'
import { codeColumns, pandasCode, rCode } from './table-code.ts'

const columns = tableColumns({
  properties: {
    code: { type: 'string' },
    'say "x"': { type: 'integer' },
    share: { type: 'number' },
    open: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
  },
})
const whole = {
  ...{ csv: 'https://x/T.csv', parquet: 'https://x/T.parquet', isPublic: true },
  columns: codeColumns(columns, []),
}
const part = { ...whole, parquet: undefined }

test('pandas reads the Parquet file of a whole table', () => {
  expect(pandasCode(whole)).toBe(
    'import pandas\ntable = pandas.read_parquet("https://x/T.parquet", dtype_backend="numpy_nullable")',
  )
})

test('pandas reads a part as CSV with the types of its columns, and nothing but empty cells as missing', () => {
  expect(pandasCode(part)).toBe(`import collections, pandas
table = pandas.read_csv(
    "https://x/T.csv",
    dtype=collections.defaultdict(lambda: "string", {"say \\"x\\"": "Int64", "share": "float64", "open": "boolean"}),
    keep_default_na=False, na_values=[""])`)
  const texts = { ...part, columns: codeColumns(columns, [{ ...columns[1]!, names: ['code'] }]) }
  expect(pandasCode(texts)).toContain('import pandas\n')
  expect(pandasCode(texts)).toContain('dtype="string",')
})

test('R keeps names and texts', () => {
  expect(rCode(part)).toBe(`table <- read.csv(
  "https://x/T.csv",
  check.names = FALSE, na.strings = "", fileEncoding = "UTF-8",
  colClasses = c("_id" = "character", "code" = "character", "say \\"x\\"" = "numeric", "share" = "numeric", "open" = "logical", "tags" = "character"))`)
})

test('a private collection needs a key', () => {
  for (const text of [pandasCode({ ...whole, isPublic: false }), pandasCode({ ...part, isPublic: false })])
    expect(text).toMatch(
      /^import .*os\n[\s\S]*storage_options=\{"Authorization": f"Bearer \{os\.environ\['ULMUS_TOKEN'\]\}"\}\)$/,
    )
  expect(rCode({ ...part, isPublic: false })).toContain(
    'url("https://x/T.csv", headers = c(Authorization = paste("Bearer", Sys.getenv("ULMUS_TOKEN")))),',
  )
})
