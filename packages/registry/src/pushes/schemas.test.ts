import { type Hash, hashText, type Json } from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { turnsDuring } from '@ulmus/storage/testing/turns'
import { expect, test } from 'vitest'
import { schemasOf } from './schemas.ts'

test('many large schemas leave the event loop to others while they are read', async () => {
  const texts = new Map<Hash, string>()
  const types = Array.from({ length: 40 }, (_, n) => {
    const text = JSON.stringify({ examples: Array(80_000).fill([]), title: `${n}` })
    texts.set(hashText(text), text)
    return [`T${n}`, { schema: hashText(text), root: null, count: 0, bytes: 0 }] as const
  })
  const plain = async (hash: Hash) => Buffer.from(texts.get(hash)!)
  const document = {
    files: { root: null, count: 0, bytes: 0 },
    metadata: {},
    types: Object.fromEntries(types),
  }
  let schemas = new Map<string, Json>()
  const turns = await turnsDuring(async () => {
    schemas = await schemasOf({ plain } as unknown as ObjectReader, document)
  })
  expect([...schemas.keys()]).toEqual(types.map(([type]) => type))
  expect(turns).toBeGreaterThan(30)
})
