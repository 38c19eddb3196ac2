/** Formats of the log match the worked bytes in docs/formats.md, and proofs hold for any tree. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestBytes, hashText } from '../hash.ts'
import { goldenText } from '../testing/golden.ts'
import {
  base64Of,
  bundleOf,
  bytesOfBase64,
  checkConsistency,
  checkpointText,
  commitmentOf,
  consistencyProof,
  emptyRoot,
  entriesIn,
  equalBytes,
  firstChain,
  firstSlot,
  fullCommitment,
  type HashReader,
  hashesInTiles,
  hexOf,
  inclusionProof,
  LogError,
  leafHashOf,
  leafIn,
  leafOf,
  nextChain,
  nodeHashOf,
  type OpenedStatement,
  openedLeaves,
  openNote,
  parseCheckpoint,
  parsePolicy,
  parseProof,
  parseSkey,
  parseStatement,
  parseTilePath,
  parseVkey,
  proofText,
  rootByInclusion,
  rootOf,
  signatureLine,
  signerOf,
  signNote,
  skeyOf,
  slotOf,
  statementText,
  tilePath,
  tilesSince,
  tileWidth,
  verifyVersion,
  vkeyOf,
} from './index.ts'

const seed = Uint8Array.from({ length: 32 }, (_, n) => n)
const signer = signerOf('registry.example/log/1', 'ed25519', seed)
const witness = signerOf('mirror.example/w', 'cosignature', new Uint8Array(32).fill(7))
const salt = new Uint8Array(32).fill(0x11)
const text = goldenText('log-statement')
const first: OpenedStatement = {
  ...{ statement: text, salt: base64Of(salt), key: null },
  ...{ chain: base64Of(Buffer.from(goldenText('log-chain'), 'hex')), links: [] },
}
const leaves = [leafHashOf(openedLeaves(first)[0]!)]
for (const hex of goldenText('log-leaves').split('\n').slice(1))
  leaves.push(Uint8Array.from(Buffer.from(hex, 'hex')))
/** An answer about the second version. */
const second = JSON.parse(goldenText('log-second'))

/** Reads hashes of subtrees from hashes of leaves. */
const reading =
  (hashes: readonly Uint8Array[]): HashReader =>
  async (places) =>
    places.map(({ level, index }) => naiveRoot(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level)))

/** RFC 6962 §2.1, as it stands there. */
function naiveRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return emptyRoot()
  if (hashes.length === 1) return hashes[0]!
  let k = 1
  while (k * 2 < hashes.length) k *= 2
  return nodeHashOf(naiveRoot(hashes.slice(0, k)), naiveRoot(hashes.slice(k)))
}

test('statements and leaves', () => {
  const { collection, full } = parseStatement(text)
  expect(text).toHaveLength(309)
  expect(hexOf(firstSlot(collection))).toBe(goldenText('log-slot'))
  expect(hexOf(commitmentOf(text, salt))).toBe(goldenText('log-commitment'))
  expect(hexOf(leaves[0]!)).toBe(goldenText('log-leaves').split('\n')[0])
  expect(full).toMatch(/^[0-9a-f]{64}$/)
  expect(fullCommitment(new Uint8Array(32).fill(0x12), hashText(''))).not.toBe(full)
})

test('the second statement of a collection, whose slot follows from a key that leads to the end named by the first', () => {
  const trust = { keys: [parseVkey(goldenText('log-vkey'))] }
  const { collection, public: digest } = parseStatement(text)
  const expected = { semver: 'v1.0.1', view: 'public', collection, digest: digest as never } as const
  expect(verifyVersion(second, expected, trust)).toMatchObject({ index: 1, statement: { seq: 2 } })
  expect(openedLeaves(second).map((leaf) => hexOf(leafHashOf(leaf)))).toEqual(
    goldenText('log-leaves').split('\n').slice(0, 2),
  )
  const [link] = second.links
  const other = base64Of(new Uint8Array(32).fill(0x14))
  const wrong: Record<string, [object, string]> = {
    'another key': [{ key: other }, 'does not lead to the end'],
    'no key': [{ key: null }, 'is not 32 bytes'],
    'no link': [{ links: [] }, 'not in its chain'],
    'another end': [{ links: [{ ...link, chain: other }] }, 'does not lead to the end'],
    'another commitment': [{ links: [{ ...link, commitment: other }] }, 'is not in the log'],
    'a link without an end': [{ links: [{ ...link, chain: undefined }] }, 'begins a chain'],
    'two links': [{ links: [link, link] }, 'is not 32 bytes'],
    'a half place': [{ links: [{ ...link, index: 0.5 }] }, 'has no leaf 0.5'],
    'a chain that it must not begin': [{ chain: other }, 'begins a chain'],
  }
  for (const [name, [change, words]] of Object.entries(wrong))
    expect(() => verifyVersion({ ...second, ...change }, expected, trust), name).toThrow(words)
})

test('each statement has one slot, whose key reveals former ones only', () => {
  // Keys of the chains after statements 1 and 17.
  const top = [0x13, 0x15].map((byte) => new Uint8Array(32).fill(byte))
  const below = (key: Uint8Array, steps: number): Uint8Array =>
    steps === 0 ? key : below(digestBytes(key), steps - 1)
  const ends = [below(top[0]!, 16), below(top[1]!, 256)]
  const commitment = base64Of(salt)
  const collection = parseStatement(text).collection
  const links = [
    { key: null, chain: base64Of(ends[0]!), commitment },
    { key: base64Of(top[0]!), chain: base64Of(ends[1]!), commitment },
  ]
  const open = (seq: number, key: Uint8Array) =>
    openedLeaves({
      ...{ statement: statementText({ ...parseStatement(text), seq }), salt: commitment },
      ...{ key: base64Of(key), links: links.slice(0, seq > 17 ? 2 : 1) },
    }).at(-1)!
  for (const [seq, key] of [
    [2, below(top[0]!, 15)],
    [16, below(top[0]!, 1)],
    [18, below(top[1]!, 255)],
    [272, below(top[1]!, 1)],
  ] as const) {
    expect(open(seq, key).subarray(0, 32)).toEqual(slotOf(key))
    for (const other of [seq - 1, seq + 1]) expect(() => open(other, key)).toThrow(LogError)
  }
  // The slot of statement 17 begins a chain, so its leaf commits to the end.
  expect(() => open(17, top[0]!)).toThrow('begins a chain')
  const begun = leafIn(nextChain(firstChain, ends[0]!), { collection, seq: 17 }, links[1]!)
  expect(begun).toEqual(leafOf(slotOf(top[0]!), salt, ends[1]))
  let [chain, lengths] = [firstChain, [] as number[]]
  for (let n = 0; n < 5; n++) {
    lengths.push(chain.last - chain.after)
    chain = nextChain(chain, ends[0]!)
  }
  expect(lengths).toEqual([1, 16, 256, 1024, 1024])
})

test('keys', () => {
  expect(vkeyOf(signer)).toBe(goldenText('log-vkey'))
  expect(parseVkey(vkeyOf(signer))).toMatchObject({ name: signer.name, type: 'ed25519' })
  expect(parseSkey(skeyOf(signer))).toEqual(signer)
  expect(parseVkey(vkeyOf(witness)).type).toBe('cosignature')
  const wrong = ['', 'a', 'a+00000000+AAAA', vkeyOf(signer).replace('log/1', 'log/2'), `${vkeyOf(signer)} `]
  for (const one of wrong) expect(() => parseVkey(one), one).toThrow(LogError)
  for (const one of [vkeyOf(signer), skeyOf(signer).replace('log/1', 'log/2')])
    expect(() => parseSkey(one), one).toThrow(LogError)
})

test('checkpoints, proofs and cosignatures', async () => {
  const root = await rootOf(3, reading(leaves))
  const body = checkpointText({ origin: signer.name, size: 3, root })
  const checkpoint = signNote(body, [signer]) + signatureLine(body, witness, 1_795_615_800)
  const path = await inclusionProof(0, 3, reading(leaves))
  const proof = goldenText('log-proof')
  expect(proofText({ index: 0, path, checkpoint })).toBe(`${proof}\n`)
  expect(parseProof(`${proof}\n`)).toEqual({ index: 0, path, checkpoint })
  expect(rootByInclusion({ index: 0, size: 3 }, leaves[0]!, path)).toEqual(root)
  const opened = openNote(checkpoint, [signer, witness])
  expect(parseCheckpoint(opened.text)).toEqual({ origin: signer.name, size: 3, root })
  expect(opened.verified).toEqual([{ by: signer }, { by: witness, time: 1_795_615_800 }])

  const before = await rootOf(2, reading(leaves))
  expect(before).toEqual(bytesOfBase64(goldenText('log-root-2')))
  const consistent = await consistencyProof(2, 3, reading(leaves))
  expect(consistent).toEqual([leaves[2]])
  checkConsistency({ size: 2, root: before }, { size: 3, root }, consistent)
})

test('a note with one other bit is refused, and unknown keys are ignored', () => {
  const note = signNote('a text\n', [signer])
  expect(openNote(signNote('a text\n', [signer, witness]), [signer]).verified).toHaveLength(1)
  expect(() => openNote(note, [witness])).toThrow('no signature of a known key')
  fc.assert(
    fc.property(fc.nat(Buffer.byteLength(note) - 1), fc.nat(7), (at, bit) => {
      const bytes = Buffer.from(note)
      bytes[at]! ^= 1 << bit
      expect(() => openNote(bytes.toString(), [signer])).toThrow(LogError)
    }),
  )
  // A wrong signature of a known key spoils the note, beside a right one of another.
  const [, line] = signNote('another\n', [witness], 5).split('\n\n')
  expect(() => openNote(note + line, [signer, witness])).toThrow('The signature of mirror.example/w is wrong')
})

const hashesFrom = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, n) => leafHashOf(Uint8Array.of(n >> 8, n & 0xff)))
const many = hashesFrom(1_200)

test('every leaf of any tree is proven, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 300 }),
      fc.nat(299),
      fc.nat(1_000),
      async (size, at, other) => {
        const index = at % size
        const root = naiveRoot(many.slice(0, size))
        expect(await rootOf(size, reading(many))).toEqual(root)
        const path = await inclusionProof(index, size, reading(many))
        expect(rootByInclusion({ index, size }, many[index]!, path)).toEqual(root)
        const tries: [{ index: number; size: number }, Uint8Array, Uint8Array[]][] = [
          [{ index, size }, many[index === other ? other + 1 : other]!, path],
          [{ index: (index + 1 + (other % size)) % (size + 1), size }, many[index]!, path],
          [{ index, size }, many[index]!, [...path, many[other]!]],
          [{ index, size }, many[index]!, path.slice(1)],
          [{ index, size }, many[index]!, path.toReversed().concat(many[other]!)],
        ]
        for (const [place, leaf, proof] of tries) {
          if (place.index === index && equalBytes(leaf, many[index]!) && proof.length === path.length)
            continue
          if (path.length === 0 && proof.length === 0 && equalBytes(leaf, root) && place.index === index)
            continue
          expect(outcome(() => rootByInclusion(place, leaf, proof))).not.toBe(hexOf(root))
        }
      },
    ),
  )
})

const outcome = (work: () => Uint8Array): string => {
  try {
    return hexOf(work())
  } catch (error) {
    expect(error).toBeInstanceOf(LogError)
    return 'refused'
  }
}

test('any tree continues any smaller one, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(300), fc.nat(300), fc.nat(299), async (a, b, changed) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      const proof = await consistencyProof(from, to, reading(many))
      const [before, after] = [from, to].map((size) => ({ size, root: naiveRoot(many.slice(0, size)) }))
      checkConsistency(before!, after!, proof)
      if (changed >= from) return
      const other = many.with(changed, many[1_100]!)
      const changedTo = { size: to, root: naiveRoot(other.slice(0, to)) }
      const changedFrom = { size: from, root: naiveRoot(other.slice(0, from)) }
      const lies = await consistencyProof(from, to, reading(other))
      expect(() => checkConsistency(before!, changedTo, lies)).toThrow(LogError)
      expect(() => checkConsistency(before!, changedTo, proof)).toThrow(LogError)
      expect(() => checkConsistency(changedFrom, after!, proof)).toThrow(LogError)
      expect(() => checkConsistency(after!, before!, proof)).not.toThrow(TypeError)
    }),
  )
  expect(() => checkConsistency({ size: 2, root: many[0]! }, { size: 1, root: many[0]! }, [])).toThrow(
    LogError,
  )
})

test('tiles hold every hash of a tree, and grow without changing full ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_150), fc.nat(1_150), async (a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      const kept = new Map<string, Uint8Array>()
      for (const [since, size] of [
        [0, from],
        [from, to],
      ] as const)
        for (const tile of tilesSince(since, size)) {
          const places = Array.from({ length: tile.width }, (_, n) => ({
            level: tile.level * 8,
            index: tile.index * tileWidth + n,
          }))
          const bytes = new Uint8Array(Buffer.concat(await reading(many)(places)))
          const path = tilePath(tile)
          if (tile.width === tileWidth && kept.has(path)) expect(kept.get(path)).toEqual(bytes)
          kept.set(path, bytes)
          expect(parseTilePath(path)).toEqual(tile)
        }
      if (to === 0) return
      const read = hashesInTiles(to, async (tile) => kept.get(tilePath(tile))!)
      expect(await rootOf(to, read)).toEqual(naiveRoot(many.slice(0, to)))
      expect(await consistencyProof(from, to, read)).toEqual(await consistencyProof(from, to, reading(many)))
    }),
    { numRuns: 60 },
  )
  expect(tilePath({ level: 0, index: 1_234_067, width: 5 })).toBe('tile/0/x001/x234/067.p/5')
  expect(tilePath({ level: 'entries', index: 7, width: 256 })).toBe('tile/entries/007')
  for (const path of [
    'tile/0/7',
    'tile/0/0007',
    'tile/00/007',
    'tile/0/007.p/256',
    'tile/0/007.p/0',
    'tile/0/x000/007',
  ])
    expect(parseTilePath(path), path).toBeUndefined()
})

test('bundles of entries', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 70 })), (entries) => {
      expect(entriesIn(bundleOf(entries))).toEqual(entries)
    }),
  )
  for (const cut of [[0], [0, 2, 1]]) expect(() => entriesIn(Uint8Array.from(cut))).toThrow(LogError)
})

test('policies', () => {
  const [w1, w2, w3] = [1, 2, 3].map((n) =>
    signerOf(`w${n}.example`, 'cosignature', new Uint8Array(32).fill(n)),
  )
  const lines = [
    `# The registry`,
    `log ${vkeyOf(signer)} https://registry.example/log`,
    `witness A ${vkeyOf(w1!)}`,
    `\twitness  B ${vkeyOf(w2!)} https://b.example`,
    `witness C ${vkeyOf(w3!)}`,
    'group AB any A B',
    'group all all AB C',
    'quorum all',
  ]
  const policy = parsePolicy(`${lines.join('\n')}\n`)
  const note = (signers: (typeof signer)[]) => signNote('a\n1\nb\n', [signer, ...signers], 1)
  const isMet = (signers: (typeof signer)[]) =>
    policy.isMet(openNote(note(signers), [...policy.logs, ...policy.witnesses]).verified)
  expect([isMet([]), isMet([w1!]), isMet([w1!, w2!]), isMet([w1!, w3!]), isMet([w3!, w2!])]).toEqual([
    ...[false, false, false],
    ...[true, true],
  ])
  expect(parsePolicy('quorum none\n').isMet([])).toBe(true)
  const wrong: [string, string][] = [
    ['', 'no line “quorum”'],
    ['quorum x', 'Line 1 of the policy: “x” is not defined before'],
    ['toString', 'Line 1'],
    [`witness A ${vkeyOf(signer)}`, 'not one of a witness'],
    [`log ${vkeyOf(w1!)}`, 'not one of a log'],
    [`witness A ${vkeyOf(w1!)}\nwitness B ${vkeyOf(w1!)}`, 'Line 2 of the policy: the key is there twice'],
    [`witness none ${vkeyOf(w1!)}`, 'no new name'],
    [`witness A ${vkeyOf(w1!)}\ngroup g 2 A`, 'Line 2'],
    [`witness A ${vkeyOf(w1!)}\ngroup g any A\ngroup h any A`, 'already in a group'],
    ['quorum none\nquorum none', 'one quorum'],
  ]
  for (const [given, message] of wrong) expect(() => parsePolicy(given), given).toThrow(message)
})
