import { firstLines, inferTable, keyOfTwo, openTable, type Plan, sourceOf } from '@ulmus/tabular'
import { expect, test } from 'vitest'
import { FaultList } from './fault-list.ts'
import { fileRefusal } from './file-faults.ts'
import { recordsWithLines } from './lines.ts'

test('a repeated id names the earlier line and offers two columns that make an id together', async () => {
  const text = 'Code,Region\n1,North\n2,North\n1,South\n'
  const table = await openTable(sourceOf(new File([text], 'grants.csv')))
  const inference = await inferTable(table)
  const plan: Plan = { type: 'Grant', id: ['Code'], columns: [] }
  const faults = new FaultList()
  for await (const _ of recordsWithLines(table, plan, faults.add));
  const lines = await firstLines(table, inference, plan.id, new Set(['1']))
  const pair = await keyOfTwo(table, inference)
  const refusal = fileRefusal(faults, [], plan, inference, { lines, unit: table.unit, pair })
  expect(refusal.faults).toMatchObject([{ line: 4, column: 'Code', problem: 'line 2 has the same id' }])
  expect(refusal.ways.map(({ label }) => label)).toEqual(['Use Code and Region together', 'Number the rows'])
})
