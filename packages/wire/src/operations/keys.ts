/**
 * Operations on the caller's API keys: create, list, revoke. A key never creates one with more rights than its own. docs/design/http-api.md
 * §3.
 */
import { z } from 'zod'
import { CreatedKey, CreateKey, Key } from '../keys.ts'
import { operation } from '../operation.ts'
import { KeyPath } from '../paths.ts'
import { Done } from '../text.ts'

export const keyOperations = {
  'POST /api/accounts/keys': operation({
    id: 'createKey',
    tag: 'keys',
    summary: 'Create an API key',
    description:
      'Creates an API key for the authenticated account. A key can create only keys whose scope, role and lifetime do not exceed its own; a session can create any. `collectionId` limits the key to a collection that the account can read, `collections` to up to 50; unless its scope is `admin`, it acts there as a member and cannot change the address or the visibility of a collection. With the last of its collections the key is revoked. An account can have 100 live keys. Store the raw key now: only this answer contains it.',
    entrance: { scope: 'any' },
    body: CreateKey,
    answers: { 201: CreatedKey },
    refusals: [
      'collection_not_found',
      'insufficient_scope',
      'insufficient_role',
      'key_limited',
      'too_many_keys',
    ],
  }),
  'GET /api/accounts/keys': operation({
    id: 'listKeys',
    tag: 'keys',
    summary: 'List API keys',
    description:
      'Lists all keys of the caller, oldest first. Raw keys are not included; `start` has the first 9 characters of each. A revoked key disappears at once, an expired one when a key is created more than 30 days later.',
    entrance: { scope: 'any' },
    answers: { 200: z.array(Key) },
    answerWords: { 200: 'All keys of the account.' },
  }),
  'DELETE /api/accounts/keys/:id': operation({
    id: 'revokeKey',
    tag: 'keys',
    summary: 'Revoke an API key',
    description:
      'Revokes a key of the caller. Requests with it get 401 from then on, including running ones that have not recorded anything. A key can revoke itself and keys whose scope and role do not exceed its own. A key of another account gets 404.',
    entrance: { scope: 'any' },
    params: KeyPath,
    answers: { 200: Done },
    refusals: ['key_not_found', 'insufficient_scope', 'insufficient_role', 'key_limited'],
  }),
}
