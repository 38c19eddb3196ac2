/** Encrypts all secrets with the present key, so that the former one can go. Runs beside servers that have both keys. */
import {
  type Database,
  listSealed,
  listSealedMails,
  type Tx,
  updateMailToken,
  updateWebhook,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { placeOf as placeOfMail } from '../mails/mails.ts'
import { LostSecretError, type Place, type Sealing } from '../secrets/sealing.ts'
import { placeOf } from '../webhooks/signing.ts'

export interface RenewalReport {
  /** Secrets that the present key opens now: of webhooks, and links of invitations whose mails are not sent yet. */
  readonly kept: { readonly webhooks: number; readonly mails: number }
  /** Rows whose secret no key opens: webhooks need a new secret, mails another invitation. */
  readonly lost: {
    readonly webhooks: readonly string[]
    readonly mails: readonly { readonly id: string; readonly organization: string }[]
  }
}

const rowsAtOnce = 100
const first = '00000000-0000-0000-0000-000000000000'

export async function renewSecrets(
  { database }: Pick<Context, 'database'>,
  sealing: Sealing,
): Promise<RenewalReport> {
  const webhooks = await renewRows(database, listSealed, async (tx, { id, secret, formerSecrets }) => {
    const resealed = renewed(sealing, secret, placeOf(id))
    if (resealed === undefined) return false
    const former = formerSecrets && renewed(sealing, formerSecrets, placeOf(id))
    await updateWebhook(tx, id, { secret: resealed, formerSecrets: former ?? null })
    return true
  })
  const mails = await renewRows(database, listSealedMails, async (tx, { id, token }) => {
    const resealed = renewed(sealing, token, placeOfMail(id))
    if (resealed !== undefined) await updateMailToken(tx, id, resealed)
    return resealed !== undefined
  })
  return {
    kept: { webhooks: webhooks.kept, mails: mails.kept },
    lost: {
      webhooks: webhooks.lost.map(({ id }) => id),
      mails: mails.lost.map(({ id, organization }) => ({ id, organization })),
    },
  }
}

/** @param renew returns false if no key opens the row */
async function renewRows<Row extends { readonly id: string }>(
  database: Pick<Database, 'transact'>,
  list: (tx: Tx, after: string, limit: number) => Promise<Row[]>,
  renew: (tx: Tx, row: Row) => Promise<boolean>,
): Promise<{ kept: number; lost: Row[] }> {
  const lost: Row[] = []
  let kept = 0
  for (let after: string | undefined = first; after !== undefined; ) {
    const from: string = after
    const done = await database.transact(async (tx) => {
      const rows = await list(tx, from, rowsAtOnce)
      return Promise.all(rows.map(async (row) => ({ row, isKept: await renew(tx, row) })))
    })
    lost.push(...done.filter(({ isKept }) => !isKept).map(({ row }) => row))
    kept += done.filter(({ isKept }) => isKept).length
    after = done.length === rowsAtOnce ? done.at(-1)!.row.id : undefined
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
