/**
 * Appends statements to the log: takes changes from the queue, in the order of events, and writes leaves and tiles in one transaction. A
 * checkpoint is signed and stored only after its commit, so that all signed leaves are durable.
 */
import { randomBytes } from 'node:crypto'
import {
  commitmentOf,
  firstSlot,
  fullCommitment,
  hexOf,
  leafHashOf,
  leafOf,
  nodeHashOf,
  saltBytes,
  slotOf,
  statementText,
  tilesSince,
  tileWidth,
} from '@ulmus/content/log'
import {
  appendLeaves,
  beginLog,
  findLog,
  hasQueued,
  type LogHeadRow,
  type LogLeafRow,
  type LogStateRow,
  type LogTile,
  lockLog,
  logHeadsOf,
  type Queries,
  type QueuedRow,
  readTiles,
  type Tx,
  takeQueued,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { admitKey, isSettled, type LogSigners, type SignedHere, type Stated, signLatest } from './signing.ts'
import { slotKeysOf } from './slot-keys.ts'

/** Changes that one transaction takes. */
const takenMax = 500
const hashBytes = 32

/**
 * Appends waiting changes and signs the log.
 * @param here the same object for all calls of a server
 * @returns how many were taken, or 0 if another server is at it
 */
export async function sequence(
  context: Context,
  signers: LogSigners,
  here: SignedHere = {},
): Promise<number> {
  if (!(await hasWork(context.database, signers))) {
    // A database that went back is reported before there is anything to sign.
    if (!here.isCompared) await signLatest(context, signers, here)
    return 0
  }
  const taken = await context.database.transact(async (tx) => {
    if ((await findLog(tx)) === undefined) await beginLog(tx, newId())
    const log = await lockLog(tx, false)
    if (log === undefined) return 0
    const queued = await takeQueued(tx, takenMax)
    await append(tx, log, [...(await admitKey(tx, log, signers, context.now())), ...queued.flatMap(statedOf)])
    return queued.length
  })
  await signLatest(context, signers, here)
  return taken
}

/** Looks without a lock, since this runs every second and a lock writes. */
async function hasWork(database: Queries, signers: LogSigners): Promise<boolean> {
  const log = await findLog(database)
  if (log === undefined || (await hasQueued(database))) return true
  return signers.length > 0 && !(await isSettled(database, log, signers))
}

/** Appends statements. The log must be locked. */
export async function append(tx: Tx, log: LogStateRow, stated: readonly Stated[]): Promise<void> {
  if (stated.length === 0) return
  const heads = new Map<string, Head>()
  const ids = [...new Set(stated.map(({ statement }) => statement.collection))]
  for (const row of await logHeadsOf(tx, ids))
    heads.set(row.collectionId, { row, keys: slotKeysOf(row.secret) })
  const leaves: LogLeafRow[] = []
  for (const one of stated) {
    leaves.push(leafRow(one, log.size + leaves.length, heads))
    // A key costs up to 1,024 hashes.
    await new Promise(setImmediate)
  }
  const hashes = leaves.map(({ leaf }) => leafHashOf(leaf))
  const tiles = await grownTiles(tx, log.size, hashes)
  await appendLeaves(tx, { leaves, heads: [...heads.values()].map(({ row }) => row), tiles })
}

interface Head {
  readonly row: LogHeadRow
  readonly keys: ReturnType<typeof slotKeysOf>
}

/** The row of the next leaf of a collection; moves its head. */
function leafRow({ statement, at, versionId }: Stated, index: number, heads: Map<string, Head>): LogLeafRow {
  const { fullDigest, ...known } = statement
  const { collection: collectionId, name } = known
  const head = heads.get(collectionId)
  const before = head?.row
  const secret = before?.secret ?? randomBytes(32)
  const keys = head?.keys ?? slotKeysOf(secret)
  const seq = (before?.seq ?? 0) + 1
  const [salt, fullSalt] = [randomBytes(saltBytes), fullDigest === null ? null : randomBytes(saltBytes)]
  const full = fullSalt && fullCommitment(fullSalt, fullDigest as never)
  const text = statementText({ ...known, full, prev: before?.leafHash ?? null, seq })
  const { key, begun } = keys(seq)
  const own = commitmentOf(text, salt)
  const leaf = leafOf(key === null ? firstSlot(collectionId) : slotOf(key), own, begun ?? undefined)
  const row = { collectionId, seq, leafHash: hexOf(leafHashOf(leaf)), secret }
  heads.set(collectionId, { row, keys })
  const commitment = begun && own
  return { index, leaf, collectionId, seq, versionId, name, at, statement: text, salt, fullSalt, commitment }
}

/** Statements of a change; none if its version was erased meanwhile. */
export function statedOf(row: QueuedRow): Stated[] {
  const { at, kind, collectionId: collection, versionId, name } = row
  const common = { at: instantText(at), collection, name }
  const none = { public: null, semver: null, fullDigest: null }
  if (kind !== 'version.made' && kind !== 'version.withdrawn')
    return [
      {
        at,
        versionId: null,
        statement: { ...common, ...none, kind: kind === 'collection.visibility' ? 'private' : 'named' },
      },
    ]
  // Erased before it was logged.
  if (row.semver === null) return []
  const { semver } = row
  if (kind === 'version.withdrawn')
    return [{ at, versionId: null, statement: { ...common, ...none, kind: 'withdrawn', semver } }]
  const digests = { public: row.publicDigest, fullDigest: row.fullDigest }
  return [{ at, versionId, statement: { ...common, ...digests, kind: 'version', semver } }]
}

/** Tiles of the grown log that change, from the right edge of the old one and the new hashes. */
async function grownTiles(tx: Tx, size: number, hashes: readonly Uint8Array[]): Promise<LogTile[]> {
  const grown = tilesSince(size, size + hashes.length)
  const stored = await readTiles(tx, grown)
  const tiles = new Map<string, Uint8Array>()
  return grown.map(({ level, index, width }, n) => {
    const old = stored[n] ?? new Uint8Array()
    const own = new Uint8Array(width * hashBytes)
    own.set(old.subarray(0, own.length))
    for (let at = old.length / hashBytes; at < width; at++) {
      const place = index * tileWidth + at
      // A hash above level 0 is that of a full tile below, which this call has completed.
      const hash = level === 0 ? hashes[place - size]! : tileRoot(tiles.get(`${level - 1}/${place}`)!)
      own.set(hash, at * hashBytes)
    }
    tiles.set(`${level}/${index}`, own)
    return { level, index, hashes: own }
  })
}

/** Hash of a tile’s hashes, a power of two of them. */
function tileRoot(hashes: Uint8Array): Uint8Array {
  if (hashes.length === hashBytes) return hashes
  const half = hashes.length / 2
  return nodeHashOf(tileRoot(hashes.subarray(0, half)), tileRoot(hashes.subarray(half)))
}
