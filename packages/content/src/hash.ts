/**
 * SHA-256, and the order and length of text in UTF-8, on which every name in a version depends
 * (content-model §1 and §5). Synchronous in Node and in a browser.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** A SHA-256 as 64 lowercase hexadecimal digits. */
export type Hash = string & { readonly __brand: 'Hash' }

/** Used part of `node:crypto`. Browsers lack it and use the pure implementation, some 20 times slower. */
interface NativeCrypto {
  hash?(algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex'): string
  hash?(algorithm: 'sha256', data: Uint8Array, encoding: 'buffer'): Uint8Array
  createHash(algorithm: 'sha256'): { update(data: Uint8Array): unknown; digest(): Uint8Array }
}

/** Used part of `node:buffer`, which counts UTF-8 bytes with vector instructions. */
interface NativeBuffer {
  Buffer: { byteLength(text: string): number }
}

function builtin<T>(name: string): T | undefined {
  const host = (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process
  return host?.getBuiltinModule?.(name) as T | undefined
}

const nativeCrypto = builtin<NativeCrypto>('node:crypto')
const native = nativeCrypto?.hash
const nativeBuffer = builtin<NativeBuffer>('node:buffer')?.Buffer
const encoder = new TextEncoder()

/** Up to this length, counting in JavaScript is faster than a native call. UTF-16 code units. */
const countedInPlaceMax = 48

/** SHA-256 of the UTF-8 bytes of `text`, which should be well formed: a lone surrogate is hashed as U+FFFD. */
export const hashText: (text: string) => Hash =
  native === undefined
    ? (text) => pureHash(encoder.encode(text))
    : (text) => native('sha256', text, 'hex') as Hash

/** SHA-256 of `bytes`. */
export const hashBytes: (bytes: Uint8Array) => Hash =
  native === undefined ? pureHash : (bytes) => native('sha256', bytes, 'hex') as Hash

/** SHA-256 of `bytes`, as 32 bytes. */
export const digestBytes: (bytes: Uint8Array) => Uint8Array =
  native === undefined ? sha256 : (bytes) => new Uint8Array(native('sha256', bytes, 'buffer'))

/** Like `hashBytes`, without native code. Exported so that a test can compare the two. */
export function pureHash(bytes: Uint8Array): Hash {
  return bytesToHex(sha256(bytes)) as Hash
}

/** SHA-256 of bytes that arrive in parts. */
export function openHash(): { update(bytes: Uint8Array): unknown; digest(): Hash } {
  const hash = nativeCrypto?.createHash('sha256') ?? sha256.create()
  return { update: (bytes) => hash.update(bytes), digest: () => bytesToHex(hash.digest()) as Hash }
}

const hashPattern = /^[0-9a-f]{64}$/

/** `text` as a hash, or undefined unless it is exactly 64 lowercase hexadecimal digits. */
export function parseHash(text: string): Hash | undefined {
  return text.length === 64 && hashPattern.test(text) ? (text as Hash) : undefined
}

/** Length of `text` in UTF-8, in bytes. A lone surrogate counts 3, as `TextEncoder` writes it. */
export function utf8Length(text: string): number {
  if (nativeBuffer !== undefined && text.length > countedInPlaceMax) return nativeBuffer.byteLength(text)
  return countUtf8(text)
}

/** Like `utf8Length`, without native code. Exported for the tests. */
export function countUtf8(text: string): number {
  const units = text.length
  let bytes = units
  for (let i = 0; i < units; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (isLeading(unit) && isTrailing(text.charCodeAt(i + 1))) {
      bytes += 2
      i++
    } else bytes += 2
  }
  return bytes
}

/**
 * Compares two well-formed strings by their UTF-8 bytes, which is the order of their code points: negative if `a` comes
 * first, 0 if they are equal. JavaScript's `<` differs: it puts U+10000 and above before U+E000…U+FFFF.
 */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return left < 0xd800 || right < 0xd800 ? left - right : rotate(left) - rotate(right)
  }
  return a.length - b.length
}

/** Moves surrogates above all other units and keeps the order within both groups. Only for units ≥ 0xD800. */
function rotate(unit: number): number {
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

function isLeading(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}

function isTrailing(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00
}
