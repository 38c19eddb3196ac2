import { expect, test } from 'vitest'
import type { Caller } from '../access/principal.ts'
import { AnswerRoom } from './answer-room.ts'

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
const anyone = { kind: 'anonymous' } as const
const mebibyte = 1024 ** 2
const busy = expect.objectContaining({ code: 'busy' })
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** An answer that holds so much and is taken when it is let go. */
async function hold(room: AnswerRoom, who: Caller | typeof anyone, bytes: number, address = '192.0.2.1') {
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  await room.with(who, { address, gone }, async (answer) => answer.add(bytes))
  return async () => {
    resolve()
    await turn()
  }
}

test('an answer has four times its data until it is gone; one account has as much as it leaves free', async () => {
  const room = new AnswerRoom(16 * mebibyte)
  const letGo = await hold(room, ada, mebibyte)
  await hold(room, ada, mebibyte)
  await expect(hold(room, ada, mebibyte)).rejects.toEqual(busy)
  await hold(room, eve, mebibyte)
  await expect(hold(room, caller('bob'), mebibyte)).rejects.toEqual(busy)
  await hold(room, caller('bob'), mebibyte / 2)
  await letGo()
  await hold(room, caller('bob'), mebibyte / 2)
})

test('an address has an eighth of a room that is empty otherwise, all that are not known have half', async () => {
  const room = new AnswerRoom(64 * mebibyte)
  const addresses = Array.from({ length: 7 }, (_, i) => `192.0.2.${i}`)
  for (const [index, address] of addresses.entries()) {
    await hold(room, anyone, index === 0 ? 2 * mebibyte : mebibyte, address)
    await expect(hold(room, anyone, mebibyte, address)).rejects.toEqual(busy)
  }
  await expect(hold(room, anyone, mebibyte, '192.0.2.9')).rejects.toEqual(busy)
  await hold(room, ada, 4 * mebibyte)
})

test('who is alone has room for anything', async () => {
  const room = new AnswerRoom(8 * mebibyte)
  const letGo = await hold(room, anyone, 100 * mebibyte)
  await expect(hold(room, ada, mebibyte)).rejects.toEqual(busy)
  await letGo()
  await hold(room, ada, mebibyte)
})

/** A stream that has begun and is left when it is let go. */
async function begin(room: AnswerRoom, who: Caller | typeof anyone, bytes: number, address = '192.0.2.1') {
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  async function* source() {
    for (;;) yield Buffer.from('piece')
  }
  const stream = room.stream(who, { address, gone }, bytes, source())
  expect(`${(await stream.next()).value}`).toBe('piece')
  const letGo = () => {
    resolve()
    return turn()
  }
  return { left: () => stream.return(undefined), gone: letGo }
}

/** How many streams of a MiB each may begin that nobody takes. */
async function streamsBegun(
  room: AnswerRoom,
  who: Caller | typeof anyone,
  address?: string,
): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await begin(room, who, mebibyte, address)
    } catch (error) {
      expect(error).toEqual(busy)
      return count
    }
  }
}

test('streams of the first account take an eighth of the room, of each further one less', async () => {
  const room = new AnswerRoom(64 * mebibyte)
  const begun: number[] = []
  for (const name of ['ada', 'eve', 'bob', 'cat']) begun.push(await streamsBegun(room, caller(name)))
  expect(begun).toEqual([8, 7, 6, 5])
})

test('so do those of each address without a credential; all of them together take half, and leave room for accounts', async () => {
  const room = new AnswerRoom(64 * mebibyte)
  const begun: number[] = []
  for (let n = 1; n <= 7; n++) begun.push(await streamsBegun(room, anyone, `192.0.2.${n}`))
  expect(begun).toEqual([8, 7, 6, 5, 4, 2, 0])
  expect(await streamsBegun(room, ada)).toBe(4)
})

test('a stream has its part of the room until it is left and its answer is gone; one that nobody began has none', async () => {
  const room = new AnswerRoom(8 * mebibyte)
  const never = { address: '192.0.2.1', gone: new Promise<void>(() => undefined) }
  await room.stream(ada, never, mebibyte, (async function* () {})()).return(undefined)
  const first = await begin(room, ada, mebibyte)
  await expect(begin(room, ada, mebibyte)).rejects.toEqual(busy)
  await first.left()
  await expect(begin(room, ada, mebibyte)).rejects.toEqual(busy)
  await first.gone()
  const second = await begin(room, ada, mebibyte)
  await second.gone()
  await expect(begin(room, ada, mebibyte)).rejects.toEqual(busy)
  await second.left()
  await turn()
  await begin(room, ada, mebibyte)
})

test('small answers are not counted, however many', async () => {
  const room = new AnswerRoom(mebibyte)
  for (let i = 0; i < 1_000; i++) await hold(room, ada, mebibyte / 4)
})

test('whoever hangs up has the room until the work has noticed, which it does when it adds more', async () => {
  const room = new AnswerRoom(16 * mebibyte)
  const { promise: underWay, resolve: goOn } = Promise.withResolvers<void>()
  const working = room.with(ada, { address: '192.0.2.1', gone: Promise.resolve() }, async (answer) => {
    answer.add(2 * mebibyte)
    await underWay
    answer.add(0)
  })
  await turn()
  await expect(hold(room, ada, mebibyte)).rejects.toEqual(busy)
  goOn()
  await expect(working).rejects.toEqual(busy)
  await turn()
  await hold(room, ada, 2 * mebibyte)
})

test('work that fails gives its room back when its answer is gone', async () => {
  const room = new AnswerRoom(16 * mebibyte)
  for (let i = 0; i < 5; i++) {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const failing = room.with(ada, { address: '192.0.2.1', gone }, async (answer) => {
      answer.add(2 * mebibyte)
      throw new Error('failed')
    })
    await expect(failing).rejects.toThrow('failed')
    resolve()
    await turn()
  }
})
