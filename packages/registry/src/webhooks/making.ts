/** Making of webhooks. */
import {
  type AccountRow,
  countWebhooks,
  insertWebhook,
  lastEventSoFar,
  lockAccount,
  type WebhookRow,
} from '@ulmus/storage'
import type { CreatedWebhook, CreateWebhook } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { demandCredential } from '../access/authority.ts'
import { findVisibleAccount } from '../access/find-account.ts'
import { findVisibleCollection } from '../access/find-collection.ts'
import { roleIn } from '../access/membership.ts'
import { mayLeaveWebhook, mayManageAccount, webhookBelongsToOwner } from '../access/policy.ts'
import { audited } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import type { Caller } from '../principal.ts'
import { addressOf, demandSealing, findOwn } from './own.ts'
import { makeSecret, placeOf } from './signing.ts'
import { webhookAnswer } from './webhook-answers.ts'

/** The subject of a webhook: one collection, or all collections of an account. */
export type WebhookPlace =
  | { readonly collection: { readonly owner: string; readonly slug: string } }
  | { readonly account: string }

/** Webhooks of an account for one collection, or for all its collections. docs/limits.md */
const webhooksPerPlace = 20
/** Webhooks of an account in all. */
const webhooksMax = 100

export async function createWebhook(
  context: Context,
  caller: Caller,
  place: WebhookPlace,
  { url, kinds = [], bumps = [], label = '' }: CreateWebhook,
): Promise<CreatedWebhook> {
  demand(mayLeaveWebhook(caller), { webhook: true })
  const found = await placeFor(context, caller, place)
  const sealing = demandSealing(context)
  const address = addressOf(context, url)
  const secret = makeSecret()
  const id = newId()
  const { collectionId } = found
  await audited(context, caller, async (tx, tell) => {
    const hearsAfter = await lastEventSoFar(tx)
    const account = await lockAccount(tx, found.account.id)
    await demandCredential(context, tx, caller)
    if (account === undefined) throw new RegistryError('account_not_found', { say: found.account })
    demand(mayManageAccount(caller, await roleIn(tx, caller, account)), { owner: account.slug })
    const { all, here } = await countWebhooks(tx, account.id, collectionId)
    if (all >= webhooksMax || here >= webhooksPerPlace)
      throw new RegistryError('too_many_webhooks', {
        say: { account: account.slug, ...(all >= webhooksMax ? { all } : { max: webhooksPerPlace }) },
      })
    const row: WebhookRow = {
      ...{ id, accountId: account.id, collectionId, ...address, label, kinds, bumps },
      ...{ secret: sealing.seal(secret, placeOf(id)), formerSecrets: null, proven: false },
      ...{ enabled: true, disabledWhy: null, failingSince: null, madeBy: caller.accountId },
      ...{ createdAt: context.now(), testedAt: null, hearsAfter },
    }
    await insertWebhook(tx, row)
    const details = { webhook: id, host: address.host }
    tell({ action: 'webhook.made', account: account.id, target: found.target, details })
  })
  return { ...webhookAnswer(await findOwn(context, caller, id)), secret }
}

/** Account and collection of a new webhook. */
async function placeFor(context: Context, caller: Caller, place: WebhookPlace) {
  if ('account' in place) {
    const { account, role } = await findVisibleAccount(context, caller, place.account)
    demand(mayManageAccount(caller, role), { owner: account.slug, needed: 'admin' })
    return { account, collectionId: null, target: account.slug }
  }
  const { collection, owner, role } = await findVisibleCollection(context, caller, place.collection, {
    forReading: false,
  })
  const account: Pick<AccountRow, 'id' | 'slug'> = webhookBelongsToOwner(caller, role)
    ? owner
    : { id: caller.accountId, slug: caller.accountSlug }
  return { account, collectionId: collection.id, target: `${owner.slug}/${collection.slug}` }
}
