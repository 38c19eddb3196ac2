import {
  emptyTree,
  fileOfKey,
  type Hash,
  hashText,
  referenceKey,
  type Tree,
  walkLeaves,
} from '@ulmus/content'
import { openObjectWriter, recordPacks } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openContext, type TestContext } from '../../testing/context.ts'
import { TemporarySpills } from '../spills/temporary-spills.ts'
import { ReferenceChanges } from './reference-changes.ts'
import { ReferenceNotes } from './reference-notes.ts'
import { applyReferences, type FileView } from './references.ts'

const files = ['one', 'two', 'three'].map((text): Hash => hashText(text))
const sizes = new Map(files.map((file, i) => [file, i * 10]))

describe.each(databases.slice(0, 1))('reference trees ($name)', (database) => {
  let context: TestContext

  beforeAll(async () => {
    context = await openContext(database)
  })
  afterAll(() => context.dispose())

  async function apply(base: FileView, changes: ReferenceChanges): Promise<FileView> {
    const writer = openObjectWriter(context)
    const { objects } = context
    const next = await applyReferences(base, changes, sizes, { objects, writer })
    const packed = await writer.finish()
    await context.database.transact((tx) => recordPacks(tx, packed))
    return next
  }

  async function keysOf(tree: Tree): Promise<string[]> {
    return (await Array.fromAsync(walkLeaves(tree, context.objects))).flatMap(({ leaf }) => leaf.keys)
  }

  const note = fc.record({
    file: fc.constantFrom(...files),
    type: fc.constantFrom('A', 'B'),
    id: fc.constantFrom('1', '2', '/', 'é'),
    comes: fc.boolean(),
  })
  const bounds = fc.record({
    pieceNotesMax: fc.constantFrom(1, 2, 1_024),
    unitsMax: fc.constantFrom(0, 200, 100_000),
  })

  test('a file is there while a key of it is, whatever was noted and wherever the notes waited', async () => {
    await fc.assert(
      fc.asyncProperty(
        bounds,
        fc.array(fc.array(note, { maxLength: 12 }), { maxLength: 4 }),
        async (bound, steps) => {
          let view: FileView = { references: emptyTree, files: emptyTree }
          const model = new Set<string>()
          for (const step of steps) {
            const passing = new TemporarySpills(context, '0198c0de-0000-7000-8000-000000000000')
            const changes = new ReferenceChanges(passing, new ReferenceNotes(passing, bound))
            for (const { file, type, id, comes } of step) {
              await changes.note(file, type, id, comes)
              model[comes ? 'add' : 'delete'](referenceKey(file, type, id))
            }
            view = await apply(view, changes)
            await passing.drop()
            expect(new Set(await keysOf(view.references))).toEqual(model)
            expect(await keysOf(view.files)).toEqual([...new Set([...model].map(fileOfKey))].sort())
            expect(view.files.bytes).toBe(
              [...new Set([...model].map(fileOfKey))].reduce((sum, file) => sum + sizes.get(file)!, 0),
            )
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test('a file of thousands of keys goes with the last of them', async () => {
    const passing = new TemporarySpills(context, '0198c0de-0000-7000-8000-000000000000')
    const changing = () =>
      new ReferenceChanges(passing, new ReferenceNotes(passing, { pieceNotesMax: 100, unitsMax: 9_999 }))
    const [file, other] = [files[0]!, files[1]!]
    const coming = changing()
    for (let i = 0; i < 5_000; i++) await coming.note(file, 'A', `${i}`, true)
    await coming.note(other, 'A', '0', true)
    const full = await apply({ references: emptyTree, files: emptyTree }, coming)
    expect(await keysOf(full.files)).toEqual([file, other].sort())
    const leaving = changing()
    for (let i = 0; i < 4_999; i++) await leaving.note(file, 'A', `${i}`, false)
    const one = await apply(full, leaving)
    expect(await keysOf(one.files)).toEqual([file, other].sort())
    const last = changing()
    await last.note(file, 'A', '4999', false)
    const none = await apply(one, last)
    expect(await keysOf(none.files)).toEqual([other])
    await passing.drop()
  })
})
