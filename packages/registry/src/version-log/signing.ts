/** Keys of the log, and its checkpoints. A key signs once a statement in the log names it. */
import {
  type Checkpoint,
  checkpointText,
  equalBytes,
  hashesInTiles,
  rootOf,
  type Signer,
  type Statement,
  signerOf,
  signNote,
  vkeyOf,
} from '@ulmus/content/log'
import {
  findLog,
  insertLogKey,
  keepCheckpoint,
  type LogKeyRow,
  type LogStateRow,
  limitLogKeys,
  listLogKeys,
  nameLog,
  type Queries,
  readTiles,
  type Tx,
} from '@ulmus/storage'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'

/** The key, and a former one that still signs. Empty: leaves are not signed. */
export type LogSigners = readonly Signer[]

/** A former key signs so long beside the new one, for readers who know it alone. Days. */
const formerDays = 90
const hashBytes = 32

/** A statement to append, and facts about it that are not in its text. */
export interface Stated {
  readonly statement: Omit<Statement, 'seq' | 'prev' | 'full'> & { readonly fullDigest: string | null }
  readonly at: Date
  readonly versionId: string | null
}

/**
 * Admits a new key: the first of a log, or one beside which a known key signs. The log must be locked.
 * @returns the statement to append
 */
export async function admitKey(tx: Tx, log: LogStateRow, signers: LogSigners, now: Date): Promise<Stated[]> {
  const [signer, former] = signers
  if (signer === undefined) return []
  const origin = log.origin ?? (log.restoredAt ? nextOrigin(signer.name, log.restoredAt) : signer.name)
  const known = await listLogKeys(tx)
  const vkey = vkeyUnder(origin, signer)
  const formerKey = former && vkeyUnder(origin, former)
  const isAllowed = known.length === 0 || known.some((key) => key.vkey === formerKey && isLasting(key, now))
  if (known.some((key) => key.vkey === vkey) || !isAllowed) return []
  if (log.origin === null) await nameLog(tx, origin)
  await limitLogKeys(tx, new Date(now.getTime() + formerDays * 86_400_000))
  await insertLogKey(tx, { vkey, since: now, until: null })
  const none = { public: null, semver: null, fullDigest: null }
  const statement = {
    at: instantText(now),
    collection: log.registryId,
    kind: 'key' as const,
    name: vkey,
    ...none,
  }
  return [{ at: now, versionId: null, statement }]
}

/** True if the key is admitted and the latest size is signed. */
export async function isSettled(at: Queries, log: LogStateRow, [signer]: LogSigners): Promise<boolean> {
  if (signer === undefined || log.origin === null || !isSigned(log)) return false
  const vkey = vkeyUnder(log.origin, signer)
  return (await listLogKeys(at)).some((key) => key.vkey === vkey)
}

const isSigned = ({ checkpoint, signedSize, size }: LogStateRow): boolean =>
  checkpoint !== null && signedSize === size

/** The latest checkpoint that this server has signed. */
export interface SignedHere {
  latest?: Checkpoint
}

/**
 * Signs the latest size, unless it is signed.
 * @throws Error if the key is not one of this log, or if the database has lost what this server has signed
 */
export async function signLatest(
  { database, now }: Context,
  signers: LogSigners,
  here: SignedHere,
): Promise<void> {
  const log = await findLog(database)
  if (signers.length === 0 || log === undefined || log.origin === null) return
  if (isSigned(log)) return
  const { origin, size } = log
  const own = await knownSigners(database, { origin, signers, now: now() })
  // Readers who have seen this log know its keys.
  if (own.length === 0)
    throw new Error(
      `${vkeyUnder(origin, signers[0]!)} is not a key of this log. Give all servers the same VERSION_LOG_KEY_FILE, or name the former key in VERSION_LOG_KEY_FILE_FORMER.`,
    )
  const root = await rootOf(size, storedHashes(database, size))
  const { latest } = here
  if (latest?.origin === origin && !(await isThere(database, latest, size)))
    throw new Error(
      `The log does not continue what this server signed at ${latest.size} entries: the database went back to an earlier state. Run \`ulmus-server log restart\`, which gives the log another name.`,
    )
  here.latest = { origin, size, root }
  const note = signNote(checkpointText({ origin, size, root }), own)
  await database.transactOnce((tx) => keepCheckpoint(tx, size, note))
}

/** A failover to a standby without the last commits loses leaves. Others in their place would be signed as a second log. */
async function isThere(database: Queries, signed: Checkpoint, size: number): Promise<boolean> {
  if (signed.size > size) return false
  return equalBytes(await rootOf(signed.size, storedHashes(database, signed.size)), signed.root)
}

const isLasting = ({ until }: LogKeyRow, now: Date): boolean => until === null || until > now

/** Signers whose keys the log knows, under its name. */
export async function knownSigners(
  at: Queries,
  { origin, signers, now }: { origin: string; signers: LogSigners; now: Date },
): Promise<Signer[]> {
  const known = (await listLogKeys(at)).filter((key) => isLasting(key, now))
  const named = signers.map(({ seed }) => signerOf(origin, 'ed25519', seed))
  return named.filter((signer) => known.some(({ vkey }) => vkey === vkeyOf(signer)))
}

/**
 * Name of a log after a restore: `…/log/1` becomes `…/log/2-20261127t051900123z`. With the time, because two restores of one backup must
 * not sign two logs of one name.
 */
export function nextOrigin(origin: string, at: Date): string {
  const [, stem, number] = /^(.*)\/log\/(\d{1,9})(?:-\w+)?$/.exec(origin) ?? [undefined, origin, '1']
  return `${stem}/log/${Number(number) + 1}-${at.toISOString().replace(/[-:.]/g, '').toLowerCase()}`
}

/** Reads hashes of a log of a size from the stored tiles, which may be wider. */
export const storedHashes = (at: Queries, size: number) =>
  hashesInTiles(size, async (tile) => {
    const [hashes] = await readTiles(at, [tile])
    return (hashes ?? new Uint8Array()).subarray(0, tile.width * hashBytes)
  })

/** A restored log has another name than the one in the key file. */
const vkeyUnder = (origin: string, { seed }: Signer): string => vkeyOf(signerOf(origin, 'ed25519', seed))
