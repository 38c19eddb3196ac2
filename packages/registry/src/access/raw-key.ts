/** Text of API keys: making one, and recognizing its form. http-api §3. */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 43 digits are enough for 256 bits (62^43 > 2^256), and 6 for 32 bits. */
const bodyDigits = 43
const checkDigits = 6

/** Characters at the start of a key that its owner sees in lists. */
export const keyStartLength = 9

/**
 * `ul_`, 32 random bytes as 43 base62 digits, and their CRC-32 as 6 (http-api §3). The check digits refuse typing errors and the
 * guesses of key scanners without a look-up.
 */
export function makeRawKey(): string {
  const body = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), bodyDigits)
  return `ul_${body}${checkOf(body)}`
}

/** True if the text has the form of a key, with matching check digits. */
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
