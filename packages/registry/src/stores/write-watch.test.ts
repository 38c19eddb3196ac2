import { type BlobStore, openMemoryStore, StorageFullError, StoreUnavailableError } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { figuresOf } from '../monitoring/figures.ts'
import { healthOf } from '../monitoring/health.ts'
import { openContext, type TestContext } from '../testing/context.ts'
import { refusedWrites, WriteWatch, watchWrites } from './write-watch.ts'

let context: TestContext
let writes: WriteWatch
let time = Date.UTC(2026, 0, 1)

beforeEach(async () => {
  context = await openContext(databases[1]!, { now: () => new Date(time) })
  writes = new WriteWatch(context.log, context.now)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await context.dispose()
})

const lines = () => [...context.log.warnings, ...context.log.infos].map(({ line }) => line)
const storeOf = (blobs: BlobStore) => watchWrites({ ...context, blobs }, writes, false).blobs
/** Moves the clock of the watch. */
const later = (seconds: number) => {
  const now = performance.now() + seconds * 1_000
  vi.spyOn(performance, 'now').mockReturnValue(now)
  time += seconds * 1_000
}
const watched = () => ({ ...context, writes })

/** A store whose writes fail with an error, or succeed. */
function failing() {
  const blobs = openMemoryStore()
  const state: { error: Error | undefined } = { error: undefined }
  const put: typeof blobs.put = async (...blob) => {
    if (state.error !== undefined) throw state.error
    return blobs.put(...blob)
  }
  return { state, blobs: { ...blobs, put } }
}
const name = 'files/aa/one'
const bytes = new Uint8Array(1)

test('a bucket that is full is noted once, for the log, health and figures, until it takes writes', async () => {
  const { state, blobs } = failing()
  const store = storeOf(blobs)
  const began = new Date(time)
  state.error = new StorageFullError('The object store is full: QuotaExceeded')
  for (let n = 0; n < 3; n++) {
    await expect(store.put(name, bytes)).rejects.toThrow('QuotaExceeded')
    later(30)
  }
  expect(await refusedWrites(watched())).toMatchObject([
    { store: 'objects', isFull: true, since: began, why: expect.stringContaining('QuotaExceeded') },
  ])
  expect(await healthOf(watched()).check()).toMatchObject({
    ...{ ready: true, storage: 'full' },
    problems: expect.arrayContaining([expect.stringContaining('The object store is full')]),
  })
  expect(await figuresOf(watched()).isFull()).toBe(true)
  state.error = undefined
  await store.put(name, bytes)
  // A small write may have found room.
  expect(await refusedWrites(watched())).toHaveLength(1)
  later(61)
  await store.put(name, bytes)
  expect(await refusedWrites(watched())).toEqual([])
  expect(lines()).toEqual([
    'The object store is full: writes get 507 until there is room.',
    'The object store takes writes again.',
  ])
})

test('a store that takes no writes is noted; errors of the source of a write are not', async () => {
  const { state, blobs } = failing()
  const store = storeOf(blobs)
  for (const error of [
    new Error('the source failed'),
    Object.assign(new Error('aborted'), { code: 'ECONNRESET' }),
    Object.assign(new Error('no room'), { code: '53100' }),
  ]) {
    state.error = error
    await expect(store.put(name, bytes)).rejects.toThrow(error)
  }
  expect(await refusedWrites(watched())).toEqual([])
  state.error = new StoreUnavailableError('AccessDenied')
  await expect(store.put(name, bytes)).rejects.toThrow('AccessDenied')
  const health = await healthOf(watched()).check()
  expect(health).toMatchObject({ ready: true, storage: 'ok' })
  expect(health.problems).toContain('The object store takes no writes: they are answered 503.')
  later(301)
  expect(await refusedWrites(watched())).toEqual([])
})

test('the disk of the objects has a watch of its own', async () => {
  const { state, blobs } = failing()
  state.error = new StorageFullError('the reserve')
  await expect(watchWrites({ ...context, blobs }, writes, true).blobs.put(name, bytes)).rejects.toThrow(
    'the reserve',
  )
  expect(await refusedWrites(watched())).toEqual([])
})

test('a database without room is noted, by statements in and outside of transactions', async () => {
  const { database } = watchWrites(context, writes, false)
  const full = "do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$"
  for (const run of [
    () => database.query(full),
    () => database.transact((tx) => tx.query(full)),
    () => database.transactOnce((tx) => tx.query(full)),
  ])
    await expect(run()).rejects.toThrow('could not extend')
  expect(await database.query('select 1 as one')).toEqual({ rows: [{ one: 1 }] })
  expect(await refusedWrites(watched())).toMatchObject([{ store: 'database', isFull: true }])
  expect(lines()).toEqual(['The disk of the database server is full: writes get 507 until there is room.'])
})
