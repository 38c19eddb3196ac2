/**
 * Signed notes (C2SP signed-note): a text and lines of Ed25519 signatures, and cosignatures of witnesses with their time (C2SP
 * tlog-cosignature).
 */
import { getPublicKey, hashes, sign, verify } from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import { digestBytes } from '../hash.ts'
import { base64Of, bytesOfBase64 } from './base64.ts'
import { LogError } from './log-error.ts'
import { equalBytes } from './merkle.ts'

hashes.sha512 = sha512

/** Types of signatures that are understood: of a log or another author, and of a witness. */
const types = { ed25519: 0x01, cosignature: 0x04 } as const
export type SignatureType = keyof typeof types

/** A public key, as a `vkey` names it: `name+id+key`. */
export interface Verifier {
  /** Without spaces and `+`. */
  readonly name: string
  readonly type: SignatureType
  /** 4 bytes. */
  readonly id: Uint8Array
  /** 32 bytes. */
  readonly key: Uint8Array
}

export interface Signer extends Verifier {
  /** 32 bytes. */
  readonly seed: Uint8Array
}

/** A signature that was verified. */
export interface Verified {
  readonly by: Verifier
  /** Of a cosignature. Seconds since 1970. */
  readonly time?: number
}

/** A note whose signatures have been looked at. */
export interface OpenedNote {
  /** With its last newline. */
  readonly text: string
  /** Valid signatures of known keys. */
  readonly verified: readonly Verified[]
}

/** Longest accepted note, and most lines of signatures: far more than 16, which everyone must accept. */
const [noteCharsMax, signaturesMax] = [1_000_000, 100]
const [idBytes, keyBytes, signatureBytes, timeBytes] = [4, 32, 64, 8]
const encoder = new TextEncoder()
const namePattern = /^[^\s+\p{Z}\p{Cc}]+$/u
const secretPrefix = 'PRIVATE+KEY'

export function verifierOf(name: string, type: SignatureType, key: Uint8Array): Verifier {
  if (!namePattern.test(name)) throw new LogError(`“${name}” cannot be the name of a key.`)
  const head = encoder.encode(`${name}\n`)
  const id = digestBytes(Uint8Array.from([...head, types[type], ...key])).subarray(0, idBytes)
  return { name, type, id, key }
}

/** @param seed 32 bytes */
export function signerOf(name: string, type: SignatureType, seed: Uint8Array): Signer {
  return { ...verifierOf(name, type, getPublicKey(seed)), seed }
}

/** `name+id+key`, the form of keys that users and other programs get. */
export const vkeyOf = (verifier: Verifier): string => keyText(verifier, verifier.key)

/** Go's form of a secret key: `PRIVATE+KEY+name+id+seed`. */
export const skeyOf = (signer: Signer): string => `${secretPrefix}+${keyText(signer, signer.seed)}`

const keyText = ({ name, type, id }: Verifier, bytes: Uint8Array): string =>
  `${name}+${hexOf(id)}+${base64Of(Uint8Array.from([types[type], ...bytes]))}`

/** @throws LogError unless it is a key of a type that is understood, with its own id */
export function parseVkey(text: string): Verifier {
  const found = partsOf(text)
  const verifier = found && verifierOf(found.name, found.type, found.bytes)
  if (verifier !== undefined && vkeyOf(verifier) === text) return verifier
  throw new LogError(`“${text.slice(0, 200)}” is not a public key as name+id+key.`)
}

/** @throws LogError unless it is such a secret key. The message does not contain it. */
export function parseSkey(text: string): Signer {
  const found = text.startsWith(`${secretPrefix}+`) ? partsOf(text.slice(secretPrefix.length + 1)) : undefined
  const signer = found && signerOf(found.name, found.type, found.bytes)
  if (signer !== undefined && skeyOf(signer) === text) return signer
  throw new LogError('The secret key does not have the form PRIVATE+KEY+name+id+key.')
}

function partsOf(text: string): { name: string; type: SignatureType; bytes: Uint8Array } | undefined {
  const [, name, encoded] = /^([^+]+)\+[0-9a-f]{8}\+([A-Za-z0-9+/=]+)$/.exec(text) ?? []
  const bytes = encoded === undefined ? undefined : bytesOfBase64(encoded)
  const type = (['ed25519', 'cosignature'] as const).find((one) => types[one] === bytes?.[0])
  if (name === undefined || !namePattern.test(name)) return undefined
  if (bytes?.length !== 1 + keyBytes || type === undefined) return undefined
  return { name, type, bytes: bytes.subarray(1) }
}

/** Signs a text, which must end with a newline. @returns the note */
export function signNote(text: string, signers: readonly Signer[], time?: number): string {
  return `${text}\n${signers.map((signer) => signatureLine(text, signer, time)).join('')}`
}

/** Line of one signature, with its newline. @param time of a cosignature, seconds since 1970 */
export function signatureLine(text: string, signer: Signer, time = Math.floor(Date.now() / 1_000)): string {
  const message = messageOf(text, signer, time)
  const signature = sign(message, signer.seed)
  const stamp = signer.type === 'cosignature' ? bigEndian(time) : []
  return `— ${signer.name} ${base64Of(Uint8Array.from([...signer.id, ...stamp, ...signature]))}\n`
}

/**
 * Reads a note and verifies the signatures of known keys; others are ignored.
 * @throws LogError if the note is malformed, if a signature of a known key is wrong, or if there is none
 */
export function openNote(note: string, verifiers: readonly Verifier[]): OpenedNote {
  const { text, signatures } = splitNote(note)
  const verified: Verified[] = []
  for (const { name, bytes } of signatures) {
    const by = verifiers.find((one) => one.name === name && equalBytes(one.id, bytes.subarray(0, idBytes)))
    if (by === undefined || verified.some((earlier) => earlier.by === by)) continue
    verified.push(verifiedOf(text, by, bytes.subarray(idBytes)))
  }
  if (verified.length === 0) throw new LogError('The note has no signature of a known key.')
  return { text, verified }
}

/** Text and lines of signatures of a note, unverified. @throws LogError if it is malformed */
export function splitNote(note: string): { text: string; signatures: { name: string; bytes: Uint8Array }[] } {
  const end = note.lastIndexOf('\n\n')
  if (note.length > noteCharsMax || end < 0 || !note.endsWith('\n') || /[^\n\P{Cc}\u007f-\u009f]/u.test(note))
    throw malformed()
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > signaturesMax) throw malformed()
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) }
}

function parseSignature(line: string): { name: string; bytes: Uint8Array } {
  const [, name, encoded] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? []
  const bytes = encoded === undefined ? undefined : bytesOfBase64(encoded)
  if (name === undefined || !namePattern.test(name) || bytes === undefined || bytes.length <= idBytes)
    throw malformed()
  return { name, bytes }
}

function verifiedOf(text: string, by: Verifier, bytes: Uint8Array): Verified {
  const isCosignature = by.type === 'cosignature'
  const length = (isCosignature ? timeBytes : 0) + signatureBytes
  const time = isCosignature && bytes.length === length ? timeIn(bytes) : undefined
  const isRight =
    bytes.length === length &&
    (time === undefined || Number.isSafeInteger(time)) &&
    verify(bytes.slice(-signatureBytes), messageOf(text, by, time ?? 0), by.key, { zip215: false })
  if (!isRight) throw new LogError(`The signature of ${by.name} is wrong.`)
  return time === undefined ? { by } : { by, time }
}

const messageOf = (text: string, { type }: Verifier, time: number): Uint8Array =>
  encoder.encode(type === 'cosignature' ? `cosignature/v1\ntime ${time}\n${text}` : text)

const bigEndian = (value: number): Uint8Array => {
  const bytes = new Uint8Array(timeBytes)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

const timeIn = (bytes: Uint8Array): number =>
  Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0))

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const malformed = () => new LogError('The signed note is malformed.')
