import { acceptSchema, type JsonObject } from '@ulmus/content'
import { afterAll, describe, expect, test } from 'vitest'
import { checkCarried } from '../pushes/commit/check-carried.ts'
import { checkBatch } from '../pushes/receiving/check-batch.ts'
import { pushSchemas } from '../pushes/schemas/push-schema.ts'
import type { TaskFor } from './task.ts'
import { openWork } from './work.ts'

const threads = {
  push: new URL('../push-thread.ts', import.meta.url),
  read: new URL('../read-thread.ts', import.meta.url),
}

const work = openWork({ threads, costlyMilliseconds: 200, taskMilliseconds: 500, heapMebibytes: 64 })
afterAll(() => work.close())

const ndjson = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`)
const schemasOf = (schema: JsonObject) => {
  const { hash, privateFields, canonical: text } = acceptSchema(schema)
  return pushSchemas([{ type: 'T', hash, publicHash: hash, privateFields, text, publicText: null }], hash)
}
const batchOf = (schema: JsonObject, data: unknown) => ({
  ...{ bytes: [ndjson({ id: 'a', type: 'T', data })], kind: 'records' as const, schemas: schemasOf(schema) },
  ...{ formerTypes: [], stripUnknownFields: false, facts: false, linesMax: 10 },
})
const check = (schema: JsonObject, data: unknown, by: TaskFor = { owner: 'ada' }) =>
  work.run(checkBatch, batchOf(schema, data), by)

const branch = { properties: { x: { $ref: '#/$defs/a' } }, required: ['x'] }
/** Doubles the work at every level of the data. */
const doubling: JsonObject = {
  properties: { x: { $ref: '#/$defs/a' } },
  $defs: { a: { anyOf: [branch, { ...branch, title: 'again' }] } },
}
let deep: JsonObject = { leaf: 1 }
for (let level = 0; level < 60; level++) deep = { x: deep }

describe('a task over the limits of a worker', () => {
  test('a batch of which the schema takes for ever is refused, and the worker goes on', async () => {
    await expect(check(doubling, deep)).rejects.toMatchObject({ code: 'too_costly' })
    expect(await check({}, deep)).toMatchObject({ kind: 'spill', received: 1 })
  })

  test('for a while the same schemas are refused at once to their sender, and to no other', async () => {
    const other = { ...doubling, title: 'other' }
    await expect(check(other, deep)).rejects.toMatchObject({ code: 'too_costly' })
    // This data is cheap to check.
    await expect(check(other, {})).rejects.toMatchObject({ code: 'too_costly' })
    expect(await check(other, {}, { owner: 'bob' })).toMatchObject({ kind: 'spill' })
  })

  test('so are records that are carried over', async () => {
    const task = () => ({ bytes: ndjson({ id: 'a', type: 'T', data: deep }), schemas: schemasOf(doubling) })
    await expect(work.run(checkCarried, task(), { owner: 'eve' })).rejects.toMatchObject({
      code: 'too_costly',
    })
    expect(await work.run(checkCarried, { ...task(), schemas: schemasOf({}) }, { owner: 'eve' })).toEqual([])
  })

  test('a batch of which the issues do not fit its memory is refused, and another worker goes on', async () => {
    const asked = { contains: { anyOf: Array.from({ length: 20 }, (_, value) => ({ const: value + 1 })) } }
    await expect(check(asked, Array(300_000).fill(0))).rejects.toMatchObject({ code: 'too_costly' })
    expect(await check(asked, [0, 1], { owner: 'bob' })).toMatchObject({ kind: 'spill', received: 1 })
  })
})

describe('a task beside a costly one', () => {
  const many = Array.from({ length: 6 }, (_, i) => ({ ...doubling, title: `schema ${i}` }))

  test('does not wait for six costly batches of one account', async () => {
    const patient = openWork({ threads, taskMilliseconds: 25_000 })
    const leaving = new AbortController()
    try {
      const by = { owner: 'eve', signal: leaving.signal }
      let ended = 0
      const costly = Promise.allSettled(
        many.map((schema) => patient.run(checkBatch, batchOf(schema, deep), by).finally(() => ended++)),
      )
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      const batches = Array.from({ length: 4 }, () =>
        patient.run(checkBatch, batchOf({}, {}), { owner: 'ada' }),
      )
      expect(await Promise.all(batches)).toMatchObject(Array(4).fill({ kind: 'spill' }))
      // Each costly batch may take 25 s.
      expect(ended).toBeLessThan(3)
      leaving.abort(new Error('left'))
      await costly
    } finally {
      await patient.close()
    }
  })

  test('has the worker as soon as the costly task is aborted, and waiting tasks can be aborted', async () => {
    const patient = openWork({ threads, taskMilliseconds: 60_000, costlyMilliseconds: 60_000 })
    try {
      const leaving = new AbortController()
      const by = { owner: 'eve', signal: leaving.signal }
      const left = Promise.allSettled(
        many.map((schema) => patient.run(checkBatch, batchOf(schema, deep), by)),
      )
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      leaving.abort(new Error('left'))
      expect((await left).map((one) => one.status === 'rejected' && one.reason.message)).toEqual(
        Array(6).fill('left'),
      )
      const batches = [1, 2].map(() => patient.run(checkBatch, batchOf({}, {}), { owner: 'eve' }))
      expect(await Promise.all(batches)).toMatchObject(Array(2).fill({ kind: 'spill' }))
    } finally {
      await patient.close()
    }
  })
})
