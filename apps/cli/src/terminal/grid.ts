/** Prints rows as a table that fits the width of the terminal. `table.ts` prints short lists, which it never cuts. */
import { harmless } from './harmless.ts'
import type { WithTerminal } from './terminal.ts'
import { painted, type Text } from './text.ts'

export interface GridColumn {
  readonly head: string
  /** Numbers are aligned to the right and never cut. */
  readonly isNumber?: boolean
  /** Texts are not cut below this width; columns that do not fit are left out. Default: 10. */
  readonly least?: number
}

const gap = '  '

/** @param rows null is shown as NULL */
export async function grid(
  { terminal }: WithTerminal,
  columns: readonly GridColumn[],
  rows: readonly (readonly (string | null)[])[],
  width: number,
): Promise<void> {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? null : harmless(cell))))
  const heads = columns.map(({ head }) => harmless(head))
  const widths = fittedWidths(
    columns.map(({ isNumber = false, least = 10 }, index) => {
      const content = cells.reduce((most, row) => Math.max(most, widthOf(row[index] ?? 'NULL')), 1)
      const natural = Math.max(content, widthOf(heads[index]!))
      return { natural, least: Math.max(Math.min(natural, least), isNumber ? content : 1) }
    }),
    width,
  )
  const lineOf = (row: readonly (string | null)[]): Text =>
    widths.map((columnWidth, index): Text => {
      const text = cutTo(row[index] ?? 'NULL', columnWidth)
      const space = ' '.repeat(columnWidth - widthOf(text))
      const cell = row[index] === null ? painted('dim', text) : text
      const before = index === 0 ? '' : gap
      if (columns[index]!.isNumber) return [before, space, cell]
      return [before, cell, index === widths.length - 1 ? '' : space]
    })
  await terminal.line(painted('dim', lineOf(heads)))
  for (const row of cells) await terminal.line(lineOf(row))
  const hidden = heads.slice(widths.length)
  if (hidden.length > 0)
    await terminal.line(painted('dim', cutTo(`… ${hidden.length} more: ${hidden.join(', ')}`, width)))
}

/** Widths of the first columns, as many as fit. */
function fittedWidths(
  columns: readonly { readonly natural: number; readonly least: number }[],
  width: number,
): number[] {
  const sum = (widths: readonly number[]) =>
    widths.reduce((total, one) => total + one, 0) + gap.length * (widths.length - 1)
  let shown = columns
  while (shown.length > 1 && sum(shown.map(({ least }) => least)) > width) shown = shown.slice(0, -1)
  const cut = (most: number) => shown.map(({ natural, least }) => Math.max(least, Math.min(natural, most)))
  let most = Math.max(...shown.map(({ natural }) => natural))
  while (most > 1 && sum(cut(most)) > width) most--
  return cut(most).map((one) => Math.min(one, width))
}

const graphemes = new Intl.Segmenter()
const narrow = /^[\x20-\x7e]*$/
/** Emoji and the East Asian blocks that terminals show in two columns. */
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

const widthOfGrapheme = (grapheme: string): number => (wide.test(grapheme) ? 2 : 1)

/** Columns of the terminal that a text needs. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += widthOfGrapheme(segment)
  return width
}

/** The text, cut with `…` if it is wider. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let shown = ''
  let left = width - 1
  for (const { segment } of graphemes.segment(text)) {
    left -= widthOfGrapheme(segment)
    if (left < 0) break
    shown += segment
  }
  return `${shown}…`
}
