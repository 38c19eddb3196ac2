/** Refusals of accounts: their slugs, quotas and deletion. */
import type { Refusal } from './refusal.ts'

export const accountRefusals = {
  account_suspended: {
    kind: 'forbidden',
    sentence: (f) =>
      `This account is suspended${f.reason ? `: ${String(f.reason).replace(/[^.!?]$/u, '$&.')}` : '.'} Ask the operators of this registry.`,
    meaning: 'the account is suspended',
    explanation:
      'An operator suspended the account; the sentence has the reason, if the operator gave one. Its credentials are refused, even where none is needed; public data stays readable without one.',
    remedy: 'Ask the operators of the registry.',
    example: { say: { reason: 'It published spam.' } },
  },
  not_an_operator: {
    kind: 'forbidden',
    sentence:
      'Only operators of this registry can do this. Operators are named in the configuration of the server.',
    meaning: 'the caller is not an operator of the registry',
    explanation: 'Only operators of the registry can call `/api/admin`.',
    remedy: "Operators are named in the server's configuration: [`OPERATORS`](configuration.md#signing-in).",
  },
  account_not_found: {
    kind: 'missing',
    sentence: (f) =>
      f.target === undefined
        ? `There is no account \`${f.slug}\`.`
        : `There is no organization \`${f.target}\`. Only organizations can receive forks, not users.`,
    meaning: 'there is no such account',
    explanation:
      'No account has this slug, now or formerly; as the target of a fork, no organization has it.',
    remedy: 'Check the slug.',
    example: { say: { slug: 'missing' } },
  },
  slug_taken: {
    kind: 'conflict',
    sentence: (f) => `The slug \`${f.slug}\` is taken. Choose another.`,
    meaning: 'the slug is taken',
    explanation: 'Another account, or another collection of the same owner, has this slug.',
    remedy: 'Choose another.',
    example: { say: { slug: 'cities' } },
  },
  slug_kept: {
    kind: 'conflict',
    sentence: (f) =>
      f.isOfCollection
        ? `Readers know \`${f.slug}\` as the address of a collection that has another owner now, and it still leads there: for 90 days, or for good if public data was published under it. Choose another slug.`
        : `The slug \`${f.slug}\` is reserved for its former owner: for 90 days, or for good if public data was published under it. Choose another.`,
    meaning: 'the slug is reserved for its former owner',
    explanation:
      'The slug of a renamed, deleted or erased account is reserved for its former owner for 90 days, and permanently if the account had it for a day and a version was public below it. The former owner can take it back at any time: the account itself, an owner of the deleted organization, or the same person after a new sign-in. Likewise, no collection can be created at, renamed to, forked to or transferred to a path of a collection that now belongs to another account, also not by its former owner, who transferred it: readers who follow the path must arrive at that collection. A slug that a collection of the same account gave up can be used again.',
    remedy: 'Choose another.',
    example: { say: { slug: 'ada' } },
  },
  has_collections: {
    kind: 'conflict',
    sentence: 'The account still owns collections. Delete or transfer them first.',
    meaning: 'an account that still owns collections cannot be deleted',
    remedy: 'Delete or transfer its collections first.',
  },
  has_public_collections: {
    kind: 'conflict',
    sentence:
      'The account owns collections that are public, or hidden by operators, and readers may cite them. Transfer them first, or confirm the erasure.',
    meaning:
      'the person owns collections that are public or hidden by operators; `collections` lists the first 100',
    explanation:
      'An operator is about to erase a person who owns collections that are public, or that operators have hidden and may show again: `collections` lists their paths, a hundred at most. Readers may cite them.',
    remedy:
      'Transfer them to an organization or another user with `POST /api/admin/accounts/HANDLE/transfer`. Or confirm the erasure with `?confirm=true`: their former addresses then lead to an account without a name.',
    members: ({ z }) => ({
      collections: z.array(z.string()).meta({ description: 'their paths, the first 100.' }),
    }),
    example: { details: { collections: ['ada/cities'] } },
  },
  identity_taken: {
    kind: 'conflict',
    sentence: (f) =>
      `The identity already signs in as \`${f.account}\`. If both accounts belong to the same person, move the identity.`,
    meaning: 'the identity that an operator links already signs in as another account, `account`',
    remedy:
      'If both are the same person, send `"move": true`: the identity leaves the other account. Transfer or delete what that account has.',
    members: ({ z }) => ({
      account: z.string().meta({ description: 'slug of the account that the identity signs in as.' }),
    }),
    example: { details: { account: 'ada-2' } },
  },
  has_owner: {
    kind: 'conflict',
    sentence: (f) => `\`${f.org}\` has an owner who can sign in. Ask that owner.`,
    meaning: 'the organization `org` has an owner who can sign in',
    explanation:
      'An operator tried to appoint an owner of `org`, which has an owner who can sign in. Operators appoint owners only for organizations without one.',
    remedy: 'Ask one of its owners.',
    members: ({ z }) => ({ org: z.string().meta({ description: 'the organization.' }) }),
    example: { details: { org: 'atlas' } },
  },
  too_many_organizations: {
    kind: 'conflict',
    sentence: (f) => `A user can own at most ${f.max} organizations. Delete or leave one first.`,
    meaning: 'the user owns the maximum number of organizations',
    explanation: "The user owns the maximum of organizations: 100, or the operator's `MAX_ORGANIZATIONS`.",
    remedy: 'Delete an organization that is not needed, or leave one that has another owner.',
    example: { say: { max: 100 } },
  },
  quota_exceeded: {
    kind: 'too_large',
    sentence: (f) => {
      const pending = f.receivedBytes ? ` and ${f.receivedBytes} received by open pushes` : ''
      const figures =
        f.quotaBytes === undefined
          ? 'would exceed its quota'
          : `would exceed its quota of ${f.quotaBytes} bytes: ${f.usedBytes} are stored${pending}`
      const shared = f.isShared
        ? ' Storage of an organization without its own quota counts against the quota of the user who created it.'
        : ''
      return `\`${f.owner}\` ${figures}.${shared} Delete a collection, withdraw and erase a version, cancel a push, or ask the operator for a larger quota.`
    },
    meaning: 'the account would exceed its quota',
    explanation:
      'The account that owns the collection, or that would receive the fork or the transfer, would exceed its quota. `usedBytes` counts its versions and files, `receivedBytes` the uncommitted data of push sessions; together they may reach `quotaBytes`. Reads and deletions still work, and a push session that is refused at its commit stays open.',
    remedy:
      'Delete a collection, [withdraw and erase](organizations.md#withdrawing-a-version) a version, which frees its space with the next sweep unless a later version builds on it, or cancel a push; then try again. Or ask the operator for [a larger quota](operators.md#quotas). `GET /api/accounts/{slug}/usage` lists the largest collections.',
    members: ({ z }) => ({
      usedBytes: z.int().meta({ description: 'stored bytes of the account.' }),
      receivedBytes: z.int().meta({ description: 'bytes received by open pushes.' }),
      quotaBytes: z.int().meta({ description: 'limit of both together.' }),
    }),
    example: {
      details: { usedBytes: 10_737_000_000, receivedBytes: 1_000_000, quotaBytes: 10_737_418_240 },
      say: { owner: 'ada' },
    },
  },
  invalid_slug: {
    kind: 'unacceptable',
    sentence: (f) =>
      `\`${f.slug}\` is not a valid slug: use lowercase letters, digits and, between them, hyphens, at most ${f.max} characters.`,
    meaning: 'the slug is not valid',
    explanation:
      'A slug must match `^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$`; accounts up to 39, collections up to 100 characters.',
    remedy: 'Choose another.',
    example: { say: { slug: 'My Cities', max: 100 } },
  },
  reserved_slug: {
    kind: 'unacceptable',
    sentence: (f) => `The slug \`${f.slug}\` is reserved. Choose another.`,
    meaning: 'the service reserves this slug',
    explanation: 'The service reserves this account slug: some words, and all that begin with `erased-`.',
    remedy: 'Choose another.',
    example: { say: { slug: 'admin' } },
  },
} satisfies Readonly<Record<string, Refusal>>
