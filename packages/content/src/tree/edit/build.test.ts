import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashText } from '../../hash.ts'
import { treeOf, versionDigest } from './build.ts'

const entryOf = (key: string) => ({ key, hash: hashText(key), size: key.length })

test('the tree of some entries does not depend on their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' })),
      async (keys) => {
        const entries = keys.map(entryOf)
        expect(await treeOf(entries.toReversed())).toEqual(await treeOf(entries))
      },
    ),
  )
})

test('a version without anything has the digest of its document', async () => {
  const digest = await versionDigest('public', { records: [], schemas: {}, metadata: {}, files: [] })
  const document = '{"files":{"bytes":0,"count":0,"root":null},"metadata":{},"types":{}}'
  expect(digest).toBe(`public:${hashText(document)}`)
})

test('a malformed file hash is refused', async () => {
  const files = [{ hash: 'sha256:x', size: 1 }]
  await expect(versionDigest('public', { records: [], schemas: {}, metadata: {}, files })).rejects.toThrow(
    'names no file',
  )
})
