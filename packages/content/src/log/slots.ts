/**
 * Slots of leaves. The first slot of a collection follows from its id, later ones from keys, which only readers of the collection get: each key
 * is the hash of the next one, so a reader computes no slot after the last key that the registry gave out. A leaf that begins a chain commits to
 * the chain's end, so that every statement has one possible slot. docs/log-format.md.
 */
import { digestBytes } from '../hash.ts'
import { bytesOfBase64 } from './base64.ts'
import { LogError } from './log-error.ts'
import { equalBytes } from './merkle.ts'

/** A chain has sixteen times as many statements as the one before, at most this many: a key costs so many hashes. */
const chainMax = 1_024
const growth = 16

/** Statements whose keys lead to one end. The last of them begins the next chain. */
export interface Chain {
  /** `seq` of the statement that begins it; 0 for the first chain, whose only slot follows from the id. */
  readonly after: number
  readonly last: number
  /** Hash of the key of its first statement; undefined for the first chain. */
  readonly end: Uint8Array | undefined
}

export const firstChain: Chain = { after: 0, last: 1, end: undefined }

export const nextChain = ({ after, last }: Chain, end: Uint8Array): Chain => ({
  after: last,
  last: last + Math.min(chainMax, growth * (last - after)),
  end,
})

/** A leaf and what opens it, without the statement; bytes in base64. */
export interface OpenedLeaf {
  /** Key of the slot; null for statement 1. */
  readonly key: string | null
  /** End of the chain that the leaf begins; undefined if it begins none. */
  readonly chain?: string | undefined
  readonly commitment: string
}

/** The leaf of a statement in a chain. @throws LogError unless the key leads to the end of the chain */
export function leafIn(
  chain: Chain,
  place: { readonly collection: string; readonly seq: number },
  opened: OpenedLeaf,
): Uint8Array {
  if ((opened.chain !== undefined) !== (place.seq === chain.last))
    throw new LogError('A statement begins a chain of keys where it must not, or does not where it must.')
  const begun = opened.chain === undefined ? undefined : demandBytes(opened.chain, 'The end of a chain')
  return leafOf(slotIn(chain, place, opened.key), demandBytes(opened.commitment, 'A commitment'), begun)
}

/** The slot of a statement in a chain. @throws LogError unless the key leads to the end of the chain */
export function slotIn(
  { after, last, end }: Chain,
  { collection, seq }: { readonly collection: string; readonly seq: number },
  key: string | null,
): Uint8Array {
  if (!(seq > after && seq <= last)) throw new LogError('A statement is not in its chain of keys.')
  if (end === undefined) return firstSlot(collection)
  const own = demandBytes(key ?? '', 'The key of a slot')
  let found = own
  for (let step = after; step < seq; step++) found = digestBytes(found)
  if (!equalBytes(found, end)) throw new LogError('The key of a slot does not lead to the end of its chain.')
  return slotOf(own)
}

/** 64 bytes. @param begun end of the chain that the leaf begins */
export const leafOf = (slot: Uint8Array, commitment: Uint8Array, begun?: Uint8Array): Uint8Array =>
  Uint8Array.from([...slot, ...(begun === undefined ? commitment : joined(begun, commitment))])

/** Slot of statement 1. */
export const firstSlot = (collection: string): Uint8Array => labelled(`${collection}\n`)

export const slotOf = (key: Uint8Array): Uint8Array => labelled(key)

const labelled = (of: string | Uint8Array): Uint8Array => {
  const encoder = new TextEncoder()
  return joined(encoder.encode('ulmus slot\n'), typeof of === 'string' ? encoder.encode(of) : of)
}

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  digestBytes(Uint8Array.from([...one, ...other]))

/** @throws LogError unless they are 32 bytes in base64 */
export function demandBytes(text: string, what: string): Uint8Array {
  const bytes = bytesOfBase64(text)
  if (bytes?.length !== 32) throw new LogError(`${what} is not 32 bytes in base64.`)
  return bytes
}
