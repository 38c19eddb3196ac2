import { expect, test } from 'vitest'
import {
  canonicalize,
  declaredKey,
  decodeNode,
  documentText,
  emptyTree,
  encodeNode,
  type Hash,
  hashText,
  leafBodyOf,
  leafLines,
  parseDocument,
  recordOf,
  referenceKey,
  referenceLineTo,
} from './index.ts'
import { goldenText } from './testing/golden.ts'

const encoder = new TextEncoder()
const [small, large] = [recordOf('a', 'T', { n: 1 }), recordOf('b', 'T', { big: 'x'.repeat(20_000) })]
const leaf = {
  ...{ kind: 'leaf' as const, tree: 'records' as const },
  ...{ keys: ['a', 'b'], hashes: [small.hash, large.hash], sizes: [small.size, large.size] },
}
const tree = { root: hashText(goldenText('leaf')), count: 2, bytes: small.size + large.size }
const interior = {
  ...{ kind: 'node' as const, level: 1 },
  ...{ lastKeys: ['b'], children: [tree.root], counts: [tree.count], bytes: [tree.bytes] },
}
const file = hashText('a file')
const setOf = (keys: string[], sizes: number[]) => ({
  ...{ kind: 'leaf' as const, tree: 'set' as const, hashes: [] as Hash[] },
  ...{ keys, sizes },
})

test('canonical JSON', () => {
  const value = { b: 1e21, a: [-0, 1.5, 'é\u000f"/€'], 10: null, 9: true, '😀': '', ｚ: '' }
  expect(canonicalize(value)).toBe(goldenText('canonical'))
  expect(JSON.parse(goldenText('canonical'))).toEqual({ ...value, a: [0, ...value.a.slice(1)] })
})

test('records', () => expect(small.canonical).toBe(goldenText('record')))

test.each([
  ['leaf', leaf],
  ['interior', interior],
  ['files', setOf([file], [6])],
  ['references', setOf([declaredKey(file), referenceKey(file, 'T', 'a')], [0, 0])],
] as const)('nodes: %s', (name, node) => {
  expect(encodeNode(node)).toBe(goldenText(name))
  expect(decodeNode(encoder.encode(goldenText(name)))).toEqual(node)
})

test('leaf bodies', () => {
  const lines = [encoder.encode(small.canonical), referenceLineTo(large.hash)]
  const golden = encoder.encode(`${goldenText('body')}\n`)
  expect(leafBodyOf(lines)).toEqual(golden)
  expect(leafLines(golden)).toEqual(lines)
})

test('view documents', () => {
  const document = {
    files: emptyTree,
    metadata: { description: 'Two records' },
    types: { T: { schema: hashText('{}'), ...tree } },
  }
  expect(documentText(document)).toBe(goldenText('document'))
  expect(parseDocument(goldenText('document'))).toEqual(document)
})
