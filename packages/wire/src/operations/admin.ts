/** Calls of operators. http-api §11. */
import { z } from 'zod'
import {
  ErasedAccount,
  EraseQuery,
  HandedOver,
  HandOver,
  JobsUnderWay,
  LinkedIdentity,
  LinkIdentity,
  OperateAccount,
  OperatedAccount,
  OperatedAccountsQuery,
  Usage,
} from '../admin.ts'
import { AuditEvent, AuditQuery } from '../audit.ts'
import { operation } from '../operation.ts'
import { AccountPath } from '../paths.ts'
import { Done } from '../text.ts'

const who =
  'Only operators, named in the configuration of the server, may call it, with a session or a key with the scope `admin`.'

export const adminOperations = {
  'GET /api/admin/accounts': operation({
    id: 'listAccounts',
    tag: 'operators',
    summary: 'All accounts of the registry',
    description: `Lists all accounts by slug, with their e-mail addresses, whether they are suspended, the identities by which they sign in, how many collections they own, and what they have stored. ${who} A page has 50 accounts unless \`limit\` says otherwise, and 100 at most.`,
    entrance: { scope: 'admin', unlimited: true },
    query: OperatedAccountsQuery,
    answers: { 200: z.array(OperatedAccount) },
    answerWords: { 200: 'A page of accounts.' },
    refusals: ['not_an_operator'],
  }),
  'PATCH /api/admin/accounts/:slug': operation({
    id: 'operateAccount',
    tag: 'operators',
    summary: 'Suspend a user, set a quota, or appoint an owner',
    description: `\`suspended\`: true signs out the browsers of a user, and its keys get 403 \`account_suspended\`, until the suspension ends. Its public data stays readable, nothing is deleted, and operators cannot suspend themselves. \`quotaBytes\` limits the stored versions and files of a user or an organization, instead of the default quota (null restores that); over quota, pushes, uploads and metadata updates get 413 \`quota_exceeded\`, and nothing is removed. \`owner\` makes a user the owner of an organization whose owners were all erased or are suspended; one that has an owner who can sign in is 409 \`has_owner\`. ${who}`,
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    body: OperateAccount,
    answers: { 200: Done },
    refusals: ['not_an_operator', 'account_not_found', 'not_a_user', 'not_an_org', 'has_owner'],
  }),
  'DELETE /api/admin/accounts/:slug': operation({
    id: 'eraseAccount',
    tag: 'operators',
    summary: 'Erase a person',
    description: `Erases what the registry knows of a person: name, e-mail address, identities, former slugs, memberships, keys, sessions, and in audit logs the slug, the network addresses and the labels of keys. The account stays, under a name that says nothing, because it owns collections and made versions, but no identity can sign in as it. A person who owns public collections is refused with 409 \`has_public_collections\`, which lists them, unless \`confirm\` is true: give them to another account first (\`POST …/transfer\`), or cited addresses lead to an account without a name. Returns the organizations that have no owner left. This cannot be undone. ${who}`,
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    query: EraseQuery,
    answers: { 200: ErasedAccount },
    answerWords: { 200: 'The person is erased.' },
    refusals: ['not_an_operator', 'account_not_found', 'not_a_user', 'has_public_collections'],
  }),
  'GET /api/admin/usage': operation({
    id: 'getUsage',
    tag: 'operators',
    summary: 'Totals of the registry',
    description: `Counts accounts, collections, versions and stored bytes. It reads a row for each pack and file. ${who}`,
    entrance: { scope: 'admin', unlimited: true },
    answers: { 200: Usage },
    refusals: ['not_an_operator'],
  }),
  'GET /api/admin/jobs': operation({
    id: 'getJobs',
    tag: 'operators',
    summary: 'Running pushes and jobs',
    description: `Counts push sessions that are open or committing, and background jobs by queue and state. ${who}`,
    entrance: { scope: 'admin', unlimited: true },
    answers: { 200: JobsUnderWay },
    refusals: ['not_an_operator'],
  }),
  'GET /api/admin/audit': operation({
    id: 'listAllAudit',
    tag: 'operators',
    summary: 'The audit log of the whole registry',
    description: `Lists the events of all audit logs, the newest first; \`actor\`, \`action\` and \`after\` filter the list. ${who} A page has 50 events unless \`limit\` says otherwise, and 100 at most.`,
    entrance: { scope: 'admin', unlimited: true },
    query: AuditQuery,
    answers: { 200: z.array(AuditEvent) },
    answerWords: { 200: 'A page of events.' },
    refusals: ['not_an_operator'],
  }),
  'POST /api/admin/accounts/:slug/identities': operation({
    id: 'linkIdentity',
    tag: 'operators',
    summary: 'Let an identity sign in as a user',
    description: `Links an identity of an identity provider to a user account, beside those that it has: for accounts from the built-in sign-in, or of a provider that was replaced. An identity that signs in as another account is refused with 409 \`identity_taken\`, which names that account; \`move\` takes it from there: browsers of that account are signed out, its collections and keys stay where they are. It is in the audit logs of both accounts. ${who}`,
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    body: LinkIdentity,
    answers: { 200: LinkedIdentity },
    answerWords: { 200: 'The identity signs in as this account.' },
    refusals: ['not_an_operator', 'account_not_found', 'not_a_user', 'identity_taken'],
  }),
  'POST /api/admin/accounts/:slug/transfer': operation({
    id: 'handOverCollections',
    tag: 'operators',
    summary: 'Transfer all collections of a user',
    description: `Makes an organization or another user the owner of the collections of a user, private ones too: for people who leave. Their former addresses answer 308; ids, versions, forks and limited keys stay. A quota does not block it; a collection whose slug is taken gets a number at its end. After an interruption, call it again for the rest. The audit logs of both accounts record it. ${who}`,
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    body: HandOver,
    answers: { 200: HandedOver },
    answerWords: { 200: 'Where the collections are now.' },
    refusals: ['not_an_operator', 'account_not_found', 'collection_not_found', 'not_a_user'],
  }),
}
