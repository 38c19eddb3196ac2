/**
 * The signed log of the registry (docs/verifying.md): its checkpoint and tiles, which anyone may read, and statements of collections, for
 * readers of these. http-api §15.
 */
import {
  base64Of,
  bundleOf,
  inclusionProof,
  parseCheckpoint,
  parseTilePath,
  proofText,
  splitNote,
  type Tile,
  tileWidth,
} from '@ulmus/content/log'
import {
  dropQueued,
  findLeafOfVersion,
  findLog,
  type LogLeafRow,
  leavesFrom,
  listLeavesOf,
  listLinksOf,
  listLogKeys,
  logHeadsOf,
  type Queries,
  readTiles,
} from '@ulmus/storage'
import type { CollectionPath, LogFacts, LogStatement, VersionInLog, VersionPath } from '@ulmus/wire'
import { findVisibleCollection } from '../access/find-collection.ts'
import type { View } from '../access/policy.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { workOn } from '../jobs.ts'
import type { Principal } from '../principal.ts'
import { schedule } from '../schedule.ts'
import { refusalOfWithdrawn } from '../versions/content.ts'
import { namedVersion } from '../versions/versions.ts'
import { cosigningOf } from './cosigning.ts'
import type { OpenedVersionLog } from './key-file.ts'
import { sequence } from './sequencing.ts'
import type { LogSigners, SignedHere } from './signing.ts'
import { type SlotKey, slotKeysOf } from './slot-keys.ts'
import { startLog } from './starting.ts'
import { storedHashes } from './stored-hashes.ts'
import { witnessingOf } from './witnessing.ts'

/** Statements in one answer. */
const pageMax = 100
/** A log never had so many keys. */
const keysMax = 10_000
/** A request waits so long for the leaf of a new version. Milliseconds. */
const waitedMax = 10_000
const lookedEvery = 250
/** `Retry-After` while the log cannot be signed: clients give up at once instead of retrying. Seconds. */
const stuckSeconds = 600
/** Changes that make `sequence` go on at once. */
const manyTaken = 500

export type VersionLog = ReturnType<typeof versionLogOf>

/**
 * @param log `off`: changes get no leaves
 * @param witnesses those of this log, the keys of logs that this registry witnesses, and its address
 */
export function versionLogOf(
  context: Context,
  log: 'off' | LogSigners,
  { witnesses = [], witnessed = [], publicUrl }: Partial<Omit<OpenedVersionLog, 'signers'>> = {},
) {
  const { database } = context
  const witnessing = witnessingOf(context, log === 'off' ? [] : log, witnessed)
  const here: SignedHere = {}
  context.jobs.clear('log', () => sequenceAll(context, log, here))
  context.jobs.repeat(schedule.cosigning, cosigningOf(context, witnesses))

  /** @throws log_unavailable unless there is a signed checkpoint */
  async function signed() {
    const found = log === 'off' ? undefined : await findLog(database)
    if (found?.checkpoint == null || found.origin === null) throw new RegistryError('log_unavailable')
    return { ...found, checkpoint: found.checkpoint, origin: found.origin }
  }

  return {
    /** Call it before the first request, which would find a new registry without a checkpoint. */
    start: () => startLog(context, log, { sign: () => sequenceAll(context, log, here), publicUrl }),

    /** The latest checkpoint: a signed note. @throws log_unavailable */
    checkpoint: async (): Promise<string> => (await signed()).checkpoint,

    /** @throws log_unavailable */
    async facts(): Promise<LogFacts> {
      const { origin, registryId, signedSize: size } = await signed()
      const keys = await keysOf(database, registryId)
      return { origin, size, keys, witness: await witnessing.vkey() }
    },

    /**
     * A tile of the signed log: hashes, or entries.
     * @param path as in C2SP tlog-tiles: `tile/0/000`
     * @returns undefined if there is none
     */
    async tile(path: string): Promise<Uint8Array | undefined> {
      const tile = parseTilePath(path)
      const found = log === 'off' ? undefined : await findLog(database)
      if (tile === undefined || found === undefined) return undefined
      return readTile(database, found.signedSize, tile)
    },

    /**
     * The statement about a version, with a proof that it is in the log. Waits for the leaf of a new version.
     * @throws collection_not_found, version_not_found, version_withdrawn, log_unavailable, log_behind; not_logged for a version from before the log, or erased
     */
    async ofVersion(who: Principal, path: VersionPath, signal?: AbortSignal): Promise<VersionInLog> {
      const seen = await findVisibleCollection(context, who, path)
      const version = await namedVersion(context, seen, path.v)
      if (version.withdrawnAt !== null) throw refusalOfWithdrawn(version)
      const end = performance.now() + waitedMax
      for (;;) {
        const { signedSize: size, checkpoint } = await signed()
        const row = await findLeafOfVersion(database, version.id)
        if (row !== undefined && row.index < size && row.statement !== null)
          return proven(database, row, { view: seen.view, size, checkpoint })
        const isNew = context.now().getTime() - version.createdAt.getTime() < 10 * waitedMax
        const isStated = row === undefined ? isNew : row.statement !== null
        if (!isStated) throw new RegistryError('not_logged', { say: { version: path.v } })
        // An old entry is not signed for another reason than its age.
        if (!isNew || performance.now() > end || signal?.aborted) throw behind(context, isNew)
        await new Promise((resolve) => setTimeout(resolve, lookedEvery))
      }
    },

    /** Statements of a collection after a number, in order. @throws collection_not_found, log_unavailable */
    async statements(who: Principal, path: CollectionPath, after: number): Promise<LogStatement[]> {
      const { collection, view } = await findVisibleCollection(context, who, path)
      const { signedSize } = await signed()
      const rows = await listLeavesOf(database, collection.id, { after, limit: pageMax })
      if (rows.length === 0) return []
      const keys = await keysIn(database, collection.id)
      return rows
        .filter(({ index }) => index < signedSize)
        .map((row) => ({
          ...(row.statement === null ? erased(row, keys(row.seq)) : shown(row, view, keys(row.seq))),
          next: base64Of(keys(row.seq + 1).key!),
        }))
    },

    /** Cosigns a checkpoint of another log. */
    cosign: witnessing.addCheckpoint,

    /** Size and root that are signed, for tests and witnesses. @throws log_unavailable */
    latest: async () => parseCheckpoint(splitNote((await signed()).checkpoint).text),
  }
}

/** A failure of the signing on this server is lasting, since it is repeated within seconds: a wrong key, or a database that went back. */
function behind({ jobs }: Context, isNew: boolean): RegistryError {
  const isStuck = !isNew || jobs.failed().some(({ name }) => name === workOn('log'))
  return new RegistryError('log_behind', { say: { isStuck, retryAfter: isStuck ? stuckSeconds : 5 } })
}

async function sequenceAll(context: Context, log: 'off' | LogSigners, here: SignedHere): Promise<void> {
  // On a full disk the database must not write.
  if (await context.space.isFull()) return
  if (log === 'off') return context.database.transactOnce(dropQueued)
  while ((await sequence(context, log, here)) >= manyTaken);
}

/** @returns undefined if the tile is not in the log of this size */
async function readTile(database: Queries, size: number, tile: Tile): Promise<Uint8Array | undefined> {
  const { level, index, width } = tile
  const place = level === 'entries' ? 0 : level
  if (Math.floor(size / tileWidth ** place) < index * tileWidth + width) return undefined
  if (level === 'entries') return bundleOf(await leavesFrom(database, index * tileWidth, width))
  const [hashes] = await readTiles(database, [{ level, index }])
  return hashes?.subarray(0, width * 32)
}

/** A statement with the proofs of its leaf and of those that begin chains of keys before it. */
async function proven(
  database: Queries,
  row: LogLeafRow,
  { view, size, checkpoint }: { view: View; size: number; checkpoint: string },
): Promise<VersionInLog> {
  const collectionId = row.collectionId!
  const keys = await keysIn(database, collectionId)
  const path = (index: number) => inclusionProof(index, size, storedHashes(database, size))
  const links: VersionInLog['links'] = []
  for (const link of await listLinksOf(database, collectionId, row.seq))
    links.push({ ...linkOf(link, keys(link.seq)), path: (await path(link.index)).map(base64Of) })
  const proof = proofText({ index: row.index, path: await path(row.index), checkpoint })
  return { ...shown(row, view, keys(row.seq)), links, proof }
}

/** Keys with the statements that admitted them. */
async function keysOf(database: Queries, registryId: string): Promise<LogFacts['keys']> {
  const stated = await listLeavesOf(database, registryId, { after: 0, limit: keysMax })
  const slotKeys = await keysIn(database, registryId)
  const linking = stated.filter(({ commitment }) => commitment !== null)
  return (await listLogKeys(database)).flatMap(({ vkey, since, until }) => {
    const leaf = stated.find(({ name }) => name === vkey)
    if (leaf === undefined) return []
    const links = linking.filter(({ seq }) => seq < leaf.seq).map((link) => linkOf(link, slotKeys(link.seq)))
    const dates = { since: instantText(since), until: until && instantText(until) }
    return [{ vkey, ...dates, ...shown(leaf, 'public', slotKeys(leaf.seq)), links }]
  })
}

/** Keys of the slots of a collection that has statements. */
async function keysIn(database: Queries, collectionId: string): Promise<ReturnType<typeof slotKeysOf>> {
  const [head] = await logHeadsOf(database, [collectionId])
  // Deleted since.
  if (head === undefined) throw new RegistryError('collection_not_found')
  return slotKeysOf(head.secret)
}

/** Members get the salt of the full digest, too. */
function shown(row: LogLeafRow, view: View, key: SlotKey) {
  const { seq, statement, salt, fullSalt } = row
  const own = view === 'full' && fullSalt !== null && { fullSalt: base64Of(fullSalt) }
  return { ...opened(row, key), seq, statement: statement!, salt: base64Of(salt!), ...own }
}

const erased = (row: LogLeafRow, key: SlotKey) => ({
  ...opened(row, key),
  seq: row.seq,
  erased: true as const,
})

/** Key of a leaf, which may begin a chain of keys. */
const opened = (row: LogLeafRow, key: SlotKey) =>
  row.commitment === null ? { index: row.index, key: key.key && base64Of(key.key) } : linkOf(row, key)

/** Key, chain and commitment of a leaf that begins a chain of keys. */
const linkOf = ({ index, commitment }: LogLeafRow, { key, begun }: SlotKey) => ({
  index,
  key: key && base64Of(key),
  chain: base64Of(begun!),
  commitment: base64Of(commitment!),
})
