import { expect, test } from 'vitest'
import { licenceMeant, licenseOf, suggestedLicences } from './licence.ts'

test.each([
  ['CC-BY-4.0', 'https://spdx.org/licenses/CC-BY-4.0'],
  ['GPL-2.0', 'https://spdx.org/licenses/GPL-2.0'],
  ['cc-by-4.0', undefined],
  ['Proprietary', undefined],
  ['constructor', undefined],
  ['https://licence.example/1', 'https://licence.example/1'],
])('the address of %s is %s', (text, url) => {
  expect(licenseOf(text)?.url).toBe(url)
})

test.each([
  ['cc-by-4.0', 'CC-BY-4.0'],
  ['CC by 4.0', 'CC-BY-4.0'],
  [' MIT', 'MIT'],
  ['MIT', undefined],
  ['Proprietary', undefined],
])('%s may mean %s', (text, meant) => {
  expect(licenceMeant(text)).toBe(meant)
})

test('every suggestion is an identifier of SPDX, once', () => {
  const ids = suggestedLicences.map(([id]) => id)
  expect(ids.filter((id) => licenseOf(id)?.id !== id)).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  expect(suggestedLicences[0]).toEqual(['CC0-1.0', expect.stringContaining('Creative Commons')])
})
