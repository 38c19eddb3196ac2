import { hashText } from '@ulmus/content'
import { expect, test } from 'vitest'
import { acceptSchemas } from './accept-schemas.ts'

const accepted = (...types: string[]) =>
  acceptSchemas.run({ given: types.map((type) => [type, '{}'] as const), kept: [], stored: new Map() })

test('types whose files clash on other systems are warned of', () => {
  const outcome = accepted('City', 'city', 'con', 'LPT1.x', 'controls', 'Ort')
  if (outcome.kind !== 'accepted') throw new Error(outcome.reason)
  const named = outcome.warnings.listed.map(({ code, type }) => [code, type])
  expect(named).toEqual([
    ['file_name', 'city'],
    ['file_name', 'con'],
    ['file_name', 'LPT1.x'],
  ])
})

test.each(['\u0000', '\u001b', '\u007f', '\u009b', '\u2028', '\u202e', '\u2066', '\u200f', '\u061c'])(
  'a type that holds %j is refused',
  (control) => {
    expect(accepted('City', `a${control}b`)).toMatchObject({ kind: 'refused', type: `a${control}b` })
  },
)

test.each(['Ort\u00e9', 'שלום', 'a\u200db', 'a\u00adb'])('a type in any script is taken: %j', (type) => {
  expect(accepted(type).kind).toBe('accepted')
})

test('a rule of today locks neither a type of the base nor a schema that it has', () => {
  const old = '{"properties":{"a":{"Private":true}}}'
  const stored = new Map([
    ['a\u202eb', hashText('{}')],
    ['City', hashText(old)],
  ])
  const run = (given: [string, string][], kept: [string, string][] = []) =>
    acceptSchemas.run({ given, kept, stored }).kind
  expect(run([['City', `${old.slice(0, -1)},"title":"x"}`]])).toBe('refused')
  expect(run([['a\u202eb', '{"title":"x"}']])).toBe('accepted')
  expect(run([['City', old]])).toBe('accepted')
  expect(run([['Town', '{}']], [['City', old]])).toBe('accepted')
  expect(run([['Other', old]])).toBe('refused')
})
