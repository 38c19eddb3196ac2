import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isUnavailable } from '../../errors/unavailable.ts'
import { mountSmallDisk, smallDisksPossible } from '../../testing/small-disk.ts'
import { blobStoreContract, collect } from '../blob-store.contract.ts'
import { packName, spillName } from '../names.ts'
import { openDiskStore } from './store.ts'

const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'ulmus-disk-'))

blobStoreContract('disk', async () => {
  const folder = temporaryFolder()
  return { store: await openDiskStore(folder), dispose: async () => rmSync(folder, { recursive: true }) }
})

describe('a disk store', () => {
  const folders: string[] = []
  const folder = () => folders[folders.push(temporaryFolder()) - 1]!
  afterEach(() => {
    vi.restoreAllMocks()
    for (const one of folders.splice(0)) rmSync(one, { recursive: true })
  })

  it.skipIf(!smallDisksPossible())(
    'is unavailable for writing, not broken, while its disk is read-only',
    async () => {
      const disk = mountSmallDisk(4 * 2 ** 20)
      const store = await openDiskStore(disk.folder)
      try {
        const [kept, refused] = [spillName(randomUUID(), 'a'), spillName(randomUUID(), 'b')]
        await store.put(kept, Buffer.from('kept'))
        disk.setReadOnly(true)
        for (const work of [() => store.put(refused, Buffer.from('x')), () => store.remove(kept)]) {
          const error = await work().then(
            () => 'done',
            (error: unknown) => error,
          )
          expect([`${error}`, isUnavailable(error)]).toEqual([
            expect.stringMatching(/cannot be written to \(EROFS\)/),
            true,
          ])
        }
        expect(Buffer.from(await store.read(kept)).toString()).toBe('kept')
        disk.setReadOnly(false)
        await store.put(refused, Buffer.from('x'))
      } finally {
        await store.close()
        disk.dispose()
      }
    },
  )

  async function handles(): Promise<FileHandle> {
    const handle = await open(tmpdir(), 'r')
    await handle.close()
    return Object.getPrototypeOf(handle) as FileHandle
  }

  /** Reports everything that is synced from here on. */
  async function watchSyncs(tell: (synced: Stats) => void): Promise<void> {
    const prototype = await handles()
    const { sync } = prototype
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      tell(await this.stat())
      return sync.call(this)
    })
  }

  /** Counts syncs of files and of folders. */
  async function countSyncs() {
    const counts = { files: 0, folders: 0 }
    await watchSyncs((synced) => counts[synced.isDirectory() ? 'folders' : 'files']++)
    return counts
  }

  it('syncs the file, its folder, and the folders above that are new to it', async () => {
    const root = folder()
    const store = await openDiskStore(root)
    const counts = await countSyncs()
    await store.put(packName(`ab-${randomUUID()}`), Buffer.alloc(10))
    expect(counts).toEqual({ files: 1, folders: 3 })
    await store.put(packName(`ab-${randomUUID()}`), Buffer.alloc(10))
    expect(counts).toEqual({ files: 2, folders: 4 })
    const later = await openDiskStore(root)
    await later.put(packName(`ab-${randomUUID()}`), Buffer.alloc(10))
    expect(counts).toEqual({ files: 3, folders: 7 })
  })

  it('flushes as it writes, so that other syncs wait briefly', async () => {
    const store = await openDiskStore(folder())
    const flush = vi.spyOn(await handles(), 'datasync')
    const megabytes = (count: number) => Array.from({ length: count }, () => Buffer.alloc(1_048_576))
    await store.put(packName(randomUUID()), Buffer.alloc(7_000_000))
    expect(flush).toHaveBeenCalledTimes(0)
    async function* source() {
      yield* megabytes(20)
    }
    await store.put(packName(randomUUID()), source())
    expect(flush).toHaveBeenCalledTimes(2)
    await store.put(packName(randomUUID()), Buffer.concat(megabytes(20)))
    expect(flush).toHaveBeenCalledTimes(4)
  })

  it('syncs above again when an emptied folder went and came back', async () => {
    const store = await openDiskStore(folder())
    const name = spillName(randomUUID(), 'a')
    await store.put(name, Buffer.alloc(1))
    await store.remove(name)
    const counts = await countSyncs()
    await store.put(name, Buffer.alloc(1))
    expect(counts).toEqual({ files: 1, folders: 3 })
  })

  it('syncs the folder that has the name, when another took its place while the file was written', async () => {
    const root = folder()
    const store = await openDiskStore(root)
    const name = spillName(randomUUID(), 'a')
    const beside = name.replace(/a$/, 'b')
    await store.put(beside, Buffer.alloc(1))
    const synced = new Set<number>()
    await watchSyncs(({ ino }) => synced.add(ino))
    async function* replacing() {
      yield Buffer.alloc(10)
      // Simulates other processes. The extra file keeps the first folder's inode number from being reused.
      rmSync(join(root, dirname(name)), { recursive: true })
      writeFileSync(join(root, 'another'), '')
      mkdirSync(join(root, dirname(name)))
    }
    await store.put(name, replacing())
    expect(synced).toContain(statSync(join(root, dirname(name))).ino)
    expect(await store.size(name)).toBe(10)
  })

  it('puts blobs where the file system counts no links of a folder', async () => {
    const store = await openDiskStore(folder())
    const prototype = await handles()
    const { stat } = prototype
    const uncounted = vi.spyOn(prototype, 'stat').mockImplementation(async function (this: FileHandle) {
      const found = await stat.call(this, {})
      return Object.assign(found!, { nlink: 0 }) as Stats
    })
    const name = packName(randomUUID())
    await store.put(name, Buffer.alloc(10))
    expect(uncounted).toHaveBeenCalled()
    expect(await store.size(name)).toBe(10)
  })

  it('leaves no folder of a put that fails, and keeps one that something else is in', async () => {
    const root = folder()
    const store = await openDiskStore(root)
    async function* failing(after: number) {
      yield* Array.from({ length: after }, () => Buffer.alloc(10))
      throw new Error('source failed')
    }
    const name = spillName(randomUUID(), 'a')
    for (const after of [0, 3]) {
      await expect(store.put(name, failing(after))).rejects.toThrow('source failed')
      // The parent folders are shared by all sessions.
      expect(readdirSync(root, { recursive: true }).sort()).toEqual(['spills', 'tmp'])
    }
    const beside = name.replace(/a$/, 'b')
    await Promise.all([
      store.put(beside, Buffer.alloc(10)),
      expect(store.put(name, failing(3))).rejects.toThrow('source failed'),
    ])
    expect(await store.size(beside)).toBe(10)
  })

  it('leaves nothing but a leftover when killed while it puts, which is removed a day later', async () => {
    const root = folder()
    const name = packName(randomUUID())
    const fixture = join(import.meta.dirname, 'put.fixture.ts')
    const child = spawn(process.execPath, [fixture, root, name], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const store = await openDiskStore(root)
    expect(await store.size(name)).toBeUndefined()
    for await (const blob of store.list('')) expect.unreachable(blob.name)
    const leftovers = readdirSync(join(root, 'tmp'))
    expect(leftovers).toHaveLength(1)
    const old = Date.now() / 1_000 - 86_500
    utimesSync(join(root, 'tmp', leftovers[0]!), old, old)
    writeFileSync(join(root, 'tmp', 'young'), '')
    await openDiskStore(root)
    expect(readdirSync(join(root, 'tmp'))).toEqual(['young'])
  })

  it('leaves no temporary file behind when a source fails', async () => {
    const root = folder()
    const store = await openDiskStore(root)
    async function* failing() {
      yield Buffer.alloc(10)
      throw new Error('no')
    }
    await expect(store.put(packName(randomUUID()), failing())).rejects.toThrow('no')
    expect(readdirSync(join(root, 'tmp'))).toEqual([])
  })

  it('keeps few files open, however many are read and left', async () => {
    const openDescriptors = () => readdirSync('/proc/self/fd').length
    if (!existsSync('/proc/self/fd')) return
    const store = await openDiskStore(folder())
    const names = Array.from({ length: 200 }, () => packName(randomUUID()))
    await Promise.all(names.map((name) => store.put(name, Buffer.alloc(300_000))))
    const before = openDescriptors()
    for (const name of names) for await (const _ of store.stream(name)) break
    await Promise.all(names.map((name) => store.read(name, { start: 10, length: 10 })))
    await Promise.all(names.map((name) => collect(store.stream(name))))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(openDescriptors() - before).toBeLessThanOrEqual(128)
    await store.close()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(openDescriptors()).toBeLessThanOrEqual(before)
  })
})
