/** Choice of a new object's stored form: a delta to its predecessor or to a base of that, or alone (content-model §8). */
import type { Hash } from '@ulmus/content'
import { encodeObject, encodeObjectHere, mayBeDelta } from './codec.ts'
import { basesMax } from './pack.ts'

export { encodeObjectHere }

/** How an object is to lie in a pack. */
export interface StoredForm {
  encoded: Uint8Array
  bases: readonly Hash[]
}

/** Objects that a new one replaces: its predecessor's chain, nearest first, with encoded lengths, and the raw bytes. */
export interface Replaced {
  chain: readonly { hash: Hash; length: number }[]
  /** Raw bytes of the i-th of the chain. */
  raw(i: number): Uint8Array | Promise<Uint8Array>
}

type Encode = (raw: Uint8Array, base?: Uint8Array) => Uint8Array | Promise<Uint8Array>

/**
 * @param encode `encodeObject`, or `encodeObjectHere`
 * @throws what `replaced` rejects with.
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
  // Alone, it would take about as much as its oldest relation: if the delta is far smaller, skip the trial.
  if (delta.encoded.length < chain.at(-1)!.length / 2) return delta
  const alone = await encodeAlone(raw, encode)
  return delta.encoded.length < alone.encoded.length ? delta : alone
}

export const encodeAlone = async (raw: Uint8Array, encode: Encode = encodeObject): Promise<StoredForm> => ({
  encoded: await encode(raw),
  bases: [],
})

/**
 * Position in a chain of the base for the next delta: the nearest object, while there is room for one more.
 *
 * A full chain branches off one of its bases instead. A delta to the i-th before the nearest repeats what the i deltas between
 * them say and makes room for i − 1 more after it, so it costs the mean of their lengths on top of every version until the chain
 * is full again: the i with the least mean is taken, the greatest of several. An object that stands alone makes room for six and
 * costs its own length; where a seventh of that is less, there is none (undefined). So 20 versions that each change 1 % take
 * about 1.3 times what the first does, where beginning anew with every seventh would take 3.2 times.
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
