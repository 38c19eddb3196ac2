/** What operators of the registry do, in words. */
import type { Description } from '../../openapi/routes.ts'

const who =
  'Only operators may ask, whom the configuration of the server names, with a session or a key with the scope `admin`.'

export const listAccounts: Description = {
  operationId: 'listAccounts',
  summary: 'All accounts of the registry',
  description: `Lists all accounts by slug, with their e-mail addresses, whether they are suspended, how many collections they own, and what they have stored. ${who} A page has 50 accounts unless \`limit\` says otherwise, and 100 at most.`,
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
  description: `Erases what the registry knows of a person: name, e-mail address, identities, former slugs, memberships, keys, sessions, and in audit logs the slug, the network addresses and the labels of keys. The account stays, under a name that says nothing, because it owns collections and made versions; nobody signs in as it. Answers the organizations that have no owner now. There is no way back. ${who}`,
  answers: { 200: 'The person is erased.' },
  codes: ['not_an_operator', 'account_not_found', 'not_a_user'],
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
