/** Everything that is stored of a user, as one JSON document, for the user (`GET /api/accounts/me/export`) or, with a reason, for an operator. */
import {
  exportedSections,
  findAccountById,
  insertAuditEvents,
  readAccountSection,
  type SectionName,
} from '@ulmus/storage'
import { mayEnter } from '../access/policy.ts'
import { auditRow } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { anonymous, demandCaller, type Principal } from '../principal.ts'
import { demandUser } from './organizations.ts'

/** Rows in memory at once. A row has at most some KiB, of a saved question 100. */
const rowsAtOnce = 100

/**
 * The pieces of the document; it is read while it is sent, so a section may know of an act that an earlier one does not.
 * @throws unauthenticated, insufficient_scope, key_limited, before the first piece
 */
export async function exportAccount(
  context: Pick<Context, 'database' | 'now'>,
  who: Principal,
): Promise<AsyncGenerator<Uint8Array>> {
  const { accountId } = demandCaller(who)
  demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })
  if ((await findAccountById(context.database, accountId)) === undefined)
    throw new RegistryError('unauthenticated')
  return documentOf(context, accountId)
}

/**
 * The same document for an operator with the stores at hand; the audit log of the user gets the reason.
 * @throws account_not_found, not_a_user
 */
export async function exportForOperator(
  context: Pick<Context, 'database' | 'now'>,
  slug: string,
  reason: string,
): Promise<AsyncGenerator<Uint8Array>> {
  const account = await demandUser(context.database, slug)
  const act = { action: 'account.exported', account: account.id, target: account.slug } as const
  const row = auditRow(anonymous, { ...act, details: { reason } }, context.now())
  await context.database.transact((tx) => insertAuditEvents(tx, [row]))
  return documentOf(context, account.id)
}

async function* documentOf(
  context: Pick<Context, 'database' | 'now'>,
  accountId: string,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{"exportedAt":"${instantText(context.now())}"`)
  for (const name of exportedSections) {
    const [open, close] = name === 'account' ? ['', ''] : ['[', ']']
    yield Buffer.from(`,\n"${name}":${open}`)
    yield* itemsOf(context, accountId, name)
    yield Buffer.from(close)
  }
  yield Buffer.from('}\n')
}

async function* itemsOf(
  { database }: Pick<Context, 'database'>,
  accountId: string,
  name: SectionName,
): AsyncGenerator<Uint8Array> {
  let after: readonly string[] | undefined
  let separator = ''
  do {
    const page = await readAccountSection(database, accountId, name, { after, limit: rowsAtOnce })
    if (page.items.length > 0) yield Buffer.from(separator + page.items.join(',\n'))
    separator = ',\n'
    after = page.next
  } while (after !== undefined)
}
