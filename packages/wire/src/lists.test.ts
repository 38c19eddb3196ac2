import { expect, test } from 'vitest'
import { z } from 'zod'
import { ListQuery, listLimitMax, listLimitUsual, NoQuery, querySwitch } from './lists.ts'

test('an absent limit is the usual one, one over the maximum counts as the maximum', () => {
  expect(ListQuery.parse({})).toEqual({ limit: listLimitUsual, offset: 0 })
  expect(ListQuery.parse({ limit: '1' }).limit).toBe(1)
  expect(ListQuery.parse({ limit: '100' }).limit).toBe(100)
  for (const limit of ['101', '99999999999999999999999999']) {
    expect(ListQuery.parse({ limit }).limit, limit).toBe(listLimitMax)
  }
})

test('anything but an integer within bounds is refused, not guessed', () => {
  for (const limit of ['0', '00', '-1', '1.5', '1e2', ' 1', '', 'ten', '0x10', '१', ['1', '2']]) {
    expect(ListQuery.safeParse({ limit }).success, `limit ${limit}`).toBe(false)
  }
  for (const offset of ['-1', '1.5', '', ' ']) {
    expect(ListQuery.safeParse({ offset }).success, `offset ${offset}`).toBe(false)
  }
  expect(ListQuery.parse({ offset: '0' }).offset).toBe(0)
})

test('a switch is `true` or `1`, `false` or `0` and nothing else', () => {
  const Query = z.strictObject({ async: querySwitch('') })
  expect(Query.parse({ async: 'true' })).toEqual({ async: true })
  expect(Query.parse({ async: 'false' })).toEqual({ async: false })
  expect(['1', '0'].map((value) => Query.parse({ async: value }).async)).toEqual([true, false])
  expect(Query.parse({})).toEqual({ async: false })
  for (const value of ['2', '00', 'TRUE', 'yes', '', ['true', 'true']]) {
    expect(Query.safeParse({ async: value }).success, `${value}`).toBe(false)
  }
})

test('an unknown query parameter is refused', () => {
  expect(NoQuery.safeParse({ x: '1' }).success).toBe(false)
  expect(ListQuery.safeParse({ page: '2' }).success).toBe(false)
})
