/** Inputs of calls that programs write as literals. */
import { expect, expectTypeOf, test } from 'vitest'
import type { createClient } from './client.ts'
import { BatchRefused, UlmusError } from './errors.ts'

const schema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', enum: ['Oslo', 'Bergen'] }, at: { type: ['string', 'null'] } },
} as const
const metadata = { license: 'MIT', keywords: ['cities', 'rivers'], sources: [{ name: 'a' }] } as const

type Client = ReturnType<typeof createClient>

test('schemas and metadata declared `as const` are accepted', () => {
  const schemas = { City: schema } as const
  expectTypeOf({ baseVersion: null, schemas, metadata }).toExtend<Parameters<Client['push']>[1]>()
  expectTypeOf({ ...{ baseVersion: null, schemas, metadata }, records: () => [] }).toExtend<
    Parameters<Client['snapshot']>[1]
  >()
  expectTypeOf(schema).toExtend<Parameters<Client['mirror']>[1]['schema']>()
  expectTypeOf(metadata).toExtend<Parameters<Client['metadata']['patch']>[1]>()
  // Types that can be changed are still accepted, and functions are still refused.
  expectTypeOf<{ City: { required: string[] } }>().toExtend<Parameters<Client['snapshot']>[1]['schemas']>()
  expectTypeOf({ City: { type: () => 'object' } }).not.toExtend<
    Parameters<Client['snapshot']>[1]['schemas']
  >()
})

const body = {
  error: '2 record(s) do not match their schemas. None of this request was stored.',
  code: 'schema_violation',
  validationErrors: [
    {
      ...{ line: 3, id: 'oslo', type: 'City', code: 'schema_violation', message: 'the data does not match' },
      errors: [
        { path: '/name', message: 'must be string' },
        { path: '', message: "must have required property 'at'" },
        { path: '/tags/0', message: 'must be string' },
      ],
    },
    { line: 4, id: null, type: null, code: 'syntax', message: 'The line is no JSON.' },
  ],
  totalErrors: 2,
} as const

test('the message of a refusal has all faults of a record', () => {
  const refusal = UlmusError.fromBody(body as never, 422)
  const faults = "/name must be string; must have required property 'at'; /tags/0 must be string"
  expect(refusal.message.split('\n').slice(1)).toEqual([
    `  line 3, City "oslo": ${faults}`,
    '  line 4: The line is no JSON.',
  ])
  expect(new BatchRefused(refusal, 'records', 10).message).toContain(`line 13, City "oslo": ${faults}`)
})
