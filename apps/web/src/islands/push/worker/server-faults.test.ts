import { BatchRefused, UlmusError } from '@ulmus/client'
import { expect, test } from 'vitest'
import { serverRefusal } from './server-faults.ts'

const column = (name: string, more = {}) => ({
  ...{ name, kind: 'string', isRequired: false, isPrivate: false, isKnown: true },
  ...more,
})
const plan = {
  type: 'Ward',
  id: ['code'],
  columns: [column('Ward name', { field: 'name' }), column('Beds', { kind: 'integer' })],
} as never
const record = (id: string, line: number, data: object) => ({ id, type: 'Ward', line, data })
const changed = [
  record('A', 2, { name: 'Alpha', Beds: 1 }),
  record('B', 3, { name: 'Beta', Beds: 2 }),
  record('C', 7, { name: 'New', Beds: 3 }),
] as never
const known = new Map([['Beds', column('Beds', { kind: 'integer' })]]) as never
const sent = { plan, changed, known, head: 'v1.0.0' }

const refused = (errors: object[], line: number | null, id: string) =>
  new UlmusError('Refused.', {
    status: 422,
    code: 'schema_violation',
    body: {
      validationErrors: [
        { line, id, type: 'Ward', code: 'schema_violation', message: 'refused', errors } as never,
      ],
      totalErrors: 41,
    },
  })

test('a refused line of a batch is a line and a column of the file, with its value and a way out', () => {
  const error = refused([{ path: '/name', message: 'must be one of ["Alpha","Beta"]' }], 1, 'C')
  const refusal = serverRefusal(new BatchRefused(error, 'records', 2), sent)
  expect(refusal.faults).toMatchObject([{ line: 7, column: 'Ward name', value: 'New' }])
  expect(refusal.sentence).toBe(
    '41 records of the file do not fit the schema of Ward. Nothing was published.',
  )
  expect(refusal.ways).toMatchObject([
    {
      label: 'Allow new values',
      change: { kind: 'column', column: 'Ward name', set: { choices: undefined } },
    },
  ])
})

test('a record without a required field is found by its id, and the field may become optional', () => {
  const error = refused([{ path: '', message: "must have required property 'Beds'" }], null, 'B')
  const refusal = serverRefusal(error, sent)
  expect(refusal.faults).toMatchObject([{ line: 3, column: 'Beds', problem: 'must have a value' }])
  expect(refusal.ways).toMatchObject([
    { label: 'Make Beds optional', change: { set: { isRequired: false } } },
  ])
})

test('a record that the file does not have is named by its id, and the column may stay as it was', () => {
  const error = refused([{ path: '/Beds', message: 'must be string' }], null, 'Z')
  const widened = { ...(plan as object), columns: [column('Beds', { kind: 'string' })] } as never
  const refusal = serverRefusal(error, { ...sent, plan: widened })
  expect(refusal.sentence).toContain('of the latest version, which the file does not have,')
  expect(refusal.faults).toMatchObject([{ line: undefined, id: 'Z', column: 'Beds' }])
  expect(refusal.ways).toMatchObject([{ change: { column: 'Beds', set: { kind: 'integer' } } }])
})

test('after another version the page offers to compare with that one', () => {
  const error = new UlmusError('Moved on.', {
    status: 409,
    code: 'version_conflict',
    body: { currentVersion: 'v2.0.0' },
  })
  expect(serverRefusal(error, sent).ways).toMatchObject([
    { label: 'Compare with v2.0.0', change: { kind: 'head', head: 'v2.0.0' } },
  ])
})

test('private data that the comparison did not know is described without words of the API', () => {
  const body = { valuesInIds: [{ type: 'Ward', field: 'Nurse', records: 2, of: 2 }] }
  const error = new UlmusError('Send confirm_public.', { status: 422, code: 'private_value_in_id', body })
  const refusal = serverRefusal(error, sent)
  expect(refusal.sentence).toBe(
    'More private data would become public than you confirmed. Nothing was published.',
  )
  expect(refusal.ways).toMatchObject([{ label: 'Compare again', change: { kind: 'head', head: 'v1.0.0' } }])
})
