import { type Hash, hashText } from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { expect, test } from 'vitest'
import { shown } from '../testing/shown.ts'
import { schemasOf } from './schemas.ts'

test('the schemas of many types are passed on as they are stored, by type', async () => {
  const texts = new Map<Hash, string>()
  const types = Array.from({ length: 100 }, (_, n) => {
    const text = JSON.stringify({ title: `${n}` })
    texts.set(hashText(text), text)
    return [`T${n}`, { schema: hashText(text), root: null, count: 0, bytes: 0 }] as const
  })
  const plain = async (hash: Hash) => Buffer.from(texts.get(hash)!)
  const roots = { files: { root: null, count: 0, bytes: 0 }, types: Object.fromEntries(types) }
  const schemas = await schemasOf({ plain } as unknown as ObjectReader, roots)
  expect(shown([...schemas])).toEqual(types.map(([type], n) => [type, { title: `${n}` }]))
})
