/** Keys of the log, and its checkpoints. A key signs once a statement in the log names it. */
import {
  type Checkpoint,
  checkpointText,
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
  type Tx,
} from '@ulmus/storage'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demandContinues, keepOutside, keptOutside } from './kept-checkpoint.ts'
import { storedHashes } from './stored-hashes.ts'

/** The key, and a former one that still signs. Empty: leaves are not signed. */
export type LogSigners = readonly Signer[]

/** A former key signs so long beside the new one, for readers who know it alone. Days. */
const formerDays = 90

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

/** Memory of a server about the log. */
export interface SignedHere {
  /** The latest checkpoint that this server has signed. */
  latest?: Checkpoint
  /** True once the database was compared with the checkpoint in the object store. */
  isCompared?: boolean
}

/**
 * Signs the latest size, unless it is signed. Compares the log with its last signed checkpoint, and the key with those of the log, at the
 * first call and before each signature.
 * @throws LogBehindError if the database lacks signed entries; Error if the key is not one of this log
 */
export async function signLatest(
  { database, blobs, now }: Context,
  signers: LogSigners,
  here: SignedHere,
): Promise<void> {
  const found = await findLog(database)
  if (signers.length === 0 || found === undefined || found.origin === null) return
  if (isSigned(found) && here.isCompared) return
  const { origin } = found
  const kept = await keptOutside(blobs, origin)
  // Read after the checkpoint, whose entries were committed before it was kept.
  const log = (await findLog(database))!
  if (log.origin !== origin) return
  for (const signed of [kept, here.latest])
    if (signed?.origin === origin) await demandContinues(database, signed, log.size)
  if (isSigned(log) && kept === undefined) await keepOutside(blobs, origin, log.checkpoint!)
  const own = await knownSigners(database, { origin, signers, now: now() })
  // Readers who have seen this log know its keys.
  if (own.length === 0)
    throw new Error(
      `${vkeyUnder(origin, signers[0]!)} is not a key of this log, whose last one is ${(await listLogKeys(database)).at(-1)?.vkey}. ${keyBack[database.kind]}; to replace it, name it in VERSION_LOG_KEY_FILE_FORMER. If it is lost, ${database.kind === 'embedded' ? 'stop the server and ' : ''}run \`ulmus-server log restart\`: the log then has another name, and takes the present key.`,
    )
  here.isCompared = true
  if (isSigned(log)) return
  const { size } = log
  const root = await rootOf(size, storedHashes(database, size))
  here.latest = { origin, size, root }
  const note = signNote(checkpointText({ origin, size, root }), own)
  await keepOutside(blobs, origin, note)
  await database.transactOnce((tx) => keepCheckpoint(tx, size, note))
  // Another server may have kept a later one, over which this one was written.
  const latest = await findLog(database)
  if (latest?.origin === origin && latest.signedSize > size)
    await keepOutside(blobs, origin, latest.checkpoint!)
}

/** Place of the former key, by the kind of the database. */
const keyBack = {
  embedded: 'Put that one back, as log.key in DATA_DIR or in the file of VERSION_LOG_KEY_FILE',
  server:
    'Give all servers that one by VERSION_LOG_KEY_FILE (after a move from the embedded database it is log.key in the former DATA_DIR)',
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

/** Names by a key that was made without PUBLIC_URL, or with an address of this machine alone. */
const trialName = /^(?:localhost(?:-[0-9a-f]{8})?|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?=\/log\/)/

/**
 * Name of a trial's log with the host of the registry that it became.
 * @param publicUrl of the registry. Undefined: not known
 * @returns undefined if the name is of no trial, or the registry has no other host
 */
export function publicOrigin(origin: string, publicUrl: string | undefined): string | undefined {
  if (publicUrl === undefined || !trialName.test(origin)) return undefined
  const named = origin.replace(trialName, new URL(publicUrl).host)
  return trialName.test(named) ? undefined : named
}

/** A restored log has another name than the one in the key file. */
const vkeyUnder = (origin: string, { seed }: Signer): string => vkeyOf(signerOf(origin, 'ed25519', seed))
