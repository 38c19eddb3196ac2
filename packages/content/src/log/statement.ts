/**
 * Statements of the log of a registry. A leaf says nothing by itself: it has a slot, equal for two statements at the same place of one
 * collection (slots.ts), and a commitment to the statement, which cannot be guessed without its salt.
 */
import { digestBytes, type Hash } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import type { JsonObject } from '../json/json.ts'
import { parseJson } from '../json/parse.ts'
import { base64Of } from './base64.ts'
import { LogError } from './log-error.ts'
import { type Chain, demandBytes, firstChain, leafIn, nextChain, type OpenedLeaf } from './slots.ts'

export const statementKinds = ['version', 'withdrawn', 'named', 'private', 'key'] as const
export type StatementKind = (typeof statementKinds)[number]

/** Members of a statement that are not there for its kind are null. */
export interface Statement {
  /** When it was made, by the registry's clock. */
  readonly at: string
  /** Id of the collection; of the registry itself for a key. */
  readonly collection: string
  /** SHA-256 of the 32 bytes of `fullSalt` and the full digest of a version, so that outsiders cannot test guesses of it. */
  readonly full: string | null
  readonly kind: StatementKind
  /** `owner/slug` at that time; the new `vkey` for a key. */
  readonly name: string
  /** Hash of the leaf of the collection's statement before. */
  readonly prev: string | null
  /** Public digest of a version. */
  readonly public: string | null
  readonly semver: string | null
  /** 1, 2, … in the collection. */
  readonly seq: number
}

export const saltBytes = 32
/** Bytes of a leaf: slot and commitment. */
export const leafBytes = 64

/** JCS. */
export const statementText = (statement: Statement): string =>
  canonicalize(statement as unknown as JsonObject)

/** @throws LogError unless the text is the JCS of a statement */
export function parseStatement(text: string): Statement {
  try {
    const value = parseJson(text) as Statement
    if (isStatement(value) && statementText(value) === text) return value
  } catch {
    // Not JSON.
  }
  throw new LogError('The statement is malformed.')
}

/** `full` of a statement. @param digest the 64 digits */
export const fullCommitment = (fullSalt: Uint8Array, digest: Hash): Hash =>
  hexOf(digestBytes(Uint8Array.from([...fullSalt, ...bytesOfHex(digest)])))

/** A statement with what opens its leaf; bytes in base64. */
export interface OpenedStatement extends Omit<OpenedLeaf, 'commitment'> {
  readonly statement: string
  readonly salt: string
  /** Leaves of the collection that begin chains of keys, up to this one's chain. */
  readonly links: readonly OpenedLeaf[]
}

/**
 * The leaves that must be in the log: those of the links, and the statement's own.
 * @throws LogError unless the keys lead to the ends of their chains
 */
export function openedLeaves({ statement, salt, key, chain, links }: OpenedStatement): Uint8Array[] {
  const { collection, seq } = parseStatement(statement)
  const commitment = base64Of(commitmentOf(statement, demandBytes(salt, 'A salt')))
  let at: Chain = firstChain
  const leaves = links.map((link) => {
    const leaf = leafIn(at, { collection, seq: at.last }, link)
    at = nextChain(at, demandBytes(link.chain!, 'The end of a chain'))
    return leaf
  })
  return [...leaves, leafIn(at, { collection, seq }, { key, chain, commitment })]
}

/** 32 bytes. */
export const commitmentOf = (text: string, salt: Uint8Array): Uint8Array =>
  digestBytes(Uint8Array.from([...salt, ...new TextEncoder().encode(text)]))

export const hexOf = (bytes: Uint8Array): Hash =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') as Hash

export const bytesOfHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))

const hash = /^[0-9a-f]{64}$/
const isHash = (value: unknown): boolean => value === null || (typeof value === 'string' && hash.test(value))

function isStatement(value: Statement): boolean {
  const { at, collection, full, kind, name, prev, semver, seq } = value
  return (
    Object.keys(value).length === 9 &&
    [at, collection, name].every((text) => typeof text === 'string') &&
    statementKinds.includes(kind) &&
    [full, prev, value.public].every(isHash) &&
    (semver === null || typeof semver === 'string') &&
    Number.isSafeInteger(seq) &&
    seq >= 1
  )
}
