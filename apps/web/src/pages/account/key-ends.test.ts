import { expect, test } from 'vitest'
import { keyEndOf, keyEnds } from './key-ends.ts'

const daysTo = (end: Date | null) =>
  end === null ? null : Math.round((end.getTime() - Date.now()) / 86_400_000)

test('a key ends as the form says', () => {
  expect(Object.keys(keyEnds).map((chosen) => daysTo(keyEndOf(chosen)))).toEqual([7, 30, 90, 365, null])
})

test('what no form offers is the usual end: no key lives on by mistake', () => {
  for (const chosen of [undefined, '', '0', '-1', '1e15', '60', 'Never', 'constructor'])
    expect(daysTo(keyEndOf(chosen)), chosen).toBe(90)
})
