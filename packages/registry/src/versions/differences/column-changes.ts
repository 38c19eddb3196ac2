/** Task that finds the changed cells of many records. */
import { type CellChange, cellChangeOf, columnChanges, parseJson } from '@ulmus/content'
import { defineTask, shortBytesMax } from '../../work/task.ts'

/** Column and kind of a change. */
export type ChangedCell = readonly [names: readonly string[], kind: CellChange]

/** Changed cells found of a record; further ones are left out. */
export const cellsMax = 300

/** Finds the changed cells of updated records. `lines`: the canonical forms of each, before and after. */
export const changedCells = defineTask({
  name: 'changedCells',
  pool: 'read',
  run: ({ lines }: { lines: Uint8Array }): ChangedCell[][] => {
    const data = Buffer.from(lines.buffer, lines.byteOffset, lines.length)
      .toString()
      .split('\n')
      .map((line) => (parseJson(line) as { data: unknown }).data)
    return Array.from({ length: data.length / 2 }, (_, n) =>
      columnChanges(data[2 * n], data[2 * n + 1])
        .slice(0, cellsMax)
        .map((change) => [change.names, cellChangeOf(change)]),
    )
  },
  isShort: ({ lines }) => lines.length <= shortBytesMax,
})
