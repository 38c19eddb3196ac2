/** Everything that is stored of a user, as one JSON document, for the user (`GET /api/accounts/me/export`). */
import { exportedSections, findAccountById, readAccountSection, type SectionName } from '@ulmus/storage'
import { mayEnter } from '../access/policy.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'

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
