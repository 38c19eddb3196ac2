/** The client names every code of the registry, so that programs can compare with them. */
import type { RefusalCode } from '@ulmus/client'
import { catalogue } from '@ulmus/registry'
import { expect, expectTypeOf, test } from 'vitest'
import { read } from './source-files.ts'

test('packages/wire/src/codes.ts has the codes of the catalogue', () => {
  // The compiler compares as well.
  expectTypeOf<RefusalCode>().toEqualTypeOf<keyof typeof catalogue>()
  const text = read('packages/wire/src/codes.ts')
  const named = Array.from(text.matchAll(/\| '([a-z_]+)'/g), ([, code]) => code!)
  expect(named.sort()).toEqual(Object.keys(catalogue).sort())
})
