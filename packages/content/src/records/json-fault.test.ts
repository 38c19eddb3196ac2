import { expect, test } from 'vitest'
import { jsonFault } from './json-fault.ts'

test('a fault has the line and the column of the text that was typed', () => {
  expect(jsonFault('{\n  "a": 1,\n  "b": x\n}')).toBe('Line 3, column 8: "x" is not what JSON allows here.')
  expect(jsonFault('{"a": 1, "a": 2}')).toBe('Line 1, column 10: the member "a" occurs a second time.')
  expect(jsonFault('{\n"a": 1')).toBe('Line 2, column 7: the JSON text ends too early.')
})

test('valid data of a record has none', () => {
  expect(jsonFault('{"a": [1, null, "é"]}')).toBeUndefined()
})
