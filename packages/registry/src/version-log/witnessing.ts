/**
 * This registry as a witness of logs of others (C2SP tlog-witness): it cosigns a checkpoint only if it continues the one that it cosigned
 * before.
 */
import { hkdfSync } from 'node:crypto'
import {
  type Checkpoint,
  checkConsistency,
  emptyRoot,
  equalBytes,
  hashesIn,
  LogError,
  openNote,
  parseCheckpoint,
  parseCount,
  type Signer,
  signatureLine,
  signerOf,
  splitNote,
  type Verifier,
  vkeyOf,
} from '@ulmus/content/log'
import { findLog, findWitnessed, replaceWitnessed } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { sizeType } from './cosigning.ts'
import { knownSigners, type LogSigners } from './signing.ts'

/** An answer over HTTP; the type is `text/plain` unless given. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422
  readonly body: string
  readonly type?: string
}

const proofMax = 63
/** Races lost in a row; each time another request has won. */
const triesMax = 5
const refused = (status: 400 | 403 | 404 | 422, why: string): WitnessAnswer => ({ status, body: `${why}\n` })
const knows = (size: number): WitnessAnswer => ({ status: 409, body: `${size}\n`, type: sizeType })

export type Witnessing = ReturnType<typeof witnessingOf>

/** @param logs keys of the logs that are witnessed */
export function witnessingOf(context: Context, signers: LogSigners, logs: readonly Verifier[]) {
  const { database } = context

  /** Empty until the log of this registry has a name. */
  async function cosigners(): Promise<Signer[]> {
    const origin = (await findLog(database))?.origin
    if (origin == null) return []
    return (await knownSigners(database, { origin, signers, now: context.now() })).map(cosignerOf)
  }

  return {
    /** Public key of this witness; null without a key. */
    async vkey(): Promise<string | null> {
      const [first] = await cosigners()
      return first === undefined ? null : vkeyOf(first)
    },

    /** @param body as in tlog-witness: `old N`, the proof, an empty line, the checkpoint */
    async addCheckpoint(body: string): Promise<WitnessAnswer> {
      let request: ReturnType<typeof parseRequest>
      try {
        request = parseRequest(body)
      } catch (error) {
        if (error instanceof LogError) return refused(400, error.message)
        throw error
      }
      const { old, proof, note, text, checkpoint } = request
      const keys = logs.filter(({ name }) => name === checkpoint.origin)
      // First what needs neither the database nor a key: anyone may ask.
      const own = keys.length === 0 ? [] : await cosigners()
      if (own.length === 0) return refused(404, 'This log is not witnessed here.')
      if (!isSigned(note, keys)) return refused(403, 'The checkpoint has no signature of a known key.')
      if (old > checkpoint.size) return refused(400, 'The old size is larger than the checkpoint.')
      await context.space.demand()
      const answer = await remember(old, checkpoint, proof)
      if (answer !== undefined) return answer
      const time = Math.floor(context.now().getTime() / 1_000)
      return { status: 200, body: own.map((signer) => signatureLine(text, signer, time)).join('') }
    },
  }

  /** @returns undefined once the checkpoint is stored as the latest one; else the refusal */
  async function remember(
    old: number,
    checkpoint: Checkpoint,
    proof: readonly Uint8Array[],
  ): Promise<WitnessAnswer | undefined> {
    const { origin, size, root } = checkpoint
    for (let tries = 0; tries < triesMax; tries++) {
      const before = await findWitnessed(database, origin)
      const known = before ?? { size: 0, root: emptyRoot() }
      if (old !== known.size) return knows(known.size)
      if (size === known.size && !equalBytes(root, known.root)) return knows(known.size)
      try {
        checkConsistency(known, checkpoint, proof)
      } catch (error) {
        if (error instanceof LogError) return refused(422, error.message)
        throw error
      }
      if (await database.transact((tx) => replaceWitnessed(tx, before, { origin, size, root })))
        return undefined
    }
    return knows((await findWitnessed(database, origin))?.size ?? 0)
  }
}

/** @throws LogError */
function parseRequest(body: string) {
  const end = body.indexOf('\n\n')
  const [first = '', ...lines] = body.slice(0, Math.max(end, 0)).split('\n')
  const [, old] = /^old (\d+)$/.exec(first) ?? []
  if (old === undefined || lines.length > proofMax) throw new LogError('The request is malformed.')
  const note = body.slice(end + 2)
  const { text } = splitNote(note)
  return { old: parseCount(old), proof: hashesIn(lines), note, text, checkpoint: parseCheckpoint(text) }
}

function isSigned(note: string, keys: readonly Verifier[]): boolean {
  try {
    return openNote(note, keys).verified.length > 0
  } catch (error) {
    if (error instanceof LogError) return false
    throw error
  }
}

/**
 * Key of the witness, from the key of the log. It has the name of the log in it: after a restore, when older checkpoints are remembered
 * than were cosigned, the log has another name and the witness another key, which those who trust the former do not know.
 */
function cosignerOf({ name, seed }: Signer): Signer {
  const own = `${name}/witness`
  return signerOf(
    own,
    'cosignature',
    new Uint8Array(hkdfSync('sha256', seed, '', `ulmus witness\n${own}`, 32)),
  )
}
