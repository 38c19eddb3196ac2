/** Private columns in ids: everyone reads ids, so the mark would hide nothing. */
import { describe, expect, test } from 'vitest'
import {
  inferTable,
  type KnownType,
  keyOfTwo,
  openTable,
  type Plan,
  type PlanWishes,
  PrivateIdError,
  planFor,
  planOf,
  privateIdsOf,
  proposeId,
  proposeIdFor,
  recordsOf,
  sourceOf,
} from './index.ts'

const people = [
  'email,name,room',
  ...Array.from({ length: 12 }, (_, at) => `p${at}@example.org,Person ${at % 5},R${at}`),
].join('\n')
const open = async (text: string) => {
  const table = await openTable(sourceOf(new File([text], 'people.csv')))
  return { table, inference: await inferTable(table) }
}

/** The refusal of a plan's records, or undefined. */
async function refusal(text: string, plan: (file: Awaited<ReturnType<typeof open>>) => Plan) {
  const file = await open(text)
  try {
    for await (const _ of recordsOf(file.table, plan(file)));
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(PrivateIdError)
    return { columns: (error as PrivateIdError).columns, message: (error as Error).message }
  }
}
const asNew = (text: string, wishes: Omit<PlanWishes, 'type'>) =>
  refusal(text, ({ inference }) => planOf(inference, { type: 'Person', ...wishes }))

const known = (email: object, schema: object = {}): KnownType => ({
  type: 'Person',
  schema: { properties: { email: { type: 'string', ...email }, name: {}, room: {} }, ...schema },
  samples: [{ id: 'p1@example.org', data: { email: 'p1@example.org', name: 'Person 1', room: 'R1' } }],
})
const asNext = (type: KnownType, wishes: Omit<PlanWishes, 'type'> = {}) =>
  refusal(people, ({ inference }) => planFor(inference, type, { type: 'Person', ...wishes }))

describe('a private column is refused', () => {
  test('as the id, and as a part of it, with two remedies', async () => {
    expect(await asNew(people, { id: ['email'], private: ['email'] })).toEqual({
      columns: ['email'],
      message:
        'people.csv: "email" is the id, and everyone reads ids, so it cannot be private. Choose another id, or number the rows.',
    })
    const message = expect.stringContaining('"email" is part of the id')
    expect(await asNew(people, { id: ['room', 'email'], private: ['email'] })).toMatchObject({ message })
  })

  test('as the id under another name, or without a field', async () => {
    const wishes = { id: ['email'], private: ['email'] }
    expect(await asNew(people, { ...wishes, rename: { email: 'mail' } })).toMatchObject({
      columns: ['email'],
    })
    expect(await asNew(people, { ...wishes, leaveOut: ['email'] })).toMatchObject({ columns: ['email'] })
    expect(await asNew('id,a\n1,b\n2,b', { id: ['id'], private: ['id'] })).toMatchObject({ columns: ['id'] })
  })

  test('if the existing type has it private, chosen or proposed, with or without a field', async () => {
    const hidden = known({ private: true })
    for (const wishes of [{}, { id: ['email'] }, { id: ['email'], leaveOut: ['email'] }])
      expect(await asNext(hidden, wishes)).toMatchObject({ columns: ['email'] })
    expect(await asNext(hidden, { id: ['room'] })).toBeUndefined()
    expect(await asNext(known({}), {})).toBeUndefined()
    expect(await asNext(known({}), { private: ['email'] })).toMatchObject({ columns: ['email'] })
  })

  test('if it is not the id, but its values are in most ids', async () => {
    const lines = people.split('\n')
    const copied = lines.map((line, at) => `${line},${at === 0 ? 'mail' : line.split(',')[0]}`)
    const message = expect.stringContaining(
      '"mail" cannot be private: its value is in the id of 12 of 12 rows',
    )
    const wishes = { id: ['email'], private: ['mail'] }
    expect(await asNew(copied.join('\n'), wishes)).toMatchObject({ columns: ['mail'], message })
    expect(await asNew(copied.join('\n'), { ...wishes, id: ['room', 'email'] })).toMatchObject({
      message: expect.stringContaining('"mail"'),
    })
    const half = copied.map((line, at) =>
      at % 2 === 0 ? line : `${line.slice(0, line.lastIndexOf(','))},x${at}`,
    )
    expect(await asNew(half.join('\n'), wishes)).toBeUndefined()
    // Numbers of rows, whose ids are numbers.
    const numbered = lines.map((line, at) => `${line},${at === 0 ? 'no' : at}`).join('\n')
    expect(await asNew(numbered, { id: null, private: ['no'] })).toMatchObject({ columns: ['no'] })
    expect(await asNew('a,b\n1,x\n2,y', { id: null, private: ['a'] })).toBeUndefined()
  })

  test('unless the whole type is private: its ids are private, too', async () => {
    expect(await asNext(known({ private: true }, { private: true }), {})).toBeUndefined()
    const file = await open(people)
    const plan = planFor(file.inference, known({ private: true }), { type: 'Person' })
    expect(privateIdsOf(plan)).toEqual(['email'])
    expect(privateIdsOf({ ...plan, isPrivate: true })).toEqual([])
  })
})

test('private columns are not proposed as the id, unless they make the ids of existing records', async () => {
  const { table, inference } = await open(people)
  expect(proposeId(inference)).toMatchObject({ columns: ['email'] })
  expect(proposeId(inference, ['email'])).toMatchObject({ columns: ['room'] })
  expect(proposeId({ ...inference, key: ['email'] }, ['email'])).toMatchObject({ columns: ['room'] })
  expect(planOf(inference, { type: 'Person', private: ['email'] }).id).toEqual(['room'])
  expect(proposeIdFor(inference, known({ private: true }), {}, ['email'])?.columns).toEqual(['email'])
  expect(proposeIdFor(inference, { type: 'X', schema: {} }, {}, ['email'])?.columns).toEqual(['room'])
  expect(await keyOfTwo(table, inference, ['email'])).toEqual(['name', 'room'])
})
