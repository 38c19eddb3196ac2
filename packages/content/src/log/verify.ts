/** Verifies the statement of a registry about a version: that all readers of its log get the same one. */
import type { Hash } from '../hash.ts'
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts'
import { LogError, TooFewWitnessesError } from './log-error.ts'
import { checkConsistency, consistencyProof, equalBytes, leafHashOf, rootByInclusion } from './merkle.ts'
import { openNote, splitNote, type Verified, type Verifier } from './note.ts'
import type { Policy } from './policy.ts'
import { parseProof } from './proof-file.ts'
import { demandBytes, type OpenedLeaf } from './slots.ts'
import {
  fullCommitment,
  type OpenedStatement,
  openedLeaves,
  parseStatement,
  type Statement,
} from './statement.ts'
import { hashesInTiles, type Tile } from './tiles.ts'

/** Answer of a registry about a version in its log; bytes in base64. */
export interface ClaimedVersion extends OpenedStatement {
  readonly fullSalt?: string | undefined
  /** C2SP tlog-proof. */
  readonly proof: string
  readonly links: readonly (OpenedLeaf & {
    readonly index: number
    readonly path?: readonly string[] | undefined
  })[]
}

/** The version as the reader got it. */
export interface ExpectedVersion {
  readonly semver: string
  /** Digest of the view that was read, and verified. */
  readonly digest: Hash
  readonly view: 'full' | 'public'
  /** Id of the collection, if the reader knows it. */
  readonly collection?: string | undefined
}

/** Keys and policy that the reader trusts. */
export interface Trust {
  /** Keys of the log. */
  readonly keys: readonly Verifier[]
  /** Witnesses that must have cosigned. Undefined: none. */
  readonly policy?: Policy | undefined
}

export interface VerifiedVersion {
  readonly statement: Statement
  /** Place in the log. */
  readonly index: number
  readonly checkpoint: Checkpoint
  readonly verified: readonly Verified[]
}

/** Verifies a signed checkpoint. @throws LogError unless a trusted key of its log has signed it, and enough witnesses */
export function openCheckpoint(
  note: string,
  { keys, policy }: Trust,
): { checkpoint: Checkpoint; verified: readonly Verified[] } {
  const unsigned = () => new LogError('No key that you trust has signed the checkpoint of the log.')
  const { text, signatures } = splitNote(note)
  const checkpoint = parseCheckpoint(text)
  // A key that is trusted for one log must not speak for another.
  const own = keys.filter(({ name }) => name === checkpoint.origin)
  const isOwn = ({ id }: Verifier) =>
    signatures.some(({ bytes }) => equalBytes(id, bytes.subarray(0, id.length)))
  if (!own.some(isOwn)) throw unsigned()
  const { verified } = openNote(note, [...own, ...(policy?.witnesses ?? [])])
  if (!verified.some(({ by }) => own.includes(by))) throw unsigned()
  if (policy !== undefined && !policy.isMet(verified))
    throw new TooFewWitnessesError('Too few of the witnesses that you trust have signed the checkpoint.')
  return { checkpoint, verified }
}

/** @throws LogError with the first thing that is wrong */
export function verifyVersion(
  claimed: ClaimedVersion,
  expected: ExpectedVersion,
  trust: Trust,
): VerifiedVersion {
  const { index, path, checkpoint: note } = parseProof(claimed.proof)
  const { checkpoint, verified } = openCheckpoint(note, trust)
  const { size, root } = checkpoint
  const paths = claimed.links.map(({ index, path = [] }) => ({
    index,
    path: path.map((hash) => demandBytes(hash, 'A hash')),
  }))
  for (const [n, leaf] of openedLeaves(claimed).entries()) {
    const at = paths[n] ?? { index, path }
    if (!equalBytes(rootByInclusion({ index: at.index, size }, leafHashOf(leaf), at.path), root))
      throw new LogError('The statement about the version is not in the log.')
  }
  const statement = parseStatement(claimed.statement)
  demandExpected(statement, claimed, expected)
  return { statement, index, checkpoint, verified }
}

function demandExpected(statement: Statement, claimed: ClaimedVersion, expected: ExpectedVersion): void {
  const { semver, digest, view, collection } = expected
  if (statement.kind !== 'version' || statement.semver !== semver)
    throw new LogError(`The log was asked for ${semver} and answered with another statement.`)
  if (collection !== undefined && statement.collection !== collection)
    throw new LogError('The log answered with a statement about another collection.')
  const stated =
    view === 'public'
      ? statement.public === digest
      : statement.full === fullCommitment(demandBytes(claimed.fullSalt ?? '', 'A salt'), digest)
  if (!stated)
    throw new LogError(`The log says that ${semver} has another digest than the one that you were given.`)
}

/**
 * Checks that a log continues what it was when the reader last saw it.
 * @param readTile content of a tile of the newer log
 * @throws LogError if it is smaller, or has another history
 */
export async function checkContinues(
  before: Checkpoint,
  after: Checkpoint,
  readTile: (tile: Tile & { level: number }) => Promise<Uint8Array>,
): Promise<void> {
  if (before.origin !== after.origin)
    throw new LogError(`The log is ${after.origin}, and was ${before.origin} before.`)
  if (after.size < before.size)
    throw new LogError(`The log has ${after.size} entries, and had ${before.size} before.`)
  const proof = await consistencyProof(before.size, after.size, hashesInTiles(after.size, readTile))
  checkConsistency(before, after, proof)
}
