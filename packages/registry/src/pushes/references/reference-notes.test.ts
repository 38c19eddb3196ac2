import { compareUtf8, declaredKey, fileOfKey, type Hash, hashText, referenceKey } from '@ulmus/content'
import { openMemoryStore } from '@ulmus/storage'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keepLog } from '../../testing/context.ts'
import { TemporarySpills } from '../spills/temporary-spills.ts'
import { type ReferenceNote, ReferenceNotes } from './reference-notes.ts'

const pushId = '0198c0de-0000-7000-8000-000000000000'

function temporarySpills() {
  const blobs = openMemoryStore()
  const count = async () => (await Array.fromAsync(blobs.list(`spills/${pushId}/`))).length
  return { passing: new TemporarySpills({ blobs, log: keepLog() }, pushId), count }
}

async function read(notes: ReferenceNotes): Promise<ReferenceNote[]> {
  return (await Array.fromAsync(notes.sorted())).flat()
}

const sortedNotes = (model: ReadonlyMap<string, boolean>): ReferenceNote[] =>
  [...model]
    .map(([key, comes]) => ({ key, file: fileOfKey(key), comes }))
    .sort((a, b) => compareUtf8(a.key, b.key))

const files = ['one', 'two'].map((text): Hash => hashText(text))
const keys = files.flatMap((file) => [
  declaredKey(file),
  ...['1', '/', 'é', '\u{ffff}', '\u{1f600}', 'c'.repeat(100)].map((id) => referenceKey(file, 'A', id)),
])
const arbitraryNotes = fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean()), { maxLength: 40 })

describe('notes on keys', () => {
  test('read as a map of the last notes would, however little memory they may take, also when added up', async () => {
    const bounds = fc.record({
      pieceNotesMax: fc.integer({ min: 1, max: 6 }),
      unitsMax: fc.constantFrom(0, 100, 500, 100_000),
    })
    await fc.assert(
      fc.asyncProperty(bounds, fc.array(arbitraryNotes, { maxLength: 6 }), async (bound, groups) => {
        const { passing, count } = temporarySpills()
        const [whole, twin] = [new ReferenceNotes(passing, bound), new ReferenceNotes(passing, bound)]
        const model = new Map<string, boolean>()
        for (const [index, group] of groups.entries()) {
          const part = index % 2 === 0 ? whole : new ReferenceNotes(passing, bound)
          for (const [key, comes] of group) {
            await part.note(key, comes)
            model.set(key, comes)
          }
          if (part === whole) for (const [key, comes] of group) await twin.note(key, comes)
          else for (const sum of [whole, twin]) await sum.add(part)
          expect(await read(whole)).toEqual(sortedNotes(model))
        }
        expect(await read(twin)).toEqual(sortedNotes(model))
        expect(whole.isEmpty).toBe(model.size === 0)
        await passing.drop()
        expect(await count()).toBe(0)
      }),
      { numRuns: 100 },
    )
  })

  test('more spills than are read at once become fewer, and others that share them still read them', async () => {
    const { passing, count } = temporarySpills()
    const bounds = { pieceNotesMax: 1, unitsMax: 0 }
    const [one, other] = [new ReferenceNotes(passing, bounds), new ReferenceNotes(passing, bounds)]
    const model = new Map<string, boolean>()
    for (let i = 0; i < 200; i++) {
      const key = referenceKey(files[0]!, 'A', `${(i * 7) % 150}`)
      await one.note(key, i % 3 === 0)
      model.set(key, i % 3 === 0)
    }
    await other.add(one)
    expect(await count()).toBe(200)
    expect(await read(one)).toEqual(sortedNotes(model))
    expect(await count()).toBe(201)
    expect(await read(other)).toEqual(sortedNotes(model))
  })

  test('notes over the bound wait in the store, not in memory', async () => {
    const { passing, count } = temporarySpills()
    const notes = new ReferenceNotes(passing, { pieceNotesMax: 1_024, unitsMax: 1_000_000 })
    for (let i = 0; i < 40_000; i++) {
      await notes.note(referenceKey(files[i % 2]!, 'A', `${(i * 7_919) % 1_000_003}`), i % 3 === 0)
    }
    expect(await count()).toBeGreaterThanOrEqual(2)
    let seen = 0
    let last = ''
    for await (const batch of notes.sorted()) {
      for (const { key } of batch) {
        if (key <= last) throw new Error(`${key} comes after ${last}`)
        last = key
        seen++
      }
    }
    expect(seen).toBe(40_000)
    await passing.drop()
  })
})
