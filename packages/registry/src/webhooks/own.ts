/** Look-up of a webhook that the caller may change, and the demands that all acts on webhooks share. */
import {
  findAccountById,
  listWebhooks,
  lockAccount,
  lockWebhook,
  type Tx,
  type WebhookItem,
} from '@ulmus/storage'
import { demandCredential } from '../access/authority.ts'
import { roleIn } from '../access/membership.ts'
import { mayHandleWebhook } from '../access/policy.ts'
import { isUuid } from '../answers/pages.ts'
import { type Action, audited } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { checkUrl } from '../outside/ask.ts'
import { type Caller, demandCaller, type Principal } from '../principal.ts'

/** @throws webhook_not_found unless the caller may change it */
export async function findOwn({ database }: Context, who: Principal, id: string): Promise<WebhookItem> {
  const caller = demandCaller(who)
  const [item] = isUuid(id) ? await listWebhooks(database, caller.accountId, { id }) : []
  const account = item && (await findAccountById(database, item.webhook.accountId))
  if (item === undefined || account === undefined) throw new RegistryError('webhook_not_found')
  if (!mayHandleWebhook(caller, await roleIn(database, caller, account)))
    throw new RegistryError('webhook_not_found')
  return item
}

type TellWebhook = (action: Action, details: { readonly host: string }) => void

/** Runs `work` in a transaction in which the webhook and the caller's right to it stay as they are. */
export async function actOn<Result>(
  context: Context,
  caller: Caller,
  id: string,
  work: (tx: Tx, item: WebhookItem, tell: TellWebhook) => Promise<Result>,
): Promise<Result> {
  const item = await findOwn(context, caller, id)
  return audited(context, caller, async (tx, tell) => {
    const account = await lockAccount(tx, item.webhook.accountId)
    await demandCredential(context, tx, caller)
    const webhook = await lockWebhook(tx, id)
    if (account === undefined || webhook === undefined) throw new RegistryError('webhook_not_found')
    if (!mayHandleWebhook(caller, await roleIn(tx, caller, account)))
      throw new RegistryError('webhook_not_found')
    const target = item.place === null ? account.slug : `${item.place.owner}/${item.place.slug}`
    return work(tx, { ...item, webhook }, (action, details) =>
      tell({ action, account: account.id, target, details: { webhook: id, ...details } }),
    )
  })
}

/** @throws url_refused, webhooks_unavailable */
export function addressOf(context: Context, text: string): { url: string; host: string } {
  const url = checkUrl(text, demandWebhooks(context))
  if (url instanceof URL) return { url: url.href, host: url.host.replace(/\.(?=$|:)/, '') }
  throw new RegistryError('url_refused', { say: { rule: url }, details: { rule: url } })
}

export function demandWebhooks({ outside }: Context) {
  if (outside === null) throw unavailable('its operator switched requests to other servers off')
  return outside
}

export function demandSealing(context: Context) {
  demandWebhooks(context)
  if (context.sealing === null)
    throw unavailable('its operator gave no key to encrypt their secrets with (`SECRETS_KEY_FILE`)')
  return context.sealing
}

export const unavailable = (reason: string) => new RegistryError('webhooks_unavailable', { say: { reason } })
