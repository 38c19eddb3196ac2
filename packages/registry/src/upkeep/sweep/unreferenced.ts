/**
 * Unreferenced blobs: from failed commits, pushes and uploads, and packs that sweeps have emptied. Packs and uploads are set
 * aside first and removed days later, because the database may be a restored or a wrong one that lacks references to them.
 *
 * Spills of an ended push session are removed at once. They serve only that session, which expires after at most a day without
 * requests, so no restored database could use spills older than a day.
 */
import { parseHash } from '@ulmus/content'
import {
  allSpillsPrefix,
  filesPrefix,
  forgetOldUploads,
  type ListedBlob,
  livePushes,
  longAside,
  packsPrefix,
  passSweepGate,
  putAside,
  type Queries,
  recordedFiles,
  recordedPacks,
  type SizedBlob,
  setAsideOf,
  takeBack,
} from '@ulmus/storage'
import type { Context } from '../../context.ts'

type Stores = Pick<Context, 'database' | 'blobs'>

/** Number and total size of blobs. */
export interface Tally {
  blobs: number
  bytes: number
}

export const noBlobs = (): Tally => ({ blobs: 0, bytes: 0 })

export function addTo(tally: Tally, blobs: readonly SizedBlob[]): void {
  tally.blobs += blobs.length
  for (const { bytes } of blobs) tally.bytes += bytes
}

export function add(tally: Tally, more: Tally): void {
  tally.blobs += more.blobs
  tally.bytes += more.bytes
}

/** Names looked up in one query. */
const namesAtOnce = 1_000
/** Uploads checked and removed in one transaction; no commit and no upload is recorded meanwhile. */
const removedAtOnce = 50

/** All blobs under `prefix`, in pages. */
async function* listed(stores: Stores, prefix: string): AsyncGenerator<ListedBlob[]> {
  let page: ListedBlob[] = []
  for await (const blob of stores.blobs.list(prefix)) {
    page.push(blob)
    if (page.length < namesAtOnce) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

const hashIn = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** Those of `names`, all under `prefix`, that the database records. */
async function recorded(at: Queries, prefix: string, names: readonly string[]): Promise<Set<string>> {
  if (prefix === packsPrefix) return recordedPacks(at, names)
  const hashes = await recordedFiles(
    at,
    names.map(hashIn).filter((hash) => parseHash(hash) !== undefined),
  )
  return new Set(names.filter((name) => hashes.has(hashIn(name))))
}

interface Page {
  all: ListedBlob[]
  recorded: Set<string>
  aside: Set<string>
  /** Old, unrecorded, and not of a running commit; set aside or not. */
  unneeded: ListedBlob[]
}

/** Pages of packs and uploads. @param before blobs written later are young */
async function* pages(stores: Stores, before: Date): AsyncGenerator<Page> {
  const { oldestCommit } = await livePushes(stores.database)
  const packsBefore = oldestCommit !== undefined && oldestCommit < before ? oldestCommit : before
  for (const prefix of [packsPrefix, filesPrefix]) {
    const oldBefore = prefix === packsPrefix ? packsBefore : before
    for await (const all of listed(stores, prefix)) {
      const names = all.map(({ name }) => name)
      const known = await recorded(stores.database, prefix, names)
      const aside = await setAsideOf(stores.database, names)
      const unneeded = all.filter(({ name, modifiedAt }) => modifiedAt < oldBefore && !known.has(name))
      yield { all, recorded: known, aside, unneeded }
    }
  }
}

/** Total size of packs and uploads not set aside, and of those that `setUnreferencedAside` would set aside. Bytes. */
export async function weighStore(
  stores: Stores,
  before: Date,
): Promise<{ storeBytes: number; unreferencedBytes: number }> {
  let [storeBytes, unreferencedBytes] = [0, 0]
  for await (const { all, unneeded, aside } of pages(stores, before)) {
    for (const { name, bytes } of all) if (!aside.has(name)) storeBytes += bytes
    for (const { name, bytes } of unneeded) if (!aside.has(name)) unreferencedBytes += bytes
  }
  return { storeBytes, unreferencedBytes }
}

/**
 * Sets aside unrecorded blobs last written before `before`: uploads, and packs, unless a running commit began before they were
 * written. Takes recorded ones back.
 */
export async function setUnreferencedAside(stores: Stores, before: Date): Promise<Tally> {
  const tally = noBlobs()
  for await (const { recorded, aside, unneeded } of pages(stores, before)) {
    const again = [...aside].filter((name) => recorded.has(name))
    if (again.length > 0) await stores.database.transact((tx) => takeBack(tx, again))
    const left = unneeded.filter(({ name }) => !aside.has(name))
    if (left.length > 0) addTo(tally, await stores.database.transact((tx) => putAside(tx, left)))
  }
  return tally
}

/** Removes received data of ended or missing push sessions, if it was last written before `before`. */
export async function removeSpills(stores: Stores, before: Date): Promise<Tally> {
  const tally = noBlobs()
  const { ids } = await livePushes(stores.database)
  for await (const page of listed(stores, allSpillsPrefix)) {
    const ended = page.filter(({ name, modifiedAt }) => modifiedAt < before && !ids.has(name.split('/')[1]!))
    for (const { name } of ended) await stores.blobs.remove(name)
    addTo(tally, ended)
  }
  return tally
}

/**
 * Forgets uploads that no version ever had and that were last made before `before`. To the next sweep their bytes are leftovers,
 * which it weighs before it sets them aside. Uploads pass the gate, and commits lock the files that they rely on, so no upload is
 * forgotten that is about to be used.
 */
export async function forgetUploads(stores: Stores, before: Date): Promise<Tally> {
  const tally = noBlobs()
  for (let last = namesAtOnce; last === namesAtOnce; ) {
    const forgotten = await stores.database.transact(async (tx) => {
      await passSweepGate(tx, 'sweep')
      return forgetOldUploads(tx, before, namesAtOnce)
    })
    add(tally, { blobs: forgotten.files, bytes: forgotten.bytes })
    last = forgotten.files
  }
  return tally
}

/**
 * Removes blobs that were set aside at least `seconds` ago and are still unrecorded, except for uploads written again since
 * `before`.
 */
export async function removeLongAside(stores: Stores, before: Date, seconds: number): Promise<Tally> {
  const tally = noBlobs()
  for (const prefix of [packsPrefix, filesPrefix]) {
    const pageAfter = (after: string) =>
      longAside(stores.database, { prefix, seconds, after, max: removedAtOnce })
    for (let page = await pageAfter(''); page.length > 0; page = await pageAfter(page.at(-1)!.name)) {
      addTo(tally, await removeUnrecorded(stores, prefix, page, before))
    }
  }
  return tally
}

/**
 * Removes unrecorded blobs of a page. An upload stores its bytes, then records them in a transaction that passes the gate and
 * checks that they exist (`files.ts`). While this transaction holds the gate, unrecorded uploads that were not written again
 * therefore have no owner. A pack is written under a new name by the commit that records it, so packs need no gate.
 */
function removeUnrecorded(
  stores: Stores,
  prefix: string,
  page: readonly SizedBlob[],
  before: Date,
): Promise<SizedBlob[]> {
  return stores.database.transact(async (tx) => {
    if (prefix === filesPrefix) await passSweepGate(tx, 'sweep')
    const names = page.map(({ name }) => name)
    const needed = await recorded(tx, prefix, names)
    const removed: SizedBlob[] = []
    const young = new Set<string>()
    for (const blob of page) {
      if (needed.has(blob.name)) continue
      if (prefix === filesPrefix && (await isYoung(stores, blob.name, before))) young.add(blob.name)
      else {
        await stores.blobs.remove(blob.name)
        removed.push(blob)
      }
    }
    await takeBack(
      tx,
      names.filter((name) => !young.has(name)),
    )
    return removed
  })
}

async function isYoung({ blobs }: Stores, name: string, before: Date): Promise<boolean> {
  for await (const blob of blobs.list(name)) if (blob.name === name) return blob.modifiedAt >= before
  return false
}
