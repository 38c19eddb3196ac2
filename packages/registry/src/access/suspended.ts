/** The refusal of a suspended account, with the reason that the operators gave. */
import { suspensionReason } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'

export async function suspendedError(
  { database }: Pick<Context, 'database'>,
  accountId: string,
): Promise<RegistryError> {
  return new RegistryError('account_suspended', {
    say: { reason: await suspensionReason(database, accountId) },
  })
}
