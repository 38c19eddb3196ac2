/** The client names every code of the registry, so that programs can compare with them. */
import type { RefusalCode } from '@ulmus/client'
import { catalogue } from '@ulmus/registry'
import { expect, expectTypeOf, test } from 'vitest'
import { read } from './source-files.ts'

test('packages/client/src/codes.ts has the codes of the catalogue', () => {
  // The compiler compares as well.
  expectTypeOf<RefusalCode>().toEqualTypeOf<keyof typeof catalogue>()
  const text = read('packages/client/src/codes.ts').split('export type ErrorCode')[0]!
  const named = Array.from(text.matchAll(/\| '([a-z_]+)'/g), ([, code]) => code!)
  expect(named.sort()).toEqual(Object.keys(catalogue).sort())
})
