import { expect, test } from 'vitest'
import { acceptSchemas } from './accept-schemas.ts'

const accepted = (...types: string[]) => acceptSchemas.run(types.map((type) => [type, '{}'] as const))

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
