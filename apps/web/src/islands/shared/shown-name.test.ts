import { expect, test } from 'vitest'
import { shownName } from './shown-name.ts'

test.each([
  [' ', '" "'],
  ['\u00a0\u200b', '"\\u00a0\\u200b"'],
  ['\t', '"\\t"'],
  ['', '""'],
  ['\u{e0001}', '"\\udb40\\udc01"'],
  ['\u3164', '"\\u3164"'],
])('a name without visible characters is shown in quotes: %j', (name, shown) => {
  expect(shownName(name)).toBe(shown)
})

test.each(['a', ' a', '"', '0', '\u0300', '\u{1f600}', '\u{10ffff}', '\ud800', '\u0600'])(
  'a name with a visible character is shown as it is: %j',
  (name) => expect(shownName(name)).toBe(name),
)
