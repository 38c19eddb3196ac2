/** One rule for numbers: tables and record lines accept the same ones, and accepted numbers survive every text form. */
import { canonicalize, InputError, parseStrict } from '@ulmus/content'
import { csvOf } from '@ulmus/tabular'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRounded } from '../../../../../packages/tabular/src/reading/json-numbers.ts'
import { lineOf, parseLine } from './record-line.ts'

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 22 })
const literals = fc.oneof(
  fc
    .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: 1, max: 40 }))
    .chain(([value, n]) => fc.constantFrom(`${value}`, value.toPrecision(n), value.toFixed(n))),
  fc
    .tuple(digits, fc.option(digits), fc.option(fc.integer({ min: -330, max: 310 })))
    .map(
      ([whole, fraction, exponent]) =>
        `${BigInt(whole)}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
    ),
  fc.bigInt(2n ** 53n - 4n, 2n ** 53n + 9n).map(String),
  fc.bigInt(2n ** 53n, 2n ** 68n).map((whole) => `${Number(whole)}`),
)

function isTaken(text: string): boolean {
  try {
    parseStrict(text)
    return true
  } catch (error) {
    if (error instanceof InputError) return false
    throw error
  }
}

test('a number is taken by every reader or by none, and comes back as the same number', async () => {
  const met = { taken: 0, refused: 0 }
  const check = async (literal: string) => {
    const taken = isTaken(literal)
    met[taken ? 'taken' : 'refused']++
    expect(isRounded(literal)).toBe(!taken)
    const place = { file: 'T.ndjson', line: 1 }
    const line = `{"id":"1","data":{"n":${literal}}}`
    if (!taken) {
      expect(() => parseLine(line, 'T', place)).toThrow(/write it as a string/)
      return
    }
    const { record } = parseLine(line, 'T', place)
    const canonical = canonicalize(record.data)
    const again = parseLine(lineOf(record), 'T', place).record
    expect(canonicalize(again.data)).toBe(canonical)
    expect(isTaken(JSON.stringify(record.data))).toBe(true)
    let csv = ''
    const fields = [{ name: 'n', kind: 'number' as const }]
    for await (const piece of csvOf([{ id: '1', data: record.data }], fields)) csv += piece
    const [, cell = ''] = /\n1,(.*)\r?\n$/.exec(csv) ?? []
    expect(isRounded(cell)).toBe(false)
    expect(canonicalize({ n: Number(cell) })).toBe(canonical)
  }
  await fc.assert(fc.asyncProperty(literals, check), { numRuns: 3_000 })
  expect(Math.min(met.taken, met.refused)).toBeGreaterThan(300)
})
