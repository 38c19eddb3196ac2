import type { JsonObject } from '@ulmus/content'
import { describe, expect, test } from 'vitest'
import { compareLeaves } from './compare-leaves.ts'
import { type Contents, leafOf, lineOf, rawOf } from './stored-leaf.fixture.ts'

const ids = Array.from({ length: 300 }, (_, n) => `r${1_000 + n}`)
const contents: Contents = Object.fromEntries(
  ids.map((id, n) => [id, { n, text: `${n} is a number`.repeat(9) }]),
)
const large = (letter: string): JsonObject => ({ text: letter.repeat(20_000) })

const changed: Contents = { ...contents, r1005: { n: -5 }, r1100: large('b'), r1210: large('c') }
delete changed['r1042']
const former: Contents = { ...contents, r1100: large('a') }
const [old, next] = [rawOf(former), rawOf(changed)]
const differing = ['r1005', 'r1042', 'r1100', 'r1210']

const textIn = (line: Uint8Array | undefined) => line && Buffer.from(line).toString()

describe('compareLeaves', () => {
  test.each([
    ['both alone', () => [leafOf(old), leafOf(next)]],
    ['the later as a delta', () => [leafOf(old), leafOf(next, old)]],
    ['the former as a delta', () => [leafOf(old, next), leafOf(next)]],
  ] as const)('tells what differs with the lines of both sides: %s', async (_, pair) => {
    const [before, after] = pair()
    const changes = await compareLeaves.run({ before: before!, after: after! })
    expect(changes.map(({ key, lines }) => [key, textIn(lines!.before), textIn(lines!.after)])).toEqual(
      differing.map((id) => [
        id,
        former[id] && lineOf(id, former[id]),
        changed[id] && lineOf(id, changed[id]),
      ]),
    )
    // Cloning a view of a body would copy all of it.
    for (const { lines } of changes)
      for (const line of [lines!.before, lines!.after])
        if (line !== undefined) expect(line.buffer.byteLength).toBe(line.length)
  })

  test('without bodies it tells no lines', async () => {
    const [before, after] = [leafOf(old), leafOf(next, old)].map(({ body: _, ...leaf }) => leaf)
    const changes = await compareLeaves.run({ before: before!, after: after! })
    expect(changes.map(({ key, lines }) => [key, lines])).toEqual(differing.map((key) => [key, undefined]))
  })

  test.each([
    ['a record with another letter', 5, (line: string) => line.replace('-5', '-6')],
    [
      'a reference to another record',
      99,
      (line: string) => line.replace(/[0-9a-f]"}$/, (end) => `${end[0] === '0' ? 1 : 0}"}`),
    ],
    ['a body that is cut short', 209, () => ''],
    ['a line too many before it', 0, (line: string) => `${line}\n${line}`],
  ])('what it would pass on and is not what the leaf names is damage: %s', async (_, index, damage) => {
    const lines = next.lines.with(index, damage(next.lines[index]!))
    if (lines[index] === '') lines.length = index
    expect(lines).not.toEqual(next.lines)
    await expect(
      compareLeaves.run({ before: leafOf(old), after: leafOf({ ...next, lines }, old) }),
    ).rejects.toMatchObject({ name: 'ObjectCorrupt', kind: 'body', hash: next.hash, pack: 'pack' })
  })

  test('a node that is not what its name says is damage', async () => {
    const after = leafOf(next)
    const other = { ...after.node, hash: old.hash, checksum: old.hash }
    await expect(
      compareLeaves.run({ before: leafOf(old), after: { ...after, node: other } }),
    ).rejects.toMatchObject({ name: 'ObjectCorrupt', kind: 'plain' })
  })
})
