/**
 * Verification in the signed log: a version is what every reader of the registry was given, if its statement is in a log that only grows.
 * docs/verifying.md.
 */
import { parseDigestLabel } from '@ulmus/content'
import {
  base64Of,
  bytesOfBase64,
  type Checkpoint,
  checkContinues,
  equalBytes,
  hashesInTiles,
  inclusionProof,
  LogError,
  leafHashOf,
  type OpenedLeaf,
  type OpenedStatement,
  openCheckpoint,
  openedLeaves,
  parsePolicy,
  parseStatement,
  parseVkey,
  rootByInclusion,
  type Statement,
  type Tile,
  type Trust,
  tilePath,
  type Verified,
  verifyVersion,
  vkeyOf,
} from '@ulmus/content/log'
import type { LogStatement } from '@ulmus/wire'
import type { Client } from '../client.ts'
import { type CollectionRef, partsOf } from '../places.ts'

/** Size and root of a log at some time, to keep until the next verification. */
export interface KnownCheckpoint {
  /** Name of the log. */
  readonly origin: string
  /** Number of leaves. */
  readonly size: number
  /** 32 bytes in base64. */
  readonly root: string
}

export interface LogTrust {
  /** Keys of the log, as `name+id+key`. */
  readonly keys: readonly string[]
  /** Text of a tlog-policy (C2SP). Its logs, if it names any, replace `keys`; its witnesses must have signed. Default: no witnesses. */
  readonly policy?: string | undefined
  /** Checkpoint of an earlier verification, which the log must continue. Default: none. */
  readonly before?: KnownCheckpoint | undefined
}

/** A version as the reader got it. */
export interface VersionToVerify {
  readonly semver: string
  /** Verified digest of the content: `public:…` or `private:…`. */
  readonly digest: string
  /** Id of the collection, if known. */
  readonly collection?: string | undefined
}

export interface SignedCheckpoint {
  /** Keep it for `before`. */
  readonly checkpoint: KnownCheckpoint
  /** Keys whose signatures were verified, of the log and of witnesses. */
  readonly signedBy: readonly string[]
}

export interface LoggedVersion extends SignedCheckpoint {
  readonly statement: Statement
  /** Place of the leaf in the log. */
  readonly index: number
}

type LogClient = Pick<Client, 'log'>

/**
 * Verifies that the log of a registry has the statement about a version, with this digest, and continues what it was before.
 * @param expected its digest must have been computed from the content: this function compares only digests
 * @throws LogError with the first thing that is wrong. UlmusError `log_unavailable`, `not_logged`, `log_behind`
 */
export async function verifyInLog(
  client: LogClient,
  collection: CollectionRef,
  expected: VersionToVerify,
  trust: LogTrust,
): Promise<LoggedVersion> {
  const label = parseDigestLabel(expected.digest)
  if (label === undefined) throw new TypeError('`digest` must be a digest: `public:…` or `private:…`.')
  const trusted = trustOf(trust)
  const claimed = await client.log.ofVersion(collection, expected.semver)
  const view = label.view === 'public' ? 'public' : 'full'
  const wanted = {
    semver: expected.semver,
    digest: label.hash,
    view,
    collection: expected.collection,
  } as const
  const { statement, index, checkpoint, verified } = verifyVersion(claimed, wanted, trusted)
  await demandContinued(client, trust.before, checkpoint)
  const { owner, slug } = partsOf(collection)
  const path = `${owner}/${slug}`
  if (statement.name !== path) await demandNamed(client, checkpoint, path, statement)
  return { statement, index, ...signed(checkpoint, verified) }
}

/**
 * Reads the latest checkpoint of a log, and verifies its signatures and that it continues what the log was before.
 * @throws LogError; UlmusError `log_unavailable`
 */
export async function readCheckpoint(client: LogClient, trust: LogTrust): Promise<SignedCheckpoint> {
  const note = new TextDecoder().decode(await client.log.file('checkpoint'))
  const { checkpoint, verified } = openCheckpoint(note, trustOf(trust))
  await demandContinued(client, trust.before, checkpoint)
  return signed(checkpoint, verified)
}

interface IndexedLeaf extends OpenedLeaf {
  readonly index: number
}

/**
 * Verifies that a log, as of a verified checkpoint, has a statement at its place.
 * @param stated bytes in base64. For an item of a list: `links` are the items before it that have a `chain`
 * @throws LogError
 */
export async function verifyStatement(
  client: LogClient,
  known: KnownCheckpoint,
  stated: OpenedStatement & { readonly index: number; readonly links: readonly IndexedLeaf[] },
): Promise<Statement> {
  const { size, root } = checkpointOf(known)
  const read = hashesInTiles(size, tilesOf(client))
  for (const [n, leaf] of openedLeaves(stated).entries()) {
    const { index } = stated.links[n] ?? stated
    const path = await inclusionProof(index, size, read)
    if (!equalBytes(rootByInclusion({ index, size }, leafHashOf(leaf), path), root))
      throw new LogError('A statement that the registry names is not in the log.')
  }
  return parseStatement(stated.statement)
}

/** @throws LogError if the log is smaller than before, or has another history */
export const verifyContinues = (
  client: LogClient,
  before: KnownCheckpoint,
  after: KnownCheckpoint,
): Promise<void> => checkContinues(checkpointOf(before), checkpointOf(after), tilesOf(client))

/** Without this, a registry could pass a version of another collection off as one of this. */
async function demandNamed(
  client: LogClient,
  checkpoint: Checkpoint,
  path: string,
  { name, collection }: Statement,
): Promise<void> {
  let after = 0
  let count = 0
  const links: IndexedLeaf[] = []
  for (;;) {
    const page = await client.log.statements(path, after)
    // Later statements have later entries, and none shares its entry.
    count += page.length
    if (page.every(({ index }) => index >= checkpoint.size) || count > checkpoint.size + page.length)
      throw new LogError(
        `The log knows the collection as ${name}, and never as ${path}. If its owner has a new name, verify it by its former path.`,
      )
    for (const one of page) {
      if (!(one.seq > after)) throw new LogError('The statements about the collection are not in order.')
      after = one.seq
      if (isNaming(one, path, collection) && one.index < checkpoint.size)
        return void (await verifyStatement(client, known(checkpoint), { ...one, links }))
      if (isLink(one)) links.push(one)
    }
  }
}

const isLink = (one: LogStatement): one is LogStatement & IndexedLeaf => one.chain !== undefined

function isNaming(
  one: LogStatement,
  path: string,
  id: string,
): one is Exclude<LogStatement, { erased: true }> {
  if ('erased' in one) return false
  const { kind, name, collection } = parseStatement(one.statement)
  return kind !== 'key' && name === path && collection === id
}

async function demandContinued(
  client: LogClient,
  before: KnownCheckpoint | undefined,
  checkpoint: Checkpoint,
): Promise<void> {
  if (before !== undefined) await checkContinues(checkpointOf(before), checkpoint, tilesOf(client))
}

const tilesOf =
  ({ log }: LogClient) =>
  (tile: Tile): Promise<Uint8Array> =>
    log.file(tilePath(tile))

function trustOf({ keys, policy: text }: LogTrust): Trust {
  const policy = text === undefined ? undefined : parsePolicy(text)
  return { keys: policy?.logs.length ? policy.logs : keys.map(parseVkey), policy }
}

function checkpointOf({ origin, size, root }: KnownCheckpoint): Checkpoint {
  const bytes = bytesOfBase64(root)
  if (bytes?.length !== 32 || !Number.isSafeInteger(size) || size < 0)
    throw new LogError('The checkpoint that was kept is malformed.')
  return { origin, size, root: bytes }
}

const known = ({ origin, size, root }: Checkpoint): KnownCheckpoint => ({
  origin,
  size,
  root: base64Of(root),
})

const signed = (checkpoint: Checkpoint, verified: readonly Verified[]): SignedCheckpoint => ({
  checkpoint: known(checkpoint),
  signedBy: verified.map(({ by }) => vkeyOf(by)),
})
