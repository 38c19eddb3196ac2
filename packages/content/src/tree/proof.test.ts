import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashText } from '../hash.ts'
import { parseJson } from '../json/parse.ts'
import { recordOf } from '../records/record.ts'
import { runs } from '../testing/runs.ts'
import { documentDigest, documentText, type ViewDocument } from '../versions/document.ts'
import type { TreeShape } from './boundary.ts'
import { editTree } from './edit/edit.ts'
import { buildTree, MemoryNodes } from './memory-nodes.fixture.ts'
import { decodeNodeText, emptyTree, encodeNode, type Tree } from './node.ts'
import { type ProofClaim, proveEntry, verifyProof } from './proof.ts'
import { byBytes } from './reference-tree.fixture.ts'
import { anyContents, anyKey, tinyShape } from './tree-arbitraries.fixture.ts'

const shape: TreeShape = { leafBits: 2, levelBits: 1, leafEntriesMax: 8, childrenMax: 4 }
const schema = hashText('some schema')

const recordsOf = (type: string, count: number) =>
  Array.from({ length: count }, (_, i) =>
    recordOf(`${i} 😀\ufffd`, type, { value: i, text: 'ä'.repeat(i % 7) }),
  )

async function treeOf(records: ReturnType<typeof recordsOf>, nodes: MemoryNodes): Promise<Tree> {
  const edits = records
    .map(({ id, hash, size, canonical }) => ({ key: id, put: { hash, size, payload: canonical } }))
    .sort((a, b) => byBytes(a.key, b.key))
  return await editTree(emptyTree, [edits], nodes, { kind: 'records', shape })
}

const nodes = new MemoryNodes()
const records = recordsOf('Thing', 120)
let tree: Tree
let document: ViewDocument
let claims: ProofClaim[]

beforeAll(async () => {
  tree = await treeOf(records, nodes)
  const other = await treeOf(recordsOf('Other', 3), nodes)
  document = {
    files: emptyTree,
    metadata: { description: 'A version' },
    types: { Thing: { schema, ...tree }, Other: { schema, ...other } },
  }
  claims = await Promise.all(
    records.map(async ({ id, canonical }) => ({
      digest: documentDigest(document),
      canonical,
      nodes: (await proveEntry(tree, id, nodes))!.nodes,
      document: documentText(document),
    })),
  )
})

test('proveEntry returns the path to an existing key and nothing for a missing one', async () => {
  await fc.assert(
    fc.asyncProperty(anyContents, fc.array(anyKey), tinyShape, async (contents, others, shape) => {
      const nodes = new MemoryNodes()
      const tree = await buildTree(contents, nodes, { shape })
      for (const key of [...contents.keys(), ...others]) {
        const proof = await proveEntry(tree, key, nodes)
        expect(proof !== undefined).toBe(contents.has(key))
        if (proof === undefined) continue
        expect(hashText(proof.nodes.at(-1)!)).toBe(tree.root)
        proof.nodes.forEach((text, level) => {
          const node = decodeNodeText(text)
          expect(node.kind === 'leaf' ? 0 : node.level).toBe(level)
        })
      }
    }),
    { numRuns: runs(30) },
  )
})

describe('verifyProof', () => {
  test('accepts every record of the version, under each form of the digest', () => {
    claims.forEach((claim, i) => {
      const { id, type, hash } = records[i]!
      for (const prefix of ['', 'private:', 'public:']) {
        expect(verifyProof({ ...claim, digest: prefix + claim.digest })).toEqual({ ok: true, id, type, hash })
      }
    })
  })

  test('accepts a record of a tree of one leaf', async () => {
    const few = recordsOf('Other', 3)
    const small = { ...emptyTree, ...(await treeOf(few, nodes)) }
    const proof = (await proveEntry(small, few[1]!.id, nodes))!
    const claim = { ...claims[0]!, canonical: few[1]!.canonical, nodes: proof.nodes }
    expect(verifyProof(claim)).toMatchObject({ ok: true, type: 'Other', id: few[1]!.id })
  })

  /** `text` with the UTF-16 unit at `at` changed by `by`. */
  const tampered = (text: string, at: number, by: number): string => {
    const index = at % text.length
    const unit = String.fromCharCode(text.charCodeAt(index) ^ (1 + (by % 0x7f)))
    return text.slice(0, index) + unit + text.slice(index + 1)
  }

  test('refuses a change of any one unit of any text', () => {
    const part = fc.constantFrom('canonical', 'document', 'digest', 'nodes')
    fc.assert(
      fc.property(fc.nat(119), part, fc.nat(), fc.nat(), fc.nat(), (which, part, node, at, by) => {
        const claim = structuredClone(claims[which]!)
        if (part === 'nodes') {
          const index = node % claim.nodes.length
          claim.nodes[index] = tampered(claim.nodes[index]!, at, by)
        } else claim[part] = tampered(claim[part], at, by)
        expect(verifyProof(claim).ok).toBe(false)
      }),
      { numRuns: runs(2_000) },
    )
  })

  test('refuses a change at every position of one proof', () => {
    const claim = claims[17]!
    const parts = ['canonical', 'document', 'digest'] as const
    for (const part of parts) {
      for (let at = 0; at < claim[part].length; at++) {
        expect(verifyProof({ ...claim, [part]: tampered(claim[part], at, at) }).ok).toBe(false)
      }
    }
    claim.nodes.forEach((text, index) => {
      for (let at = 0; at < text.length; at++) {
        expect(verifyProof({ ...claim, nodes: claim.nodes.with(index, tampered(text, at, at)) }).ok).toBe(
          false,
        )
      }
    })
  })

  test('refuses missing, doubled, foreign and reordered nodes', () => {
    const claim = claims[17]!
    expect(claim.nodes.length).toBeGreaterThan(3)
    const foreign = claims.find(({ nodes }) => nodes[0] !== claim.nodes[0])!.nodes
    const wrong = claim.nodes.flatMap((text, i) => [
      claim.nodes.toSpliced(i, 1),
      claim.nodes.toSpliced(i, 0, text),
      claim.nodes.slice(0, i),
      ...(i === 0 ? [] : [claim.nodes.with(i, claim.nodes[i - 1]!).with(i - 1, text)]),
    ])
    for (const nodes of [...wrong, claim.nodes.toReversed(), foreign, claim.nodes.with(0, foreign[0]!)]) {
      expect(verifyProof({ ...claim, nodes }).ok).toBe(false)
    }
  })

  test("refuses another record's canonical form, or the same in other words", () => {
    const claim = claims[17]!
    const { id, type } = records[17]!
    const wrong = [
      claims[18]!.canonical,
      recordOf(id, type, { value: 0 }).canonical,
      claim.canonical.replace('"Thing"', '"Other"'),
      claim.canonical.replace('"Thing"', '"toString"'),
      claim.canonical.replace('{', '{ '),
      JSON.stringify({ type, ...(parseJson(claim.canonical) as object) }),
      claim.canonical.replaceAll('\ufffd', '\ud800'),
      '',
      '[]',
    ]
    for (const canonical of wrong) expect(verifyProof({ ...claim, canonical }).ok).toBe(false)
  })

  test('refuses lone surrogates that hash like U+FFFD, in every text', () => {
    const claim = claims[17]!
    const forge = (text: string): string => text.replace('\ufffd', '\udc00')
    expect(hashText(forge(claim.canonical))).toBe(hashText(claim.canonical))
    expect(verifyProof({ ...claim, canonical: forge(claim.canonical) }).ok).toBe(false)
    for (const [i, text] of claim.nodes.entries()) {
      expect(verifyProof({ ...claim, nodes: claim.nodes.with(i, forge(text)) }).ok).toBe(false)
    }
  })

  test('refuses a tree whose parents lie about counts, even under a digest that names it', () => {
    const claim = claims[17]!
    const root = decodeNodeText(claim.nodes.at(-1)!)
    if (root.kind !== 'node') throw new Error('The tree is too small for this test.')
    for (const field of ['counts', 'bytes'] as const) {
      const lying = encodeNode({ ...root, [field]: root[field].map((number) => number + 1) })
      const entry = { ...tree, schema, root: hashText(lying) }
      const lied = { ...document, types: { ...document.types, Thing: entry } }
      const forged = { ...claim, nodes: claim.nodes.with(-1, lying), document: documentText(lied) }
      const result = verifyProof({ ...forged, digest: documentDigest(lied) })
      expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('not the parent') })
    }
    const lied = {
      ...document,
      types: { ...document.types, Thing: { schema, ...tree, count: tree.count + 1 } },
    }
    const result = verifyProof({ ...claim, document: documentText(lied), digest: documentDigest(lied) })
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('not the root') })
  })

  test('never throws, whatever the texts hold', () => {
    const text = fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.constant('null'))
    fc.assert(
      fc.property(text, fc.array(text), text, (canonical, nodes, document) => {
        expect(verifyProof({ digest: hashText(document), canonical, nodes, document }).ok).toBe(false)
        expect(verifyProof({ ...claims[3]!, nodes }).ok).toBe(false)
      }),
      { numRuns: runs(40) },
    )
  })
})
