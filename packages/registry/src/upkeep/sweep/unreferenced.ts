/**
 * Blobs that nothing refers to: of commits, pushes and uploads that came to nothing, of packs that sweeps have emptied. Packs and
 * uploads are set aside first and removed days later, for a database that was restored, or the wrong one, knows too little of them.
 *
 * What a push session received goes at once when the session has ended. It serves that session alone, which expires after a day of
 * silence at most; so of what is older than a day, no database that could be restored would make use again.
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

const namesAtOnce = 1_000
/** Uploads checked and removed at a time; meanwhile no commit and no upload is recorded. */
const removedAtOnce = 50

/** Everything under `prefix`, some at a time. */
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

/** Those of the names, all under one prefix, that the database records. */
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
  /** Neither recorded nor young, nor of a commit under way. Set aside or not. */
  unneeded: ListedBlob[]
}

/** Packs and uploads. @param before blobs written since are young */
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
 * Sets unrecorded blobs aside that were last written before `before`: packs, unless a commit that began before they were written is
 * under way, and uploads. Takes recorded ones back.
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
 * Forgets uploads that no version ever had and that were last made before `before`. Their bytes are leftovers to the next sweep, which
 * weighs them before it sets them aside. Uploads pass the gate, and commits lock what they rely on, so that nothing is forgotten that is
 * about to be used.
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

/** Removes blobs set aside for that many seconds that are still unrecorded, except for uploads written anew since `before`. */
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
 * An upload stores its bytes, then records them in a transaction that passes the gate and makes sure that they are there
 * (`files.ts`). So, while we hold the gate, unrecorded uploads that were not written anew have no owner. A pack is written under a new
 * name by the commit that records it, so no gate is needed.
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
