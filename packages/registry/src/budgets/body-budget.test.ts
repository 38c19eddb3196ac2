import { describe, expect, test } from 'vitest'
import type { Caller } from '../principal.ts'
import { joined, type Pieces } from '../work/buffers.ts'
import { BodyBudget } from './body-budget.ts'

const caller = (accountId: string): Caller => ({
  ...{
    kind: 'key',
    accountId,
    accountSlug: accountId,
    scope: 'write',
    limitedTo: null,
    credential: null,
    expiresAt: null,
  },
})
const ada = caller('ada')
const eve = caller('eve')
const bob = caller('bob')

async function* chunks(...lengths: number[]): AsyncGenerator<Uint8Array> {
  for (const length of lengths) yield new Uint8Array(length).fill(length)
}

/** A body that counts until `letGo`. */
function staying(budget: BodyBudget, who: Caller, bytes: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const gathered = budget.gather(who, chunks(bytes), bytes, () => promise)
  return { gathered, letGo: resolve }
}
const size = async (pieces: Pieces) => joined(pieces).length

describe('the budget for bodies', () => {
  test('a body is given whole', async () => {
    const body = await new BodyBudget(100).gather(ada, chunks(2, 1, 3), 6, async (pieces) => [
      ...joined(pieces),
    ])
    expect(body).toEqual([2, 2, 1, 3, 3, 3])
  })

  test('a large one is given in pieces, each in a buffer of its own', async () => {
    const mebibyte = 1024 ** 2
    const lengths = await new BodyBudget(64 * mebibyte).gather(
      ada,
      chunks(...Array(320).fill(mebibyte / 16)),
      20 * mebibyte,
      async (pieces) => pieces.map(({ length, buffer }) => (length === buffer.byteLength ? length : 0)),
    )
    expect(lengths).toEqual(Array(80).fill(mebibyte / 4))
  })

  test('the memory of what came is given back once it is copied, unless others may have views of it', async () => {
    const [whole, view] = [new Uint8Array(65_536), new Uint8Array(65_536).subarray(1)]
    const body = async function* () {
      yield whole
      yield view
    }
    expect(await new BodyBudget(1_000_000).gather(ada, body(), 1_000_000, size)).toBe(131_071)
    expect([whole.length, view.length]).toEqual([0, 65_535])
  })

  test('a body over its limit is too large, and leaves no trace', async () => {
    const budget = new BodyBudget(20)
    for (let time = 0; time < 5; time++)
      await expect(budget.gather(ada, chunks(6, 3), 8, size)).rejects.toMatchObject({ code: 'too_large' })
    expect(await budget.gather(ada, chunks(10), 10, size)).toBe(10)
  })

  test('one account has half of what is free, until what it holds is done with', async () => {
    const budget = new BodyBudget(20)
    const first = staying(budget, ada, 8)
    await expect(budget.gather(ada, chunks(2, 1), 8, size)).rejects.toMatchObject({ code: 'busy' })
    expect(await budget.gather(eve, chunks(6), 10, size)).toBe(6)
    first.letGo()
    await first.gathered
    expect(await budget.gather(ada, chunks(10), 10, size)).toBe(10)
  })

  test('the more hold something, the less each may hold: none of them shuts out the next', async () => {
    const budget = new BodyBudget(64)
    const held = []
    for (const [who, bytes] of [
      [ada, 32],
      [eve, 16],
      [bob, 8],
      [caller('dan'), 4],
    ] as const) {
      held.push(staying(budget, who, bytes))
      await expect(budget.gather(who, chunks(1), 64, size)).rejects.toMatchObject({ code: 'busy' })
    }
    const next = caller('fay')
    await expect(budget.gather(next, chunks(2, 1), 64, size)).rejects.toMatchObject({ code: 'busy' })
    expect(await budget.gather(next, chunks(1, 1), 64, size)).toBe(2)
    held[0]!.letGo()
    await held[0]!.gathered
    // Each may then hold as much as all of them leave.
    expect(await budget.gather(ada, chunks(18), 64, size)).toBe(18)
    await expect(budget.gather(ada, chunks(18, 1), 64, size)).rejects.toMatchObject({ code: 'busy' })
    for (const { letGo } of held) letGo()
    await Promise.all(held.map(({ gathered }) => gathered))
    expect(await budget.gather(bob, chunks(64), 64, size)).toBe(64)
  })

  test('a body that breaks off, and work that fails, count no longer', async () => {
    const budget = new BodyBudget(20)
    const broken = async function* () {
      yield new Uint8Array(9)
      throw new Error('broken off')
    }
    const failing = () => Promise.reject(new Error('failed'))
    for (let time = 0; time < 3; time++) {
      await expect(budget.gather(ada, broken(), 10, size)).rejects.toThrow('broken off')
      await expect(budget.gather(ada, chunks(10), 10, failing)).rejects.toThrow('failed')
    }
    expect(await budget.gather(ada, chunks(10), 10, size)).toBe(10)
  })
})
