import { expect, test } from 'vitest'
import { findRecord } from '../stored-leaves/find-record.ts'
import { leafOf, rawOf } from '../stored-leaves/stored-leaf.fixture.ts'
import { writeLeaf } from '../stored-leaves/write-leaf.ts'
import { openWork } from './work.ts'

const threads = {
  push: new URL('../push-thread.ts', import.meta.url),
  read: new URL('../read-thread.ts', import.meta.url),
}

test('asking for a running thread starts one and reports it once it has begun', async () => {
  const work = openWork({ threads })
  try {
    expect([work.hasReader(), work.hasReader()]).toEqual([false, false])
    await expect.poll(() => work.hasReader(), { timeout: 60_000 }).toBe(true)
  } finally {
    await work.close()
  }
})

test('a single read does not wait for many reads of another owner', async () => {
  const work = openWork({ threads })
  const leaf = () => leafOf(rawOf({ a: { n: 1 }, b: { n: 2 } }))
  const find = (id: string) => work.run(findRecord, { ...leaf(), id }, { owner: 'ada' })
  try {
    await find('a')
    let done = 0
    const long = Array.from({ length: 200 }, async () => {
      const task = { ...leaf(), after: undefined, form: 'canonical', buffer: undefined } as const
      await work.run(writeLeaf, task, { owner: 'eve' })
      done++
    })
    await find('b')
    expect(done).toBeLessThan(20)
    await Promise.all(long)
  } finally {
    await work.close()
  }
})

test('damage that a thread finds is reported, and throws ObjectCorruptError with the place', async () => {
  const found: string[] = []
  const work = openWork({ threads, onDamage: (kind, hash) => void found.push(`${kind} ${hash}`) })
  try {
    const leaf = leafOf(rawOf({ a: { n: 1 } }))
    leaf.node.chain[0]!.bytes = new Uint8Array(leaf.node.chain[0]!.bytes).fill(7, 4)
    const reading = work.run(findRecord, { ...leaf, id: 'a' }, { owner: 'ada' })
    await expect(reading).rejects.toMatchObject({ name: 'ObjectCorruptError', hash: leaf.node.hash })
    expect(found).toEqual([`plain ${leaf.node.hash}`])
  } finally {
    await work.close()
  }
})
