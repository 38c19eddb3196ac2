import { expect, test } from 'vitest'
import { cutTo, type GridColumn, grid, widthOf } from './grid.ts'
import type { Terminal } from './terminal.ts'
import { lineOf, type Text } from './text.ts'

async function shown(columns: readonly GridColumn[], rows: (string | null)[][], width: number) {
  const lines: string[] = []
  const terminal = { line: async (text: Text) => void lines.push(lineOf(text, false)) }
  await grid({ terminal: terminal as unknown as Terminal }, columns, rows, width)
  return lines
}

const columns = [{ head: 'country' }, { head: 'n', isNumber: true }, { head: 'description' }]

test('numbers are aligned to the right, null is visible', async () => {
  const rows = [
    ['USA', '17343', 'a'],
    [null, '9', ''],
  ]
  expect(await shown(columns, rows, 80)).toEqual([
    'country      n  description',
    'USA      17343  a',
    'NULL         9  ',
  ])
  expect(await shown(columns, [], 80)).toEqual(['country  n  description'])
})

test('texts are cut to the width, numbers are not; columns without space are named', async () => {
  const rows = [['a country of a long name', '123456789012', 'a description of many words']]
  expect(await shown(columns, rows, 50)).toEqual([
    'country                       n  description',
    'a country of a l…  123456789012  a description of…',
  ])
  expect(await shown(columns, rows, 30)).toEqual([
    'country                      n',
    'a country of a …  123456789012',
    '… 1 more: description',
  ])
  for (const width of [1, 5, 12, 20, 24, 36, 37, 38, 60, 69, 70])
    for (const line of await shown(columns, rows, width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
})

test('control characters in cells and heads are escaped before they are measured', async () => {
  expect(await shown([{ head: 'a\u001b' }], [['x\ny']], 80)).toEqual(['a\\u001b', 'x\\u000ay'])
})

test.each([
  ['Zürich', 6],
  ['阿鲁巴', 6],
  ['🇳🇴 x', 4],
  ['e\u0301', 1],
  ['', 0],
])('%j needs %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width)
})

test.each([
  ['Norway', 6, 'Norway'],
  ['Norway', 5, 'Norw…'],
  ['阿鲁巴', 5, '阿鲁…'],
  ['阿鲁巴', 4, '阿…'],
  ['Norway', 1, '…'],
])('%j in %i columns is %j', (text, width, expected) => {
  expect(cutTo(text, width)).toBe(expected)
})
