/** New columns that repeat the values of a private field under another name. */
import { describe, expect, test } from 'vitest'
import {
  inferTable,
  type KnownType,
  openTable,
  type PlanWishes,
  planFor,
  planOf,
  repeatText,
  sourceOf,
} from './index.ts'
import { PrivateValues, privateFieldsIn, repeatedIn, withRenames, withRepeats } from './private.ts'
import { checkTable } from './records/check.ts'

type Row = Readonly<Record<string, unknown>>

const grant = (at: number): Row => ({
  id: `G${at}`,
  title: `Grant ${at}`,
  officer: `officer-${at % 7}@x.example`,
  score: at % 9,
  urgent: at % 2 === 0,
  audited: '2024-01-31',
})
const base = Array.from({ length: 60 }, (_, at) => grant(at))
const hidden = { private: true }
const schema = {
  properties: { id: {}, title: {}, officer: hidden, score: hidden, urgent: hidden, audited: hidden },
}

function valuesOf(schemas: Record<string, object>, records: Record<string, readonly Row[]>) {
  return Array.from(privateFieldsIn(new Map(Object.entries(schemas)) as never), ([type, fields]) => {
    const values = new PrivateValues(type, schemas[type], fields)
    for (const data of records[type] ?? []) values.add(String(data['id']), data)
    return values
  })
}

const csvOf = (rows: readonly Row[]) => {
  const names = Object.keys(rows[0]!)
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    .map((row) => row.join(','))
    .join('\n')
}
const json = (rows: readonly Row[]) => new File([JSON.stringify(rows)], 'grants.json')
const csv = (rows: readonly Row[]) => new File([csvOf(rows)], 'grants.csv')

/** Repeated fields by column of a file. */
async function repeats(
  file: File,
  {
    type = 'Other',
    known,
    values,
    ...wishes
  }: Partial<PlanWishes> & { known?: KnownType; values?: PrivateValues[] } = {},
) {
  const table = await openTable(sourceOf(file))
  const inference = await inferTable(table)
  const asked = { type, id: ['id'], ...wishes }
  const plan = known === undefined ? planOf(inference, asked) : planFor(inference, known, asked)
  const all = values ?? valuesOf({ Grant: schema }, { Grant: base })
  const found = await repeatedIn(table, inference, plan, all, known)
  return {
    table,
    inference,
    plan,
    found,
    fields: Object.fromEntries([...found].map(([name, { field }]) => [name, field])),
  }
}

const renamed = (from: string, to: string, change = (value: unknown, _row: number) => value) =>
  base.map((row, at): Row => ({ id: row['id'], title: row['title'], [to]: change(row[from], at) }))

describe('a renamed private column is found', () => {
  test.each(['officer', 'score', 'urgent'])('%s, in CSV and JSON', async (field) => {
    for (const file of [csv(renamed(field, 'other')), json(renamed(field, 'other'))])
      expect((await repeats(file)).fields).toEqual({ other: field })
  })

  test('with other kinds, case, spaces and notations', async () => {
    const quoted = json(renamed('score', 'points', (value) => String(value)))
    expect((await repeats(quoted)).fields).toEqual({ points: 'score' })
    const upper = csv(renamed('officer', 'who', (value) => ` ${String(value).toUpperCase()}`))
    expect((await repeats(upper)).fields).toEqual({ who: 'officer' })
    const words = csv(renamed('urgent', 'fast', (value) => (value ? 'yes' : 'no')))
    expect((await repeats(words)).fields).toEqual({ fast: 'urgent' })
    const dated = base.map(
      (row, at): Row => ({
        ...row,
        audited: `2024-01-${String((at % 28) + 1).padStart(2, '0')}`,
      }),
    )
    const values = valuesOf({ Grant: schema }, { Grant: dated })
    const other = csv(
      dated.map(({ id, audited }) => ({ id, day: String(audited).split('-').reverse().join('/') })),
    )
    expect((await repeats(other, { values })).fields).toEqual({ day: 'audited' })
  })

  test('in half of the shared ids, whatever else the file has, in any order', async () => {
    const half = renamed('officer', 'who', (value, at) => (at % 2 === 0 ? value : `new-${at}`))
    const more = Array.from({ length: 500 }, (_, at) => ({ id: `N${at}`, title: '', who: `w${at}` }))
    expect((await repeats(csv([...more, ...half.toReversed()]))).fields).toEqual({ who: 'officer' })
    const less = renamed('officer', 'who', (value, at) => (at % 3 === 0 ? value : `new-${at}`))
    expect((await repeats(csv(less))).fields).toEqual({})
  })

  test('of three records, and of one with a rare value', async () => {
    expect((await repeats(csv(renamed('officer', 'who').slice(0, 3)))).fields).toEqual({ who: 'officer' })
    const rare = base.map((row, at): Row => ({ ...row, officer: `officer-${at}@x.example` }))
    const values = valuesOf({ Grant: schema }, { Grant: rare })
    const one = csv([{ id: 'G5', who: 'officer-5@x.example' }])
    expect((await repeats(one, { values })).fields).toEqual({ who: 'officer' })
  })

  test('if the records have another id in the file, or the field is missing in most records', async () => {
    const numbered = csv(renamed('officer', 'who'))
    expect((await repeats(numbered, { id: null })).fields).toEqual({ who: 'officer' })
    const few = base.map((row, at): Row => (at < 50 ? { ...row, officer: undefined } : row))
    const values = valuesOf({ Grant: schema }, { Grant: few })
    const file = csv(few.map(({ id, title, officer }): Row => ({ id, title, who: officer })))
    expect((await repeats(file, { values })).fields).toEqual({ who: 'officer' })
  })

  test('of a private type, with and without listed fields', async () => {
    for (const type of [{ private: true, properties: { id: {}, officer: {} } }, { private: true }]) {
      const values = valuesOf({ Secret: type }, { Secret: base })
      expect((await repeats(csv(renamed('officer', 'who')), { values })).fields).toMatchObject({
        who: 'officer',
      })
    }
  })

  test('in a type of 80,000 records, in bounded memory', async () => {
    const many = Array.from({ length: 80_000 }, (_, at) => ({ id: `G${at}`, officer: `o-${at % 7}` }))
    const values = valuesOf({ Grant: { properties: { officer: hidden } } }, { Grant: many })
    const file = csv(many.map(({ id, officer }) => ({ id, who: officer })))
    expect((await repeats(file, { values })).fields).toEqual({ who: 'officer' })
  })
})

describe('no renamed private column', () => {
  test('constants, and flags that agree by chance', async () => {
    expect((await repeats(csv(renamed('audited', 'day')))).fields).toEqual({})
    const flag = json(renamed('urgent', 'fast', (value, at) => (at % 4 < 2 ? value : !value)))
    expect((await repeats(flag)).fields).toEqual({})
    // Mostly false, like the private flag.
    const rare = base.map((row, at): Row => ({ ...row, urgent: at === 7 }))
    const values = valuesOf({ Grant: schema }, { Grant: rare })
    const other = json(rare.map(({ id }, at) => ({ id, fast: at === 9 })))
    expect((await repeats(other, { values })).fields).toEqual({})
  })

  test('other values, the public columns of the base, and values of the ids', async () => {
    expect((await repeats(csv(renamed('title', 'name')))).fields).toEqual({})
    const copies = base.map((row): Row => ({ ...row, officer: row['id'] }))
    const values = valuesOf({ Grant: schema }, { Grant: copies })
    const file = csv(copies.map(({ id }) => ({ id, who: id })))
    expect((await repeats(file, { values })).fields).toEqual({})
  })

  test('columns that are private, or that the type has', async () => {
    const file = csv(renamed('officer', 'who'))
    expect((await repeats(file, { private: ['who'] })).fields).toEqual({})
    const known = { type: 'Other', schema: { properties: { id: {}, title: {}, who: {} } } }
    expect((await repeats(file, { known })).fields).toEqual({})
    const open = { type: 'Other', schema: {}, samples: [{ id: 'G1', data: { who: 'x' } }] }
    expect((await repeats(file, { known: open })).fields).toEqual({})
    expect((await repeats(file, { known: { ...open, samples: [] } })).fields).toEqual({ who: 'officer' })
    const secret = { type: 'Other', schema: { private: true, properties: { id: {} } } }
    expect((await repeats(file, { known: secret })).fields).toEqual({})
  })
})

test('the plan has the column private and proposes the rename, which keeps the field', async () => {
  const known: KnownType = {
    type: 'Grant',
    schema,
    samples: base.map((data) => ({ id: String(data['id']), data })),
  }
  const rows = base.map(({ officer, ...row }) => ({ ...row, referent: 'x', contact: officer }))
  const { table, inference, plan, found } = await repeats(csv(rows), { type: 'Grant', known })
  const made = withRepeats(plan, found)
  const contact = made.columns.find(({ name }) => name === 'contact')
  expect(contact).toMatchObject({ isPrivate: true, repeats: { type: 'Grant', field: 'officer' } })
  expect(repeatText(contact!.repeats!, 'Grant')).toBe('repeats the values of the private column officer')
  expect(repeatText(contact!.repeats!, 'Other')).toBe(
    'repeats the values of the private column officer of Grant',
  )
  const { misfits } = await checkTable(table, inference, made)
  expect(misfits).toMatchObject([
    { field: 'officer', ways: [{ do: 'rename', from: 'contact' }, { do: 'optional' }] },
  ])
})

test('public columns that were renamed are known by their values, whatever their names and kinds', async () => {
  const towns = Array.from({ length: 60 }, (_, at) => ({
    ...{ id: `T${at}`, municipality: `Town ${at % 11}`, mayor: `Person ${at}`, note: `Note ${at % 3}` },
  }))
  const properties = { id: {}, municipality: {}, mayor: {}, note: {} }
  const known = {
    type: 'Town',
    schema: {
      properties: Object.fromEntries(Object.keys(properties).map((name) => [name, { type: 'string' }])),
    },
    samples: towns.slice(0, 30).map((data) => ({ id: data.id, data })),
  }
  // Of the same kind, in another order, with some edits, and one that repeats nothing.
  const rows = towns.map(({ id, municipality, mayor }, at) => ({
    ...{ id, lead: at % 10 === 0 ? 'Person 0' : mayor, place: municipality, remark: `Remark ${at}` },
  }))
  const { table, inference, plan } = await repeats(csv(rows), { type: 'Town', known, values: [] })
  const renamed = async (of: typeof plan) =>
    Object.fromEntries(
      ((await withRenames(table, inference, of, known)).gone ?? []).map(({ field, renamed }) => [
        field,
        renamed,
      ]),
    )
  expect(await renamed(plan)).toEqual({ municipality: 'place', mayor: 'lead', note: undefined })
  const guessed = plan.gone!.map((one) => ({ ...one, renamed: 'lead' }))
  expect(await renamed({ ...plan, gone: guessed })).toEqual({
    ...{ municipality: 'place', mayor: 'lead', note: undefined },
  })
})
