/** Encrypts all secrets with the present key, so that the former one can go. Runs beside servers that have both keys. */
import { listSealed, updateWebhook } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { LostSecretError, type Place, type Sealing } from '../secrets/sealing.ts'
import { placeOf } from '../webhooks/signing.ts'

export interface RenewalReport {
  /** Secrets that the present key opens now. */
  readonly kept: number
  /** Webhooks whose secret no key opens: they need a new one. */
  readonly lost: readonly string[]
}

const rowsAtOnce = 100
const first = '00000000-0000-0000-0000-000000000000'

export async function renewSecrets(
  { database }: Pick<Context, 'database'>,
  sealing: Sealing,
): Promise<RenewalReport> {
  const lost: string[] = []
  let kept = 0
  for (let after: string | undefined = first; after !== undefined; ) {
    const from: string = after
    const done = await database.transact(async (tx) => {
      const rows = await listSealed(tx, from, rowsAtOnce)
      const results = await Promise.all(
        rows.map(async ({ id, secret, formerSecrets }) => {
          const resealed = renewed(sealing, secret, placeOf(id))
          if (resealed === undefined) return { id, isLost: true }
          const former = formerSecrets && renewed(sealing, formerSecrets, placeOf(id))
          await updateWebhook(tx, id, { secret: resealed, formerSecrets: former ?? null })
          return { id, isLost: false }
        }),
      )
      return results
    })
    lost.push(...done.filter(({ isLost }) => isLost).map(({ id }) => id))
    kept += done.filter(({ isLost }) => !isLost).length
    after = done.length === rowsAtOnce ? done.at(-1)!.id : undefined
  }
  return { kept, lost }
}

/** @returns undefined if no key opens it */
function renewed(sealing: Sealing, sealed: Uint8Array, place: Place): Buffer | undefined {
  try {
    const bytes = Buffer.from(sealed)
    const secret = sealing.open(bytes, place)
    return sealing.isFormer(bytes) ? sealing.seal(secret, place) : bytes
  } catch (error) {
    if (error instanceof LostSecretError) return undefined
    throw error
  }
}
