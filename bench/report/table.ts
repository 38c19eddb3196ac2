/** Prints the table of budgets on a terminal. */
import type { Row } from '../budgets.ts'

const heads = ['work', 'on', 'measured', 'budget', '', 'otherwise'] as const

export function tableText(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.work,
    row.database,
    row.measured,
    row.budget,
    row.kept ? 'kept' : 'MISSED',
    row.otherwise,
  ])
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column]!.length)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  return [line(heads), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line)].join('\n')
}
