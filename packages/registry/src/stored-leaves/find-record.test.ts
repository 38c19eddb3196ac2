import { type JsonObject, recordOf } from '@ulmus/content'
import { describe, expect, test } from 'vitest'
import { findRecord } from './find-record.ts'
import { type Contents, leafOf, lineOf, type Raw, rawOf } from './stored-leaf.fixture.ts'

const contents: Contents = Object.fromEntries(
  Array.from({ length: 300 }, (_, n): [string, JsonObject] => {
    const text = n % 100 === 50 ? 'large'.repeat(5_000) : `${n} is a number`.repeat(9)
    return [`r${1_000 + n}`, { n, text }]
  }),
)
const raw = rawOf(contents)
const base = rawOf({ ...contents, r1007: { n: -7 } })

/** Input of a thread's task. The task takes the bytes over, so each call makes new ones. */
const taskFor = (id: string, leaf: Raw = raw) => {
  const { node, body, lastKey } = leafOf(leaf, base)
  return { node, body, lastKey, id }
}

describe('findRecord', () => {
  test('finds each record of a leaf, with the line of its body and no more', async () => {
    for (const [id, data] of Object.entries(contents)) {
      const found = (await findRecord.run(taskFor(id)))!
      const { canonical, hash } = recordOf(id, 'T', data)
      expect([found.hash, found.size]).toEqual([hash, Buffer.byteLength(canonical)])
      expect(Buffer.from(found.line).toString()).toBe(lineOf(id, data))
      expect(found.line.buffer.byteLength).toBe(found.line.length)
    }
  })

  test.each(['q', 'r1000 ', 'r1299', 'r1', ''])('tells that there is none with the id "%s"', async (id) => {
    const { r1299: _, ...others } = contents
    expect(await findRecord.run(taskFor(id, rawOf(others)))).toBeUndefined()
  })

  test('a line that is not the record that the leaf names is damage', async () => {
    const lines = raw.lines.with(5, raw.lines[5]!.replace('5', '6'))
    await expect(findRecord.run(taskFor('r1005', { ...raw, lines }))).rejects.toMatchObject({
      ...{ name: 'ObjectCorruptError', kind: 'body', hash: raw.hash, pack: 'pack' },
    })
  })

  test('a flipped byte of anything that is stored is damage', async () => {
    const task = taskFor('r1042')
    const links = [...task.node.chain, ...task.body.chain]
    expect(links).toHaveLength(4)
    for (const [at, { bytes }] of links.entries()) {
      for (const place of [0, bytes.length >> 1, bytes.length - 1]) {
        const other = taskFor('r1042')
        const link = [...other.node.chain, ...other.body.chain][at]!
        link.bytes = Uint8Array.from(link.bytes)
        link.bytes[place]! ^= 1
        await expect(findRecord.run(other)).rejects.toMatchObject({ name: 'ObjectCorruptError' })
      }
    }
  })

  test('a leaf that is not what its parent says is refused', async () => {
    await expect(findRecord.run({ ...taskFor('r1042'), lastKey: 'r2000' })).rejects.toMatchObject({
      code: 'node_misplaced',
    })
  })
})
