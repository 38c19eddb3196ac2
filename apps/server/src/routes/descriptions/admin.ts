/** What operators of the registry do, in words. */
import type { Description } from '../../openapi/routes.ts'

const who =
  'Only operators may ask, whom the configuration of the server names, with a session or a key with the scope `admin`.'

export const listAccounts: Description = {
  operationId: 'listAccounts',
  summary: 'All accounts of the registry',
  description: `Lists all accounts by slug, with their e-mail addresses, whether they are suspended, the identities by which they sign in, how many collections they own, and what they have stored. ${who} A page has 50 accounts unless \`limit\` says otherwise, and 100 at most.`,
  answers: { 200: 'A page of accounts.' },
  codes: ['not_an_operator'],
}

export const operateAccount: Description = {
  operationId: 'operateAccount',
  summary: 'Suspend a user, say what an account may store, or name an owner',
  description: `\`suspended\`: true signs the browsers of a user out, and each of its keys is answered 403 \`account_suspended\`, until the suspension is taken back. What is public of it stays readable, nothing is deleted, and operators cannot suspend themselves. \`quotaBytes\` is what the versions and files of a user or an organization may take together, in the place of what the configuration says (null takes it back); over it pushes, uploads and metadata updates are answered 413 \`quota_exceeded\`, and nothing is removed. \`owner\` makes a user the owner of an organization whose owners were all erased or are suspended; one that has an owner who can sign in is 409 \`has_owner\`. ${who}`,
  codes: ['not_an_operator', 'account_not_found', 'not_a_user', 'not_an_org', 'has_owner'],
}

export const eraseAccount: Description = {
  operationId: 'eraseAccount',
  summary: 'Erase a person',
  description: `Erases what the registry knows of a person: name, e-mail address, identities, former slugs, memberships, keys, sessions, and in audit logs the slug, the network addresses and the labels of keys. The account stays, under a name that says nothing, because it owns collections and made versions; nobody signs in as it. A person who owns public collections is refused with 409 \`has_public_collections\`, which lists them, unless \`confirm\` is true: give them to another account first (\`POST …/transfer\`), or the addresses that readers cite lead to the account without a name. Answers the organizations that have no owner now. There is no way back. ${who}`,
  answers: { 200: 'The person is erased.' },
  codes: ['not_an_operator', 'account_not_found', 'not_a_user', 'has_public_collections'],
}

export const linkIdentity: Description = {
  operationId: 'linkIdentity',
  summary: 'Let an identity sign in as a user',
  description: `Links an identity of an identity provider to a user account, beside those that it has: for accounts from the built-in sign-in, or of a provider that was replaced. An identity that signs in as another account is refused with 409 \`identity_taken\`, which names that account; \`move\` takes it from there: browsers of that account are signed out, its collections and keys stay where they are. It is in the audit logs of both accounts. ${who}`,
  answers: { 200: 'The identity signs in as this account.' },
  codes: ['not_an_operator', 'account_not_found', 'not_a_user', 'identity_taken'],
}

export const handOver: Description = {
  operationId: 'handOverCollections',
  summary: 'Give the collections of a user to another account',
  description: `Makes an organization or another user the owner of the collections of a user, private ones too: for people who leave. Their former addresses answer 308; ids, versions, forks and limited keys stay. Neither a quota nor a slug that is taken refuses it: then the collection gets a number at its end. What is done stays done if the call is interrupted; call it again for the rest. It is in the audit logs of both accounts. ${who}`,
  answers: { 200: 'Where the collections are now.' },
  codes: ['not_an_operator', 'account_not_found', 'collection_not_found', 'not_a_user'],
}

export const usage: Description = {
  operationId: 'getUsage',
  summary: 'What is in the registry',
  description: `Counts accounts, collections and versions, and what the stores hold. It reads a row for each pack and file. ${who}`,
  codes: ['not_an_operator'],
}

export const jobs: Description = {
  operationId: 'getJobs',
  summary: 'What is under way',
  description: `Counts push sessions that are open or committing, and background jobs by queue and state. ${who}`,
  codes: ['not_an_operator'],
}

export const audit: Description = {
  operationId: 'listAllAudit',
  summary: 'Who did what, in the whole registry',
  description: `Lists the events of all audit logs, the newest first; \`actor\`, \`action\` and \`after\` narrow it down. ${who} A page has 50 events unless \`limit\` says otherwise, and 100 at most.`,
  answers: { 200: 'A page of events.' },
  codes: ['not_an_operator'],
}
