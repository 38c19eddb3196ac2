import { acceptSchema, type JsonObject } from '@ulmus/content'
import { afterAll, describe, expect, test } from 'vitest'
import { linesOfSchemas } from './pushes/schema-lines.ts'
import { openWorkers } from './workers.ts'

const workers = openWorkers({ taskMilliseconds: 500, heapMebibytes: 64 })
afterAll(() => workers.close())

const ndjson = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`)
const schemasOf = (schema: JsonObject) => {
  const accepted = acceptSchema(schema)
  return { key: accepted.hash, bytes: linesOfSchemas(new Map([['T', accepted]])) }
}
const check = (schema: JsonObject, data: unknown) =>
  workers.checkBatch({
    ...{ bytes: [ndjson({ id: 'a', type: 'T', data })], kind: 'records', schemas: schemasOf(schema) },
    ...{ formerTypes: [], stripUnknownFields: false, facts: false, linesMax: 10 },
  })

const branch = { properties: { x: { $ref: '#/$defs/a' } }, required: ['x'] }
/** Doubles its work at every level of the data. */
const doubling: JsonObject = {
  properties: { x: { $ref: '#/$defs/a' } },
  $defs: { a: { anyOf: [branch, { ...branch, title: 'again' }] } },
}
let deep: JsonObject = { leaf: 1 }
for (let level = 0; level < 60; level++) deep = { x: deep }

describe('what would take a worker too long or too much', () => {
  test('a batch of which the schema takes for ever is refused, and the worker goes on', async () => {
    await expect(check(doubling, deep)).rejects.toMatchObject({ code: 'too_costly' })
    expect(await check({}, deep)).toMatchObject({ kind: 'run', received: 1 })
  })

  test('so are records that are carried over', async () => {
    const task = () => ({ bytes: ndjson({ id: 'a', type: 'T', data: deep }), schemas: schemasOf(doubling) })
    await expect(workers.checkCarried(task())).rejects.toMatchObject({ code: 'too_costly' })
    expect(await workers.checkCarried({ ...task(), schemas: schemasOf({}) })).toEqual([])
  })

  test('a batch of which the issues do not fit its memory is refused, and another worker goes on', async () => {
    const asked = { contains: { anyOf: Array.from({ length: 20 }, (_, value) => ({ const: value + 1 })) } }
    await expect(check(asked, Array(300_000).fill(0))).rejects.toMatchObject({ code: 'too_costly' })
    expect(await check(asked, [0, 1])).toMatchObject({ kind: 'run', received: 1 })
  })
})
