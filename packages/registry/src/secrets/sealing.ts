/**
 * Encrypts secrets that must be read again, such as those that webhooks are signed with. AES-256-GCM; a sealed secret belongs to one
 * row of one table and opens nowhere else. Backups have sealed secrets and never the key.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const format = 1
const idBytes = 8
const nonceBytes = 12
const tagBytes = 16
export const keyBytes = 32

/** A key with the first bytes of its hash, by which a sealed secret names it. */
interface Key {
  readonly id: Buffer
  readonly secret: Buffer
}

/** Row that a secret belongs to, as `webhooks:<id>`. */
export type Place = `${string}:${string}`

/** The key that sealed a secret is not among the present ones, or the secret was changed. Its owner must enter it again. */
export class LostSecretError extends Error {
  override name = 'LostSecretError'
}

export type Sealing = ReturnType<typeof sealingOf>

/**
 * @param key 32 bytes
 * @param former the key before, which still opens what it sealed
 */
export function sealingOf(key: Buffer, former?: Buffer) {
  const keys = [key, ...(former === undefined ? [] : [former])].map(keyOf)
  const present = keys[0]!
  return {
    /** @returns format 1: a byte 1, key id (8 bytes), nonce (12), ciphertext, tag (16) */
    seal(secret: string, place: Place): Buffer {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', present.secret, nonce)
      cipher.setAAD(Buffer.from(place))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(format), present.id, nonce, text, cipher.getAuthTag()])
    },
    /** @throws LostSecretError */
    open(sealed: Buffer, place: Place): string {
      const key = keys.find(({ id }) => id.equals(sealed.subarray(1, 1 + idBytes)))
      if (sealed[0] !== format || key === undefined || sealed.length < 1 + idBytes + nonceBytes + tagBytes)
        throw new LostSecretError(`No present key opens the secret of ${place}.`)
      const begin = 1 + idBytes + nonceBytes
      const decipher = createDecipheriv('aes-256-gcm', key.secret, sealed.subarray(1 + idBytes, begin), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(place))
      decipher.setAuthTag(sealed.subarray(-tagBytes))
      try {
        return Buffer.concat([
          decipher.update(sealed.subarray(begin, -tagBytes)),
          decipher.final(),
        ]).toString()
      } catch {
        throw new LostSecretError(`The secret of ${place} was changed, or belongs to another row.`)
      }
    },
    /** Whether the former key sealed it, so that it must be sealed again before that key goes. */
    isFormer: (sealed: Buffer): boolean => !present.id.equals(sealed.subarray(1, 1 + idBytes)),
  }
}

const keyOf = (secret: Buffer): Key => ({
  id: createHash('sha256').update(secret).digest().subarray(0, idBytes),
  secret,
})
