/** Rights of API keys in words, for the pages that make one. `packages/registry/src/access/policy.ts` decides. */
import type { Scope } from '@ulmus/wire'

interface KeyRight {
  readonly scope: Scope
  /** Name of the choice. */
  readonly label: string
  /** What a key may do with all collections of the account; continues “It may”. */
  readonly everywhere: string
  /** The same for a key that is limited to one collection. */
  readonly there: string
}

/** From the weakest to the strongest. */
export const keyRights: readonly KeyRight[] = [
  {
    scope: 'read',
    label: 'Read',
    everywhere: 'see whatever you may see, private data included. It changes no collection',
    there: 'see the collection, private data included. It changes nothing',
  },
  {
    scope: 'write',
    label: 'Publish',
    everywhere:
      'also create and fork collections, publish versions, and change metadata, names, addresses and who may read. It acts as a member: it cannot delete, deprecate, withdraw, erase or transfer, and manages no people, webhooks or organizations',
    there:
      'also publish versions, and change its metadata and name. It cannot change its address or who may read it, and cannot delete, deprecate, withdraw, erase or transfer',
  },
  {
    scope: 'admin',
    label: 'Manage',
    everywhere:
      'do everything that you may do: also delete, deprecate, withdraw, erase and transfer, and manage keys, webhooks, trusted publishers, organizations and members',
    there:
      'do with it what you may do, except transfer it: also change its address and who may read it, deprecate, withdraw and erase versions, delete it, and manage its trusted publishers',
  },
]

export const keyRightOf = (scope: Scope): KeyRight => keyRights.find((right) => right.scope === scope)!
