/**
 * Text of an API key: `ul_`, 32 random bytes as 43 base62 digits, and their CRC-32 as 6, so that typing errors and candidates from
 * scanners for leaked keys are refused without a look-up. http-api §3.
 */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 > 2^256 and 62^6 > 2^32, so both fit exactly. */
const bodyDigits = 43
const checkDigits = 6

/** How much of a key is shown to its owner. Characters. */
export const keyStartLength = 9

export function makeRawKey(): string {
  const body = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), bodyDigits)
  return `ul_${body}${checkOf(body)}`
}

/** Whether a text can be a key at all. */
export function isRawKey(text: string): boolean {
  const match = /^ul_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text)
  return match !== null && checkOf(match[1]!) === match[2]
}

const checkOf = (body: string) => base62(BigInt(crc32(body)), checkDigits)

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text
}
