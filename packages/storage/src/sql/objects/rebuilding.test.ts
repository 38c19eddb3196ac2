/** Rebuilding the index from outdated footers: they list dead objects, and bases that are gone or stored otherwise. */
import { type Hash, hashText } from '@ulmus/content'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../database/database.ts'
import type { ObjectKind } from '../../errors/stores.ts'
import { basesMax, type PackEntry } from '../../packs/pack.ts'
import { databases } from '../../testing/databases.ts'
import { type FoundPack, rebuildIndex } from './rebuilding.ts'

/** Relevant part of an entry: the object, with `!` if its bytes are damaged, and its chain at the time of writing. */
type Made = [name: string, ...bases: string[]]

const objectOf = (name: string): { kind: ObjectKind; hash: Hash } => ({
  kind: name.startsWith('=') ? 'body' : 'plain',
  hash: hashText(name.replace(/[=!]/g, '')),
})

function packOf(name: string, made: readonly Made[]): FoundPack {
  const entries = made.map(([object, ...bases], n): PackEntry => {
    const { kind, hash } = objectOf(object)
    const checksum = kind === 'body' ? hashText(`checksum of ${object}`) : null
    const at = { offset: 12 + 10 * n, length: 10, crc: 3_000_000_000 + n }
    return { hash, kind, ...at, checksum, bases: bases.map((base) => objectOf(base).hash) }
  })
  const damaged = new Set(entries.filter((_, n) => made[n]![0].endsWith('!')))
  return { name, bytes: 1_000, entries, damaged }
}

describe.each(databases)('rebuilding the index ($name)', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  async function rebuild(packs: Record<string, readonly Made[]>, unreadable: readonly string[] = []) {
    async function* footers(): AsyncGenerator<FoundPack> {
      for (const [name, made] of Object.entries(packs)) {
        if (!unreadable.includes(name)) yield packOf(name, made)
      }
    }
    return database.transact((tx) => rebuildIndex(tx, footers(), new Set(unreadable)))
  }

  /** The index: pack and chain of each object. */
  async function index(
    names: readonly string[],
  ): Promise<Record<string, [pack: string, ...bases: string[]]>> {
    const nameOf = new Map(names.map((name) => [`${objectOf(name).kind} ${objectOf(name).hash}`, name]))
    const { rows } = await database.query(
      'select o.hash, o.kind, o.bases, p.name from objects o join packs p on p.id = o.pack_id',
    )
    return Object.fromEntries(
      rows.map(({ hash, kind, bases, name }) => {
        const named = (hash: unknown) => nameOf.get(`${kind} ${hash}`)!
        return [named(hash), [String(name), ...(bases as string[]).map(named)]]
      }),
    )
  }

  test('an object is taken from a pack whose bases exist, even if a chain to missing ones was shorter', async () => {
    const report = await rebuild({
      p1: [['x', 'gone']],
      p2: [['a1'], ['a2', 'a1']],
      p4: [
        ['x', 'a2', 'a1'],
        ['y', 'x', 'gone'],
      ],
    })
    expect(await index(['x', 'y', 'a1', 'a2', 'gone'])).toEqual({
      a1: ['p2'],
      a2: ['p2', 'a1'],
      x: ['p4', 'a2', 'a1'],
      y: ['p4', 'x', 'a2', 'a1'],
    })
    expect(report).toEqual({ objects: 4, incomplete: 0 })
  })

  test('a copy with damaged bytes or bases is taken only of an object that has no other', async () => {
    const report = await rebuild({
      old: [['a!'], ['b', 'a'], ['only!'], ['on', 'only']],
      new: [['x'], ['y', 'x'], ['a', 'y', 'x'], ['b', 'x']],
    })
    expect(await index(['x', 'y', 'a', 'b', 'only', 'on'])).toEqual({
      x: ['new'],
      y: ['new', 'x'],
      a: ['new', 'y', 'x'],
      b: ['new', 'x'],
      only: ['old'],
      on: ['old', 'only'],
    })
    expect(report).toEqual({ objects: 6, incomplete: 0 })
  })

  test('objects that were deltas to one another at different times come to an end', async () => {
    const report = await rebuild({
      old: [['x', 'b']],
      new: [['a0'], ['a', 'a0'], ['x', 'a', 'a0'], ['b', 'x', 'a', 'a0']],
      dead: [
        ['c', 'd'],
        ['d', 'c'],
        ['self', 'self'],
      ],
    })
    expect(await index(['x', 'a', 'a0', 'b'])).toEqual({
      a0: ['new'],
      a: ['new', 'a0'],
      x: ['new', 'a', 'a0'],
      b: ['new', 'x', 'a', 'a0'],
    })
    expect(report).toEqual({ objects: 4, incomplete: 3 })
  })

  test('chains longer than any that is read are left out, unless there is a shorter one', async () => {
    const long = Array.from(
      { length: basesMax + 3 },
      (_, n): Made => (n === 0 ? ['o0'] : [`o${n}`, `o${n - 1}`]),
    )
    const names = long.map(([name]) => name)
    expect(await rebuild({ long: long.toReversed() })).toEqual({ objects: basesMax + 1, incomplete: 2 })
    expect(Object.keys(await index(names)).sort()).toEqual(names.slice(0, basesMax + 1))
    expect(await rebuild({ long, short: [['o4', 'o0']] })).toEqual({ objects: basesMax + 3, incomplete: 0 })
    expect(await index(names)).toMatchObject({
      o4: ['short', 'o0'],
      o8: ['long', 'o7', 'o6', 'o5', 'o4', 'o0'],
    })
  })

  test('a pack that does not read keeps its rows as they are, but for chains that are there', async () => {
    const packs: Record<string, Made[]> = {
      p1: [['a'], ['=a']],
      p2: [['x', 'a'], ['=x', '=a'], ['own']],
      p3: [['own'], ['=a'], ['a', 'own']],
    }
    const names = ['a', '=a', 'x', '=x', 'own']
    await rebuild(packs)
    const places = async () => {
      const { rows } = await database.query(
        `select o.hash, o.kind, o.pack_id, o."offset", o.length, o.crc, o.checksum, p.created_at
         from objects o join packs p on p.id = o.pack_id where p.name = 'p2' order by o.hash, o.kind`,
      )
      return rows
    }
    const before = await places()
    delete packs['p1']
    expect(await rebuild(packs, ['p2'])).toEqual({ objects: 5, incomplete: 0 })
    expect(await index(names)).toEqual({
      own: ['p2'],
      a: ['p3', 'own'],
      x: ['p2', 'a', 'own'],
      '=a': ['p3'],
      '=x': ['p2', '=a'],
    })
    expect(await places()).toEqual(before)
  })

  test('whatever can be decoded is in the index, by its shortest chain, and nothing else is', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].flatMap((name) => [name, `=${name}`])
    const entry = fc
      .record({
        name: fc.constantFrom(...names),
        // Sometimes none; otherwise any objects of the same kind.
        bases: fc.array(fc.nat(9), { minLength: 0, maxLength: 3 }),
      })
      .map(({ name, bases }): Made => {
        const kind = name.length - 1
        return [name, ...bases.map((base) => names[base * 2 + kind]!)]
      })
    const pack = fc.record({
      made: fc.uniqueArray(entry, { selector: ([name]) => name, minLength: 1, maxLength: 14 }),
      fate: fc.constantFrom('stays', 'stays', 'goes', 'does not read'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(pack, { minLength: 1, maxLength: 5 }), async (made) => {
        const packs = Object.fromEntries(made.map((pack, n) => [`p${n}`, pack.made]))
        await rebuild(packs)
        const first = await index(names)
        expectShortest(first, entriesOf(packs))
        const there = Object.fromEntries(
          made.flatMap(({ made, fate }, n) => (fate === 'goes' ? [] : [[`p${n}`, made]])),
        )
        const unreadable = Object.keys(there).filter(
          (name) => made[Number(name[1])]!.fate === 'does not read',
        )
        const report = await rebuild(there, unreadable)
        const kept = Object.entries(first).filter(([, [pack]]) => unreadable.includes(pack))
        const readable = Object.fromEntries(
          Object.entries(there).filter(([name]) => !unreadable.includes(name)),
        )
        const entries = [
          ...entriesOf(readable),
          ...kept.map(([name, [pack, base]]) => ({ pack, name, base })),
        ]
        const second = await index(names)
        expectShortest(second, entries)
        const objects = Object.keys(second).length
        const incomplete = new Set(entries.map(({ name }) => name)).size - objects
        expect(report).toEqual({ objects, incomplete })
      }),
      { numRuns: 30, seed: 20_261_121 },
    )
  }, 120_000)
})

interface Place {
  pack: string
  name: string
  base: string | undefined
}

const entriesOf = (packs: Record<string, readonly Made[]>): Place[] =>
  Object.entries(packs).flatMap(([pack, made]) => made.map(([name, base]) => ({ pack, name, base })))

function expectShortest(index: Record<string, [string, ...string[]]>, entries: readonly Place[]): void {
  const lengths = new Map<string, number>()
  for (let length = 0; length <= basesMax; length++) {
    const these = entries.filter(({ name, base }) => {
      const found = base === undefined ? 0 : (lengths.get(base) ?? Number.POSITIVE_INFINITY) + 1
      return found === length && !lengths.has(name)
    })
    for (const { name } of these) lengths.set(name, length)
  }
  expect(
    Object.fromEntries(Object.entries(index).map(([name, [, ...bases]]) => [name, bases.length])),
  ).toEqual(Object.fromEntries(lengths))
  for (const [name, [pack, ...bases]] of Object.entries(index)) {
    expect(entries).toContainEqual({ pack, name, base: bases[0] })
    if (bases.length > 0) expect(bases.slice(1)).toEqual(index[bases[0]!]!.slice(1))
  }
}
