import { expect, test } from 'vitest'
import { areQuantities, durationText, instantText, numberText, relativeText, roundedText } from './format.ts'

const now = Date.parse('2026-11-28T12:00:00Z')
const [minute, hour, day] = [60, 3_600, 86_400]

test.each([
  [90 * day, 'in 3 months'],
  [90 * day - 5, 'in 3 months'],
  [14 * day, 'in 2 weeks'],
  [14 * day - 5, 'in 2 weeks'],
  [10 * day, 'in 10 days'],
  [7 * day - 5, 'in 7 days'],
  [30 * day - 5, 'in 4 weeks'],
  [60 * day - 5, 'in 2 months'],
  [365 * day - 5, 'in 12 months'],
  [730 * day - 5, 'in 2 years'],
  [day - 5, 'in 1 day'],
  [2 * hour - 5, 'in 2 hours'],
  [hour - 5, 'in 1 hour'],
  [10 * minute - 5, 'in 10 minutes'],
  [20, 'just now'],
  [0, 'just now'],
  [-20, 'just now'],
  [-90, '2 minutes ago'],
  [-30 * hour, '1 day ago'],
  [-3 * day - 5, '3 days ago'],
  [-14 * day, '2 weeks ago'],
  [-800 * day, '2 years ago'],
])('%d seconds from now: %s', (seconds, text) => {
  expect(relativeText(new Date(now + seconds * 1_000).toISOString(), now)).toBe(text)
})

test('an instant is rounded to the second, a duration to two or three digits', () => {
  expect(instantText('2026-11-28T14:03:05.987Z')).toBe('2026-11-28 14:03:05 UTC')
  expect([0.4, 12, 999.4, 999.6, 9_949, 9_951, 75_400, 119_499, 119_501, 7.2e6].map(durationText)).toEqual([
    ...['0 ms', '12 ms', '999 ms', '1 s', '9.9 s', '10 s', '75 s', '119 s', '2 min', '120 min'],
  ])
})

test.each<[name: string, values: unknown[], texts: string[]]>([
  ['population', [1_000, 1_234_567, null], ['1,000', '1,234,567']],
  ['population', [999, 1_500], ['999', '1,500']],
  ['height', [1_200.5, 1_800], ['1,200.5', '1,800']],
  ['height', [3_000, 8_848], ['3,000', '8,848']],
  ['depth', [-1_500, -3_000], ['-1,500', '-3,000']],
  ['founded', [1_000, 1984, 2_999], ['1000', '1984', '2999']],
  ['year', [-776, 1896], ['-776', '1896']],
  ['zip_code', [10115, 80331], ['10115', '80331']],
  ['postcode', [1010], ['1010']],
  ['geonameId', [2950159], ['2950159']],
  ['codeCommune', [75056], ['75056']],
  ['price of code', [1_299.5], ['1,299.5']],
  ['paid', [12_000], ['12,000']],
  ['encoded', [12_000], ['12,000']],
  ['n', [1_234_567_890_123_456_789n], ['1,234,567,890,123,456,789']],
])('numbers of %s: %s', (name, values, texts) => {
  const isQuantity = areQuantities(name, values)
  const numbers = values.filter((value) => value !== null) as number[]
  expect(numbers.map((value) => numberText(value, isQuantity))).toEqual(texts)
})

test('a column without numbers has no quantities, and is not one of years either', () => {
  expect(areQuantities('n', [null, 'x', {}, undefined])).toBeUndefined()
})

test('few digits are those of a quantity, or all of a code', () => {
  expect([1_984, 12_345.67, 17_123_456, 0.1234567].map((value) => roundedText(value))).toEqual([
    ...['1,984', '12,345.7', '17.12M', '0.123457'],
  ])
  expect([1_984, 9_781_234_567, 1_984.123456].map((value) => roundedText(value, false))).toEqual([
    ...['1984', '9781234567', '1984.12'],
  ])
})
