/** Rows deleted between a look-up and the insert that refers to them. */
import { isForeignKeyViolation } from '@ulmus/storage'
import { RegistryError } from '../errors/errors.ts'

/** Runs `work`. @throws the refusal with this code when `work` fails because a row that it refers to is gone. */
export async function onMissingRow<T>(
  code: 'account_not_found' | 'collection_not_found' | 'unauthenticated' | 'sign_in_failed',
  say: Record<string, string>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new RegistryError(code, { say, cause: error })
  }
}
