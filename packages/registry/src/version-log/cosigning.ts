/**
 * Asks witnesses to cosign the checkpoints of this registry’s log (C2SP tlog-witness). It runs beside the sequencer, so a slow or missing
 * witness delays nothing.
 */
import {
  base64Of,
  consistencyProof,
  type HashReader,
  LogError,
  openNote,
  parseCheckpoint,
  parseCount,
  splitNote,
  type Verifier,
} from '@ulmus/content/log'
import { addCosignature, findLog } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { ask, type Outside } from '../outside/ask.ts'
import { storedHashes } from './stored-hashes.ts'

/** A witness of `VERSION_LOG_WITNESSES_FILE`. */
export interface Witness {
  readonly key: Verifier
  /** Its address, without `/add-checkpoint`. */
  readonly url: string
}

export const sizeType = 'text/x.tlog.size'

/** Time of one witness for one checkpoint; a server that ends waits for it. Milliseconds. */
const askedMax = 5_000
/** An answer is a few lines. Bytes. */
const answerMax = 16_384
/** Longest pause after failures. Milliseconds. */
const pauseMax = 15 * 60_000

/** `conflict`: the witness has cosigned this size, or a larger one, with another content: this log was rolled back, or there are two. */
export type Cosigned =
  | { readonly kind: 'cosigned'; readonly line: string; readonly size: number }
  | { readonly kind: 'conflict'; readonly size: number }
  | { readonly kind: 'failed'; readonly why: string; readonly status?: number }

/**
 * Asks one witness once; a second time if it knows another size than `known`.
 * @param known size that the witness cosigned last
 */
export async function askWitness(
  { key, url }: Witness,
  { note, hashes, known, outside }: { note: string; hashes: HashReader; known: number; outside: Outside },
): Promise<Cosigned> {
  const { text } = splitNote(note)
  const { size } = parseCheckpoint(text)
  const signal = AbortSignal.timeout(askedMax)
  let old = known
  for (let tries = 0; tries < 2; tries++) {
    const proof = await consistencyProof(old, size, hashes)
    const body = [`old ${old}`, ...proof.map(base64Of), '', note].join('\n')
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    const question = {
      method: 'POST',
      headers,
      body,
      milliseconds: askedMax,
      signal,
      bytesMax: answerMax,
    } as const
    const answer = await ask(new URL(`${url}/add-checkpoint`), question, outside)
    if (answer.kind === 'failed') return { kind: 'failed', why: answer.why }
    const said = answer.body.toString()
    if (answer.status === 200) {
      const line = lineOf(text, key, said)
      return line === undefined
        ? { kind: 'failed', why: 'its answer has no signature of its key' }
        : { kind: 'cosigned', line, size }
    }
    // The proof was right for this log, so the witness has cosigned another one.
    if (answer.status === 422) return { kind: 'conflict', size: old }
    const isSize = answer.headers['content-type']?.split(';')[0]?.trim() === sizeType
    const larger = answer.status === 409 && isSize ? countIn(said) : undefined
    if (larger === undefined)
      return { kind: 'failed', why: `it answered ${answer.status}`, status: answer.status }
    if (larger > size || (larger === size && old === size)) return { kind: 'conflict', size: larger }
    old = larger
  }
  return { kind: 'failed', why: 'it answered 409 to the size that it had named' }
}

/** The line of the witness in its answer, verified, with its newline. */
const lineOf = (text: string, key: Verifier, said: string): string | undefined =>
  said
    .split('\n')
    .map((line) => `${line}\n`)
    .find((line) => {
      try {
        return openNote(`${text}\n${line}`, [key]).verified.length === 1
      } catch (error) {
        if (error instanceof LogError) return false
        throw error
      }
    })

function countIn(text: string): number | undefined {
  try {
    return parseCount(text.trim())
  } catch {
    return undefined
  }
}

/** @returns the periodic task: asks each witness whose line the latest checkpoint lacks, and does not wait for the answers */
export function cosigningOf(context: Context, witnesses: readonly Witness[]): () => Promise<void> {
  const { database, jobs, log } = context
  const states = witnesses.map((witness) => ({ witness, known: 0, isBusy: false, failures: 0, notBefore: 0 }))

  async function cosign(state: (typeof states)[number], note: string, outside: Outside): Promise<void> {
    const { key, url } = state.witness
    const { text } = splitNote(note)
    const { size } = parseCheckpoint(text)
    const hashes = storedHashes(database, size)
    const known = Math.min(state.known, size)
    const answer = await askWitness(state.witness, { note, hashes, known, outside })
    if (answer.kind === 'cosigned') {
      await addCosignature(database, { text, name: key.name, line: answer.line })
      if (state.failures > 0) log.info({ witness: key.name }, 'a witness cosigns the log again')
      Object.assign(state, { known: size, failures: 0 })
      return
    }
    // Another server of this site may have been faster.
    const isBehind = answer.kind === 'conflict' && answer.size > ((await findLog(database))?.signedSize ?? 0)
    if (answer.kind === 'conflict' && !isBehind && answer.size > size) return
    if (state.failures++ === 0) {
      if (answer.kind === 'failed')
        log.warn({ witness: key.name, url, why: answer.why }, 'a witness did not cosign the log')
      else
        log.error(
          { witness: key.name, url, size: answer.size },
          'a witness knows another log of this name: this registry went back to an earlier state, or two registries have its key. See docs/troubleshooting.md.',
        )
    }
    state.notBefore = performance.now() + Math.min(1_000 * 2 ** state.failures, pauseMax)
  }

  return async () => {
    const { outside } = context
    if (witnesses.length === 0 || outside === null) return
    const note = (await findLog(database))?.checkpoint
    if (note == null) return
    for (const state of states) {
      const isCosigned = note.includes(`\n— ${state.witness.key.name} `)
      if (state.isBusy || isCosigned || performance.now() < state.notBefore) continue
      state.isBusy = true
      const work = cosign(state, note, outside).catch((error: unknown) =>
        log.error({ err: error }, 'asking a witness failed'),
      )
      jobs.leave(
        work.then(() => {
          state.isBusy = false
        }),
      )
    }
  }
}
