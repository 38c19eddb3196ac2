import { expect, test } from 'vitest'
import { AnswerRoom } from './answer-room.ts'
import type { Caller } from './principal.ts'

const caller = (accountId: string): Caller => ({
  ...{ kind: 'key', accountId, accountSlug: accountId, scope: 'read', limitedTo: null },
})
const ada = caller('ada')
const anyone = { kind: 'anonymous' } as const
const mebibyte = 1024 ** 2
const busy = expect.objectContaining({ code: 'busy' })

/** An answer that is taken when it is let go. */
function staying(room: AnswerRoom, who: Caller | typeof anyone) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { ...room.for(who, promise), letGo: resolve }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('an answer has four times its data, until it is gone; one account has half of the room', async () => {
  const room = new AnswerRoom(16 * mebibyte)
  const first = staying(room, ada)
  first.add(mebibyte)
  first.add(mebibyte)
  expect(() => first.add(1)).toThrow(busy)
  expect(() => staying(room, ada).add(mebibyte)).toThrow(busy)
  const others = staying(room, anyone)
  others.add(2 * mebibyte)
  expect(() => staying(room, caller('eve')).add(mebibyte)).toThrow(busy)
  first.letGo()
  await turn()
  staying(room, ada).add(2 * mebibyte)
  expect(() => staying(room, anyone).add(mebibyte)).toThrow(busy)
  others.letGo()
  await turn()
  staying(room, anyone).add(2 * mebibyte)
})

test('small answers are not counted, however many', () => {
  const room = new AnswerRoom(2 * mebibyte)
  for (let i = 0; i < 1_000; i++) staying(room, ada).add(mebibyte / 4)
  staying(room, ada).add(mebibyte / 4)
})

test('what is added when the answer is gone is nobody’s', async () => {
  const room = new AnswerRoom(16 * mebibyte)
  for (let i = 0; i < 10; i++) {
    const one = staying(room, ada)
    one.add(2 * mebibyte)
    one.letGo()
    await turn()
    one.add(2 * mebibyte)
  }
})
