import { expect, test } from 'vitest'
import type { Caller } from '../principal.ts'
import { AnswerBudget, countAnswer } from './answer-budget.ts'

const caller = (accountId: string): Caller => ({
  ...{
    kind: 'key',
    accountId,
    accountSlug: accountId,
    scope: 'read',
    limitedTo: null,
    credential: null,
    expiresAt: null,
  },
})
const [ada, eve] = [caller('ada'), caller('eve')]
const anyone = (address = '192.0.2.1') => ({ kind: 'anonymous', address }) as const
type Anyone = ReturnType<typeof anyone>
const mebibyte = 1024 ** 2
const busy = expect.objectContaining({ code: 'busy' })
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Builds an answer of this size. Returns a function that ends it. */
async function hold(budget: AnswerBudget, who: Caller | Anyone, bytes: number) {
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  await budget.whole(who, gone, async () => countAnswer(bytes))
  return async () => {
    resolve()
    await turn()
  }
}

test('an answer has four times its data until it is gone; one account has as much as it leaves free', async () => {
  const budget = new AnswerBudget(16 * mebibyte)
  const letGo = await hold(budget, ada, mebibyte)
  await hold(budget, ada, mebibyte)
  await expect(hold(budget, ada, mebibyte)).rejects.toEqual(busy)
  await hold(budget, eve, mebibyte)
  await expect(hold(budget, caller('bob'), mebibyte)).rejects.toEqual(busy)
  await hold(budget, caller('bob'), mebibyte / 2)
  await letGo()
  await hold(budget, caller('bob'), mebibyte / 2)
})

test('one address may use an eighth of an idle budget, all anonymous callers together half', async () => {
  const budget = new AnswerBudget(64 * mebibyte)
  const addresses = Array.from({ length: 7 }, (_, i) => `192.0.2.${i}`)
  for (const [index, address] of addresses.entries()) {
    await hold(budget, anyone(address), index === 0 ? 2 * mebibyte : mebibyte)
    await expect(hold(budget, anyone(address), mebibyte)).rejects.toEqual(busy)
  }
  await expect(hold(budget, anyone('192.0.2.9'), mebibyte)).rejects.toEqual(busy)
  await hold(budget, ada, 4 * mebibyte)
})

test('a caller alone may use any amount', async () => {
  const budget = new AnswerBudget(8 * mebibyte)
  const letGo = await hold(budget, anyone(), 100 * mebibyte)
  await expect(hold(budget, ada, mebibyte)).rejects.toEqual(busy)
  await letGo()
  await hold(budget, ada, mebibyte)
})

/** Begins a stream. Returns a function that ends it. */
async function begin(budget: AnswerBudget, who: Caller | Anyone) {
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  async function* source() {
    for (;;) yield Buffer.from('piece')
  }
  const stream = budget.stream(who, gone, 'file', source())
  expect(`${(await stream.next()).value}`).toBe('piece')
  const letGo = () => {
    resolve()
    return turn()
  }
  return { left: () => stream.return(undefined), gone: letGo }
}

/** Number of unread streams of a MiB each that can begin. */
async function streamsBegun(budget: AnswerBudget, who: Caller | Anyone): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await begin(budget, who)
    } catch (error) {
      expect(error).toEqual(busy)
      return count
    }
  }
}

test('streams of the first account take an eighth of the budget, of each further one less', async () => {
  const budget = new AnswerBudget(64 * mebibyte)
  const begun: number[] = []
  for (const name of ['ada', 'eve', 'bob', 'cat']) begun.push(await streamsBegun(budget, caller(name)))
  expect(begun).toEqual([8, 7, 6, 5])
})

test('so do those of each address without a credential; all of them together take half, and leave some for accounts', async () => {
  const budget = new AnswerBudget(64 * mebibyte)
  const begun: number[] = []
  for (let n = 1; n <= 7; n++) begun.push(await streamsBegun(budget, anyone(`192.0.2.${n}`)))
  expect(begun).toEqual([8, 7, 6, 5, 4, 2, 0])
  expect(await streamsBegun(budget, ada)).toBe(4)
})

test('a stream has its part of the budget until it is left and its answer is gone; one that was never begun has none', async () => {
  const budget = new AnswerBudget(8 * mebibyte)
  const never = new Promise<void>(() => undefined)
  await budget.stream(ada, never, 'file', (async function* () {})()).return(undefined)
  const first = await begin(budget, ada)
  await expect(begin(budget, ada)).rejects.toEqual(busy)
  await first.left()
  await expect(begin(budget, ada)).rejects.toEqual(busy)
  await first.gone()
  const second = await begin(budget, ada)
  await second.gone()
  await expect(begin(budget, ada)).rejects.toEqual(busy)
  await second.left()
  await turn()
  await begin(budget, ada)
})

test('small answers are not counted, however many', async () => {
  const budget = new AnswerBudget(mebibyte)
  for (let i = 0; i < 1_000; i++) await hold(budget, ada, mebibyte / 4)
})

test('a caller that hangs up keeps its share until the work counts more and notices', async () => {
  const budget = new AnswerBudget(16 * mebibyte)
  const { promise: underWay, resolve: goOn } = Promise.withResolvers<void>()
  const working = budget.whole(ada, Promise.resolve(), async () => {
    countAnswer(2 * mebibyte)
    await underWay
    countAnswer(0)
  })
  await turn()
  await expect(hold(budget, ada, mebibyte)).rejects.toEqual(busy)
  goOn()
  await expect(working).rejects.toEqual(busy)
  await turn()
  await hold(budget, ada, 2 * mebibyte)
})

test('work that fails gives its part back when its answer is gone', async () => {
  const budget = new AnswerBudget(16 * mebibyte)
  for (let i = 0; i < 5; i++) {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const failing = budget.whole(ada, gone, async () => {
      countAnswer(2 * mebibyte)
      throw new Error('failed')
    })
    await expect(failing).rejects.toThrow('failed')
    resolve()
    await turn()
  }
})

test('concurrent requests are counted separately, and nothing is counted outside requests', async () => {
  const budget = new AnswerBudget(16 * mebibyte)
  countAnswer(100 * mebibyte)
  const { promise: together, resolve: goOn } = Promise.withResolvers<void>()
  const read = (who: Caller, bytes: number) =>
    budget.whole(who, new Promise(() => undefined), async () => {
      await together
      countAnswer(bytes)
    })
  const reading = [read(ada, 2 * mebibyte), read(eve, mebibyte), read(eve, mebibyte / 2)]
  goOn()
  expect((await Promise.allSettled(reading)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
  ])
})
