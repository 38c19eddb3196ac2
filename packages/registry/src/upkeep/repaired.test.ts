/** Damage that a push of the same content repaired (docs/maintenance.md) is gone for the check, a rebuilt index and backups. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashText } from '@ulmus/content'
import { allPacks, openMemoryStore, openObjectReader, readFooter, writeDump } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { copyOwnBlob } from '../backups/copy.ts'
import { openWorld } from '../testing/world.ts'
import { rebuild } from './fsck/rebuild.ts'
import { fsck } from './fsck.ts'

test.each(anyDatabase)(
  'a push of the same content repairs what fsck names, for good ($name)',
  async (database) => {
    const world = await openWorld(database)
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-repaired-'))
    try {
      const { database: db, blobs } = world.context
      const puts = Array.from({ length: 5_000 }, (_, i) => ({
        id: `item ${i}`,
        type: 'Item',
        data: { text: hashText(`${i}`) },
      }))
      const push = async () =>
        world.push(await world.collection(), { base: null, schemas: { Item: { type: 'object' } }, puts })
      await push()
      const damages = async () => {
        const found: string[] = []
        await fsck(world.context, { files: false, onDamage: ({ what }) => found.push(what) })
        return found
      }
      const [pack] = await allPacks(db)
      const { entries } = await readFooter(blobs, pack!.name)
      const { hash, offset, length } = entries.find(({ kind }) => kind === 'body')!
      const bytes = new Uint8Array(await blobs.read(pack!.name))
      bytes[offset + (length >> 1)]! ^= 1
      await blobs.put(pack!.name, bytes)
      const dump = join(folder, 'dump')
      const backUp = async () => {
        rmSync(dump, { force: true })
        await writeDump(db, dump)
        return copyOwnBlob(blobs, openMemoryStore(), pack!, dump)
      }
      expect(await damages()).toEqual([`body object ${hash}`])
      await expect(backUp()).rejects.toThrow(
        /is damaged: its bytes of the body object .* in the registry itself/,
      )

      await push()
      for (const step of [async () => undefined, () => rebuild(world.context)]) {
        await step()
        expect(await damages()).toEqual([])
        expect(
          (await openObjectReader({ database: db, blobs, cacheBytesMax: 0 }).body(hash)).length,
        ).toBeGreaterThan(0)
        expect(await backUp()).toMatchObject({ name: pack!.name })
      }
    } finally {
      rmSync(folder, { recursive: true })
      await world.dispose()
    }
  },
  60_000,
)
