import { emptySidecar, emptyTree, hashText, type Sidecar, type Tree } from '@ulmus/content'
import { goldenText } from '@ulmus/content/testing/golden'
import { expect, test } from 'vitest'
import { readSidecar, writeSidecar } from './sidecar.ts'

const treeAt = (root: string) => ({ root, count: 2, bytes: 20_075 }) as Tree
const schema = hashText('{}')
const shown = treeAt('205bad68d090866be12ba5cef998d26a0270441760e4a501a8e750a2111386c2')
const hidden = treeAt('6f5786af68d38b55b7fbb64adfcfe2375960d2ce696273fb5ea4f3d3289f2605')
const types = { T: { schema, ...shown } }
const withPrivateType: Sidecar = {
  roots: {
    full: {
      files: emptyTree,
      types: { ...types, S: { schema: hashText('{"private":true}'), ...hidden } },
    },
    public: { files: emptyTree, types },
  },
  references: { full: emptyTree, public: emptyTree },
  hiddenTrees: { S: hidden },
  formerlyPrivate: [],
}
const withFormerNames: Sidecar = {
  ...emptySidecar(),
  formerlyPrivate: [{ type: 'T' }, { type: 'T', field: 'a', byType: true }, { type: 'U', field: 'b' }],
}

test.each([
  ['sidecar', emptySidecar()],
  ['sidecar-private', withPrivateType],
  ['sidecar-formerly-private', withFormerNames],
])('%s is what docs/formats.md says', async (name, sidecar) => {
  const texts = new Map<string, string>()
  const writer = { add: async (_: string, hash: string, text: string) => void texts.set(hash, text) }
  const hash = await writeSidecar(writer as never, sidecar)
  expect(texts.get(hash)).toBe(goldenText(name))
  const objects = {
    decoded: async (asked: string, parse: (bytes: Uint8Array) => unknown) =>
      asked === hashText(goldenText(name)) ? parse(Buffer.from(goldenText(name))) : undefined,
  }
  expect(await readSidecar(objects as never, hash)).toEqual(sidecar)
})
