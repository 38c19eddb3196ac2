import { inferTable, openTable, planOf, sourceOf } from '@ulmus/tabular'
import { expect, test } from 'vitest'
import { takenNames } from '../../../../../../packages/content/src/testing/taken-names.ts'
import { guardedPlan } from './guarded-plan.ts'

const planFor = async (names: readonly string[], schemas: object) => {
  const cells = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')
  const table = await openTable(sourceOf(new File([`${cells}\n${names.map(() => 1)}\n`], 'cars.csv')))
  const inference = await inferTable(table)
  const latest = { schemas, privateValues: async () => [] } as never
  const { plan, guarded } = await guardedPlan(
    { latest, table, inference },
    planOf(inference, { type: 'Car' }),
    undefined,
    () => undefined,
  )
  return {
    private: plan.columns
      .filter(({ isPrivate }) => isPrivate)
      .map(({ name }) => name)
      .sort(),
    guarded: [...guarded.keys()].sort(),
  }
}

test('columns begin public, whatever their names are, unless the collection has a private field of that name', async () => {
  const names = takenNames.filter((name) => name.trim() !== '')
  expect(await planFor(names, {})).toEqual({ private: [], guarded: [] })
  const schemas = { Crew: { properties: { constructor: { private: true }, name: { private: true } } } }
  expect(await planFor(names, schemas)).toEqual({
    private: ['constructor', 'name'],
    guarded: ['constructor', 'name'],
  })
})
