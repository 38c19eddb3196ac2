/**
 * Operations for operators of a registry, all under `/api/admin`: accounts, identities, erasure, totals and jobs. docs/operators.md
 * explains them to operators. docs/design/http-api.md §11.
 */
import { z } from 'zod'
import {
  ErasedAccount,
  EraseQuery,
  HandedOver,
  HandOver,
  HideCollection,
  JobsUnderWay,
  LinkedIdentity,
  LinkIdentity,
  OpenCollection,
  OpenedCollection,
  OperateAccount,
  OperatedAccount,
  OperatedAccountsQuery,
  Usage,
} from '../admin.ts'
import { AuditEvent, AuditQuery } from '../audit.ts'
import { operation } from '../operation.ts'
import { AccountPath, CollectionPath } from '../paths.ts'
import { Done } from '../text.ts'

const operatorsOnly =
  'Requires a session or a key with the `admin` scope, of an operator named in the configuration of the server.'

export const adminOperations = {
  'GET /api/admin/accounts': operation({
    id: 'listAccounts',
    tag: 'operators',
    summary: 'List accounts',
    description: `Lists all accounts by slug (those of erased people as long as they own collections), with their e-mail address, suspension, identities, number of collections and stored bytes. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    query: OperatedAccountsQuery,
    answers: { 200: z.array(OperatedAccount) },
    answerWords: { 200: 'A page of accounts.' },
  }),
  'PATCH /api/admin/accounts/:slug': operation({
    id: 'operateAccount',
    tag: 'operators',
    summary: 'Suspend a user, set a quota or appoint an owner',
    description: `\`suspended: true\` signs a user out of all browsers and rejects the user’s keys with 403 \`account_suspended\` until the suspension ends. The user’s public collections are hidden from all but members and collaborators meanwhile (410 \`collection_hidden\`), unless \`hideCollections\` is false; \`reason\` is in that refusal and in the audit log; nothing is deleted, and operators cannot suspend themselves. \`quotaBytes\` limits the stored versions and files of a user or an organization (null: the default quota). Over quota, pushes, uploads and metadata updates get 413 \`quota_exceeded\`; nothing is removed. \`owner\` makes a user the owner of an organization whose owners are all erased or suspended; otherwise the request gets 409 \`has_owner\`. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    body: OperateAccount,
    answers: { 200: Done },
    refusals: ['not_a_user', 'not_an_org', 'has_owner'],
  }),
  'DELETE /api/admin/accounts/:slug': operation({
    id: 'eraseAccount',
    tag: 'operators',
    summary: 'Erase a person',
    description: `Erases the person’s name, e-mail address, identities, former slugs, memberships, grants, keys and sessions, and in audit logs the slug, network addresses and key labels. The account stays under a meaningless name because it owns collections and created versions, but no identity can sign in to it. If the person owns collections that are public, or hidden by operators, the request gets 409 \`has_public_collections\` with a list of them, unless \`confirm\` is true: transfer them first (\`POST …/transfer\`), or cited addresses lead to an account without a name. Returns the organizations that have no owner left. This cannot be undone. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    query: EraseQuery,
    answers: { 200: ErasedAccount },
    answerWords: { 200: 'Erased.' },
    refusals: ['not_a_user', 'has_public_collections'],
  }),
  'POST /api/admin/collections/:owner/:slug/hide': operation({
    id: 'hideCollection',
    tag: 'operators',
    summary: 'Hide a collection',
    description: `Hides a public collection from all but the members of its owner and its collaborators, who see the reason: others get 410 \`collection_hidden\`, lists and searches omit it, and they cannot make it public. Forks stay as they are. Repeat the request to change the reason. Recorded in the owner’s audit log. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    params: CollectionPath,
    body: HideCollection,
    answers: { 200: Done },
    refusals: ['collection_not_found'],
  }),
  'POST /api/admin/collections/:owner/:slug/show': operation({
    id: 'showCollection',
    tag: 'operators',
    summary: 'Show a hidden collection again',
    description: `Makes a collection that operators have hidden public again, unless its members have made it private meanwhile. Recorded in the owner’s audit log. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    params: CollectionPath,
    answers: { 200: Done },
    refusals: ['collection_not_found'],
  }),
  'POST /api/admin/collections/:owner/:slug/open': operation({
    id: 'openCollection',
    tag: 'operators',
    summary: 'Read a private collection as an operator',
    description:
      'Lets the calling operator read a collection, private parts included, for an hour: with the browser sessions of the account only, and without any right to change, fork or follow it. The reason is recorded in the owner’s audit log. Repeat the request to read on. Requires a session of an operator named in the configuration of the server; API keys get 403 `session_required`.',
    entrance: { scope: 'admin', unlimited: true },
    params: CollectionPath,
    body: OpenCollection,
    answers: { 200: OpenedCollection },
    refusals: ['collection_not_found', 'session_required'],
  }),
  'GET /api/admin/usage': operation({
    id: 'getUsage',
    tag: 'operators',
    summary: 'Get totals of the registry',
    description: `Counts accounts (without those of erased people), collections, versions and stored bytes. Reads a row for each pack and file. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    answers: { 200: Usage },
  }),
  'GET /api/admin/jobs': operation({
    id: 'getJobs',
    tag: 'operators',
    summary: 'Get running pushes and jobs',
    description: `Counts open and committing push sessions, and background jobs by queue and state. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    answers: { 200: JobsUnderWay },
  }),
  'GET /api/admin/audit': operation({
    id: 'listAllAudit',
    tag: 'operators',
    summary: 'List audit events of the whole registry',
    description: `Lists the events of all audit logs, newest first. Filter with \`actor\`, \`action\` and \`after\`. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    query: AuditQuery,
    answers: { 200: z.array(AuditEvent) },
    answerWords: { 200: 'A page of events.' },
  }),
  'POST /api/admin/accounts/:slug/identities': operation({
    id: 'linkIdentity',
    tag: 'operators',
    summary: 'Link an identity to a user',
    description: `Lets an identity of an identity provider sign in as a user, in addition to the user’s other identities: for accounts from the built-in sign-in or from a replaced provider. An identity that signs in as another account is refused with 409 \`identity_taken\`, which names that account. An issuer that differs from \`OIDC_ISSUER\` by a slash at its end is refused, since sign-ins compare issuers exactly. With \`move: true\` it leaves that account: the browsers of that account are signed out, its collections and keys stay. Both accounts’ audit logs record it. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    body: LinkIdentity,
    answers: { 200: LinkedIdentity },
    answerWords: { 200: 'The identity can sign in as the user.' },
    refusals: ['not_a_user', 'identity_taken'],
  }),
  'POST /api/admin/accounts/:slug/transfer': operation({
    id: 'handOverCollections',
    tag: 'operators',
    summary: 'Transfer all collections of a user',
    description: `Makes an organization or another user the owner of a user’s collections, private ones included: for people who leave. Former addresses answer 308; ids, versions, forks and limited keys stay. Quotas are not checked, and a collection whose slug is taken gets a number at its end. After an interruption, repeat the request to transfer the rest. Both accounts’ audit logs record it. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    params: AccountPath,
    body: HandOver,
    answers: { 200: HandedOver },
    answerWords: { 200: 'The former and new paths of the collections.' },
    refusals: ['collection_not_found', 'not_a_user'],
  }),
}
