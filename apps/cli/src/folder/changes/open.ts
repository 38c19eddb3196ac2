/** Opens working folders for commands, under their lock, and connects to their collections. */
import { join } from 'node:path'
import type { Collection } from '@ulmus/wire'
import type { Call } from '../../context.ts'
import { type CollectionName, pathOf } from '../../reference.ts'
import { cacheFolder } from '../../session/places.ts'
import { CommandError } from '../../terminal/failure.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { collectionOf, type FolderState, readBase, readState, writeState } from '../base/state.ts'
import type { VersionSource } from '../base/verified-version.ts'
import { FileIndex } from '../files/file-index.ts'
import { rootAt } from '../files/layout.ts'
import { withFolder } from '../files/lock.ts'
import { type Folder, readFolder } from './changes.ts'

/** Runs `work` with the folder around the current directory, under its lock, and saves the file index afterwards. */
export function inFolder<T>(
  call: Call,
  work: (folder: Folder, state: FolderState) => Promise<T>,
): Promise<T> {
  const root = rootAt(call.terminal.cwd)
  return withFolder(root, async () => {
    const index = FileIndex.read(root)
    try {
      return await work(await readFolder(root, readBase(root), index), readState(root))
    } finally {
      index.save()
    }
  })
}

/** Registry and collection of a folder, and the key for them. */
export interface Remote {
  readonly source: VersionSource
  readonly host: string
  readonly collection: CollectionName
  /** Undefined: not signed in to this registry. */
  readonly key: string | undefined
  readonly say: Call['say']
}

/**
 * Registry and collection of a folder.
 * @param asJob with a key for the token of this job, of a trusted publisher
 * @throws CommandError if the folder has no collection
 */
export async function remoteOf(call: Call, state: FolderState, asJob = false): Promise<Remote> {
  const collection = collectionOf(state)
  const wanted = { host: collection.host, ...(asJob && { jobOf: pathOf(collection) }) }
  const { client, host, key } = await call.connect(wanted)
  const source = { client, collection: pathOf(collection), signal: call.signal }
  return { source, host, collection, key, say: (text) => call.say(text) }
}

/** Ways on from a folder at an earlier version than the latest. */
export const adviceBehind = (base: string, latest: string): string[] => [
  `The latest version is ${latest}. Publish ${base} again: \`ulmus restore ${shellWord(base)}\`.`,
  `Return to the latest: \`ulmus checkout ${shellWord(latest)}\`.`,
]

/**
 * Reads the collection of a folder. Stores its id at the first call, and its new name if the registry redirects to it.
 * @throws CommandError `another_collection` if the path now belongs or leads to another collection
 */
export async function checkedCollection(
  root: string,
  state: FolderState,
  { source, say }: Remote,
): Promise<Collection> {
  const detail = await source.client.collections.get(source.collection)
  const { id, ownerSlug, slug } = detail
  const collection = `${ownerSlug}/${slug}`
  const isMoved = collection !== source.collection
  if (state.id === id || (state.id === undefined && !isMoved)) {
    if (isMoved) {
      say(`${source.collection} is now ${collection}. The folder remembers the new name.`)
      source.collection = collection
    }
    if (isMoved || state.id === undefined) writeState(root, { ...state, collection, id })
  } else
    throw new CommandError(
      `${source.collection} is now another collection than the one of this folder, which was deleted, renamed or transferred. Nothing was changed. Clone the new one only if you trust its owner.`,
      { code: 'another_collection', next: [`ulmus clone ${shellWord(collection)} NEW_FOLDER`] },
    )
  return detail
}

/** Cache of version files, shared by all working folders. */
export const cacheOf = (call: Call): string => join(cacheFolder(call.terminal.env), 'objects')
