/** Prints results in rows: with aligned columns on a terminal, else separated by tabs for programs. */
import { harmless } from './harmless.ts'
import type { WithTerminal } from './terminal.ts'
import { painted } from './text.ts'

/** Escapes the text before it is measured. Escapes tabs too, which separate columns. */
const cellText = (text: string): string => harmless(text).replaceAll('\t', '\\u0009')

/** @param heads shown only on a terminal. Without a terminal, tabs separate the cells, for programs. */
export async function table(
  { terminal }: WithTerminal,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const cells = rows.map((row) => row.map(cellText))
  if (terminal.columns === undefined) {
    for (const row of cells) await terminal.line(row.join('\t'))
    return
  }
  const widths = heads.map((head, index) => Math.max(head.length, ...cells.map((row) => row[index]!.length)))
  const render = (row: readonly string[]) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index]!)))
      .join('  ')
      .trimEnd()
  await terminal.line(painted('dim', render(heads)))
  for (const row of cells) await terminal.line(render(row))
}

/** Prints names and values, one per line. Omits empty values. */
export async function facts(
  { terminal }: WithTerminal,
  pairs: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  const nonEmpty = pairs.filter(([, value]) => value !== '')
  const width = Math.max(...nonEmpty.map(([name]) => name.length))
  for (const [name, value] of nonEmpty)
    await terminal.line([painted('dim', name.padEnd(width)), `  ${value}`])
}

/** `2026-01-15 14:02`, in the time zone of this machine. */
export function timeText(instant: string): string {
  const date = new Date(instant)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
