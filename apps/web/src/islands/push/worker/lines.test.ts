import { openTable, type Plan, sourceOf } from '@ulmus/tabular'
import { expect, test } from 'vitest'
import { recordsWithLines } from './lines.ts'

test('each record has the line of the file that it comes from, also after rows that fit no record', async () => {
  const rows = Array.from({ length: 2_000 }, (_, at) => `${at},${at === 700 ? 'many' : at}`)
  const table = await openTable(sourceOf(new File([['id,beds', ...rows].join('\n')], 'wards.csv')))
  const beds = { name: 'beds', kind: 'integer', isRequired: true, isPrivate: false } as const
  const plan: Plan = { type: 'Ward', id: ['id'], columns: [beds] }
  const faults: number[] = []
  const wrong: string[] = []
  let count = 0
  for await (const { id, line } of recordsWithLines(table, plan, (fault) => faults.push(fault.line!))) {
    count++
    if (line !== Number(id) + 2) wrong.push(`${id} is in line ${line}`)
  }
  expect([count, faults, wrong]).toEqual([1_999, [702], []])
})
