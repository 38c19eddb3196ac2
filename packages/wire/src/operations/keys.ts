/** API keys. http-api §3. */
import { z } from 'zod'
import { CreatedKey, CreateKey, Key } from '../keys.ts'
import { operation } from '../operation.ts'
import { KeyPath } from '../paths.ts'
import { Done } from '../text.ts'

export const keyOperations = {
  'POST /api/accounts/keys': operation({
    id: 'createKey',
    tag: 'keys',
    summary: 'Make a key',
    description:
      'Makes an API key for the account that is asking. A key makes only keys no stronger and no longer-lived than itself; a session makes any. With `collectionId` the key is limited to that collection, which the account must be able to read. An account may have 100 live keys. The raw key is in this answer alone, so keep it now: the registry cannot tell it again.',
    entrance: { scope: 'any' },
    body: CreateKey,
    answers: { 201: CreatedKey },
    refusals: ['collection_not_found', 'insufficient_scope', 'key_limited', 'too_many_keys'],
  }),
  'GET /api/accounts/keys': operation({
    id: 'listKeys',
    tag: 'keys',
    summary: 'Keys of the account',
    description:
      'Lists all keys of the caller, the oldest first. The raw keys are not in it: `start` has the first 9 characters, by which a key can be recognized. A revoked key leaves the list at once, an expired one when a key is made after 30 days.',
    entrance: { scope: 'any' },
    answers: { 200: z.array(Key) },
    answerWords: { 200: 'All keys of the account.' },
  }),
  'DELETE /api/accounts/keys/:id': operation({
    id: 'revokeKey',
    tag: 'keys',
    summary: 'Revoke a key',
    description:
      'Revokes a key of the caller. From then on it is answered 401, also by requests that are under way and have recorded nothing yet. A key may revoke keys no stronger than itself, itself included. Another account’s key is answered as one that does not exist.',
    entrance: { scope: 'any' },
    params: KeyPath,
    answers: { 200: Done },
    refusals: ['key_not_found', 'insufficient_scope', 'key_limited'],
  }),
}
