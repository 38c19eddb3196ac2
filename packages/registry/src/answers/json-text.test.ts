import { expect, test } from 'vitest'
import { JsonText, jsonOf } from './json-text.ts'

test('JSON text stands in an answer as it is', () => {
  const answer = {
    a: new JsonText('{"x":', Buffer.from('1.0'), '}'),
    list: [new JsonText('"ü"'), 'b'],
    none: null,
  }
  expect(String(jsonOf(answer))).toBe('{"a":{"x":1.0},"list":["ü","b"],"none":null}')
  expect(String(jsonOf(new JsonText('[1]')))).toBe('[1]')
})

test('without any it is what JSON.stringify makes', () => {
  for (const value of [{ a: [1, 'ü', null] }, [], 'text', { toJSON: () => 1 }])
    expect(jsonOf(value)).toBe(JSON.stringify(value))
})

test('only jsonOf can write it', () => {
  expect(() => JSON.stringify({ a: new JsonText('1') })).toThrow('jsonOf')
  expect(() => jsonOf({ a: 1n })).toThrow(TypeError)
  expect(() => JSON.stringify({ a: new JsonText('1') })).toThrow('jsonOf')
})
