/**
 * Chooses a new object's stored form: a delta to its predecessor or to one of the predecessor's bases, or no delta (content-model §8). The
 * entry `@ulmus/storage/encoding` of worker threads: import nothing here that opens a store.
 */
import type { Hash } from '@ulmus/content'
import { encodeObject, encodeObjectHere, mayBeDelta } from './codec.ts'
import { basesMax } from './pack.ts'

export { encodeObjectHere }

/** Encoded bytes of an object, and the bases that decoding needs. */
export interface StoredForm {
  encoded: Uint8Array
  bases: readonly Hash[]
}

/** Object that a new one replaces: its chain, nearest first, with encoded lengths, and access to the raw bytes. */
export interface Replaced {
  chain: readonly { hash: Hash; length: number }[]
  /** Raw bytes of the i-th object of the chain. */
  raw(i: number): Uint8Array | Promise<Uint8Array>
}

type Encode = (raw: Uint8Array, base?: Uint8Array) => Uint8Array | Promise<Uint8Array>

/**
 * @param encode `encodeObject`, or `encodeObjectHere`
 * @throws errors of `replaced.raw`.
 */
export async function encodeReplacing(
  raw: Uint8Array,
  replaced: Replaced,
  encode: Encode = encodeObject,
): Promise<StoredForm> {
  const { chain } = replaced
  const from = goingOnFrom(chain.map((place) => place.length))
  if (from === undefined) return encodeAlone(raw, encode)
  const base = await replaced.raw(from)
  if (!mayBeDelta(raw, base)) return encodeAlone(raw, encode)
  const bases = chain.slice(from).map((place) => place.hash)
  const delta = { encoded: await encode(raw, base), bases }
  // Without a base, it would take about as much as the last object of the chain: if the delta is far smaller, skip the trial.
  if (delta.encoded.length < chain.at(-1)!.length / 2) return delta
  const alone = await encodeAlone(raw, encode)
  return delta.encoded.length < alone.encoded.length ? delta : alone
}

/** Encodes an object without a base. */
export const encodeAlone = async (raw: Uint8Array, encode: Encode = encodeObject): Promise<StoredForm> => ({
  encoded: await encode(raw),
  bases: [],
})

/**
 * Position in a chain of the base for the next delta: the nearest object, as long as the chain may grow by one.
 *
 * A full chain branches off one of its bases instead. A delta to the i-th object before the nearest repeats the changes of the i deltas
 * between them and makes room for i − 1 further deltas. So, until the chain is full again, it adds the mean of their lengths to every
 * version. This chooses the i with the least mean, the greatest of several. An object without a base makes room for six deltas and
 * costs its own length; if a seventh of that is less, the result is undefined. With this, 20 versions that each change 1 % take
 * about 1.3 times the size of the first; restarting with every seventh would take 3.2 times.
 * @param lengths Encoded lengths of the chain's objects, nearest first. Bytes.
 */
export function goingOnFrom(lengths: readonly number[]): number | undefined {
  if (lengths.length <= basesMax) return 0
  let best = 0
  let bestMean = lengths.at(-1)! / (basesMax + 1)
  let sum = 0
  for (let i = 1; i < lengths.length; i++) {
    sum += lengths[i - 1]!
    if (sum / i > bestMean) continue
    best = i
    bestMean = sum / i
  }
  return best === 0 ? undefined : best
}
