/**
 * Access policy: pure functions, and the only module that decides permissions. Services call it, so HTTP and jobs follow one law.
 * Rights of a credential = its scope ∩ (its account's role in the owner ∪ grant on the collection), up to the key's cap ∩ the key's limits.
 * Returns `ok` or the error code of a refusal. For data hidden from the caller, the look-up answers `…_not_found`; the policy never does.
 */
import { type Caller, type Principal, type Scope, scopes } from '../principal.ts'

/** The names are public and stored: those of the database's tables must be the same. */
export const roles = ['member', 'admin', 'owner'] as const
/** Roles that a key can be capped at. The names are public and stored. */
export const roleCaps = ['member'] as const
export type RoleCap = (typeof roleCaps)[number]
/** Roles in an organization: owner ⊃ admin ⊃ member. A user is owner of its own account. */
export type Role = (typeof roles)[number]

/** The names are public and stored: those of the database's tables must be the same. */
export const grants = ['read', 'write', 'admin'] as const
/** Grants of a collaborator on one collection: admin ⊃ write ⊃ read. Independent of roles in the owner. */
export type Grant = (typeof grants)[number]

/** The two views of a version (content-model §6): `full` for members, `public` for everyone else. */
export type View = 'full' | 'public'

/** Codes of refusals of permissions. */
export type Refusal =
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'key_limited'
  | 'not_a_member'
  | 'insufficient_role'
  | 'insufficient_grant'
  | 'private_content'
  | 'publisher_key'
  | 'publishers_only'
  | 'session_required'
export type Decision = 'ok' | Refusal

/** Standing of the caller's account in a collection, before the limits of its credential. */
export interface Standing {
  readonly collection: { readonly id: string; readonly public: boolean }
  /** Its role in the owner. */
  readonly role: Role | null
  /** Its grant as a collaborator. */
  readonly grant: Grant | null
}

/** True for a member or a collaborator: the account reads the full view. */
export const belongs = ({ role, grant }: Pick<Standing, 'role' | 'grant'>): boolean =>
  role !== null || grant !== null

/** Compares names of a list in which each includes those before it. Null covers nothing, and nothing covers null. */
const covers =
  <T>(order: readonly T[]) =>
  (held: T | null, wanted: T | null): boolean =>
    held !== null && wanted !== null && order.indexOf(held) >= order.indexOf(wanted)

export const scopeCovers = covers<Scope>(scopes)
export const roleCovers = covers<Role>(roles)
export const grantCovers = covers<Grant>(grants)

/** A route's requirements of the credential, checked before the body is read. */
export interface Entrance {
  /** The least scope. `any`: any signed-in caller; absent: no credential needed. */
  readonly scope?: Scope | 'any'
  /** True: a key limited to one collection is refused. */
  readonly unlimited?: boolean
}

/** True for a key that was exchanged for the token of a trusted publisher, and for work that it asked for. */
const isWorkload = (who: Principal): boolean => who.kind !== 'anonymous' && who.means?.workload !== undefined

/** Checks the credential alone, before anything is looked up. */
export function mayEnter(who: Principal, entrance: Entrance): Decision {
  if (entrance.scope === undefined) return 'ok'
  if (who.kind === 'anonymous') return 'unauthenticated'
  if (entrance.scope !== 'any' && !scopeCovers(who.scope, entrance.scope)) return 'insufficient_scope'
  if (entrance.unlimited === true && who.limitedTo !== null) return 'key_limited'
  // These calls are about the account, which is the owner's and not the job's.
  return entrance.scope === 'any' && isWorkload(who) ? 'publisher_key' : 'ok'
}

/** Permission to open pages, which show whatever the account may see. */
export const mayOpenPages = (who: Principal): Decision => (isWorkload(who) ? 'publisher_key' : 'ok')

/** A limited key acts for its account only at its own collections. */
const reaches = (who: Principal, { collection }: Standing): boolean =>
  who.kind !== 'anonymous' && (who.limitedTo?.includes(collection.id) ?? true)

/** False: the look-up must answer as if the collection did not exist. */
export const maySee = (who: Principal, at: Standing): boolean =>
  at.collection.public || (belongs(at) && reaches(who, at))

const choosesPublic = (who: Principal): boolean => who.kind !== 'anonymous' && who.view === 'public'

/** The caller's view of the collection's versions. Call it only for collections that the caller may see. */
export const viewFor = (who: Principal, at: Standing): View =>
  belongs(at) && reaches(who, at) && !choosesPublic(who) ? 'full' : 'public'

/** Only browser sessions: an operator's key must not read private content, also not one that is stolen. */
const isBrowser = (who: Principal): who is Caller =>
  who.kind === 'session' && who.credential !== null && 'session' in who.credential

/** Permission of an operator to open a collection of others, in order to read all of it for a limited time. */
export const mayOpenAsOperator = (who: Principal): Decision => (isBrowser(who) ? 'ok' : 'session_required')

/** True while an operator reads the full view of a collection that it has opened. The caller of this checks that it is an operator. */
export const mayReadOpened = (who: Principal, opening: { readonly until: Date }, now: Date): boolean =>
  isBrowser(who) && opening.until > now

/** The view of an opened collection: all of it, unless the operator asks for what the public reads. */
export const viewOfOpened = (who: Principal): View => (choosesPublic(who) ? 'public' : 'full')

/** Private events that a caller sees: of its accounts and grants or, with a limited key, of its collections alone. Null: none. */
export const privateEventsFor = (
  who: Principal,
): { readonly accountId: string; readonly onlyCollections: readonly string[] | undefined } | null =>
  who.kind === 'anonymous' || who.view === 'public'
    ? null
    : { accountId: who.accountId, onlyCollections: who.limitedTo ?? undefined }

/** The account's role, or the lower role that the key is capped at. Compare no role with `roleCovers` before this. */
const capped = (who: Principal, role: Role | null): Role | null =>
  role === null || who.kind === 'anonymous' || who.roleCap === undefined ? role : who.roleCap

/** True if the caller acts with at least this role in an account. `role`: its account's. */
export const actsAs = (who: Principal, role: Role | null, wanted: Role): boolean =>
  roleCovers(capped(who, role), wanted)

/** True for a limited key that does not manage its collections. */
const isBounded = (who: Principal): boolean =>
  who.kind !== 'anonymous' && who.limitedTo !== null && !scopeCovers(who.scope, 'admin')

interface Demand {
  /** The least scope of the credential. */
  readonly scope: Scope
  /** The least role in the owner. */
  readonly role: Role
  /** The least grant of a collaborator, which is enough without a role. Null: none is. */
  readonly grant: Grant | null
  /** True: refused to the keys of trusted publishers. */
  readonly notForJobs?: true
  /** True: a key of one collection needs the scope `admin`, since CI systems get keys that publish. */
  readonly notForBounded?: true
  /** True: refused to keys of one collection. */
  readonly unlimited?: true
}

/** Permissions in a collection, with their conditions. */
const demands = {
  /** Poll pushes and metadata updates. */
  poll: { scope: 'read', role: 'member', grant: 'read' },
  /** Push, upload files, and change metadata. */
  write: { scope: 'write', role: 'member', grant: 'write' },
  /** Change the name, the description and saved questions. */
  describe: { scope: 'write', role: 'member', grant: 'admin', notForJobs: true },
  /** Change the slug or the visibility. `mayMakePublic` decides about a public one, too. */
  move: { scope: 'write', role: 'member', grant: 'admin', notForJobs: true, notForBounded: true },
  /** Warn of a version, which can be undone. */
  deprecate: { scope: 'write', role: 'admin', grant: 'write' },
  /** See who else can read and change it. */
  seeAccess: { scope: 'read', role: 'member', grant: 'admin', notForJobs: true, unlimited: true },
  /** See and change the trusted publishers and the collaborators. */
  administer: { scope: 'admin', role: 'admin', grant: 'admin' },
  /** Withdraw and erase versions, which cannot be undone. */
  withdraw: { scope: 'admin', role: 'admin', grant: null },
  delete: { scope: 'write', role: 'admin', grant: null, notForBounded: true },
  /** Give it away. `mayReceiveCollection` checks the receiving account. */
  transfer: { scope: 'admin', role: 'admin', grant: null, unlimited: true },
} as const satisfies Record<string, Demand>

export type Permission = keyof typeof demands
export const permissions = Object.keys(demands) as readonly Permission[]
/** The conditions of a permission, which a refusal names. */
export const demandOf = (permission: Permission): Demand => demands[permission]

/** Decides about a permission in a collection. */
export function mayDo(who: Principal, at: Standing, permission: Permission): Decision {
  const wanted = demandOf(permission)
  const entered = mayEnter(who, wanted)
  if (entered !== 'ok') return entered
  if (!reaches(who, at)) return 'key_limited'
  if (!belongs(at)) return 'not_a_member'
  if (wanted.notForJobs === true && isWorkload(who)) return 'publisher_key'
  if (wanted.notForBounded === true && isBounded(who)) return 'key_limited'
  return isGiven(who, at, wanted)
}

/** Decides by role and grant. A capped key does no more than a member may, by grants neither. */
function isGiven(who: Principal, { role, grant }: Standing, wanted: Demand): Decision {
  if (actsAs(who, role, wanted.role)) return 'ok'
  const isCapped = who.kind !== 'anonymous' && who.roleCap !== undefined
  const isOpenToGrants = !isCapped || wanted.role === 'member'
  if (isOpenToGrants && grantCovers(grant, wanted.grant)) return 'ok'
  return role === null && isOpenToGrants ? 'insufficient_grant' : 'insufficient_role'
}

/** Everything that a caller may do in a collection. */
export const permissionsIn = (who: Principal, at: Standing): ReadonlySet<Permission> =>
  new Set(permissions.filter((permission) => mayDo(who, at, permission) === 'ok'))

/** Permission to end a grant or an invitation of a collaborator. Every collaborator may leave. */
export const mayEndGrant = (who: Principal, at: Standing, isSelf: boolean): Decision =>
  isSelf && at.grant !== null
    ? mayEnter(who, { scope: 'admin', unlimited: true })
    : mayDo(who, at, 'administer')

/** Permission to make a version. Some collections take versions of trusted publishers alone. */
export const mayPublish = (who: Principal, { publishersOnly }: { publishersOnly: boolean }): Decision =>
  publishersOnly && !isWorkload(who) ? 'publishers_only' : 'ok'

/** Permission to take a collection into an account. */
export const mayReceiveCollection = (who: Principal, role: Role | null): Decision =>
  mayManageAccount(who, role)

/** Decides about what every member of an account may do. */
const forMembers =
  (entrance: Entrance) =>
  (who: Principal, role: Role | null): Decision => {
    const entered = mayEnter(who, entrance)
    return entered === 'ok' && role === null ? 'not_a_member' : entered
  }
const mayEnterAsManager = forMembers({ scope: 'admin', unlimited: true })

/** Permission to create a collection under an account or to fork one into it. */
export const mayCreateIn = forMembers({ scope: 'write', unlimited: true })

/** Permission to make a collection public or to create a public one. An organization may restrict this to its admins. */
export const mayMakePublic = (
  who: Principal,
  role: Role | null,
  { membersMayChangeVisibility }: { readonly membersMayChangeVisibility: boolean },
): Decision => (membersMayChangeVisibility || actsAs(who, role, 'admin') ? 'ok' : 'insufficient_role')

/** Permission to rename an account, and to manage an organization's members up to the role `wanted`. */
export function mayManageAccount(who: Principal, role: Role | null, wanted: Role = 'admin'): Decision {
  const entered = mayEnterAsManager(who, role)
  return entered === 'ok' && !actsAs(who, role, wanted) ? 'insufficient_role' : entered
}

/** Every member may leave; owners manage owners; admins manage everyone below. `target`: the higher of the current and the new role. */
export function mayChangeMember(
  who: Principal,
  role: Role | null,
  change: { target: Role; self: boolean; removal: boolean },
): Decision {
  if (change.self && change.removal && role !== null) return mayManageAccount(who, role, 'member')
  return mayManageAccount(who, role, change.target === 'owner' ? 'owner' : 'admin')
}

export const mayListMembers = forMembers({ scope: 'any', unlimited: true })
/** Storage usage of an account is visible to its members. */
export const maySeeUsage = mayListMembers

/** True if a new webhook of a collection belongs to its owner, which the caller manages; false: to the caller. */
export const webhookBelongsToOwner = (who: Principal, role: Role | null): boolean =>
  actsAs(who, role, 'admin')

/** Permission to leave a webhook behind: it outlives a key that expires, which could extend a temporary right. */
export const mayLeaveWebhook = (who: Caller): Decision => (who.expiresAt === null ? 'ok' : 'key_limited')

/** Permission to read and change a webhook. `role`: the caller's in the account that the webhook belongs to. */
export const mayHandleWebhook = (who: Principal, role: Role | null) => mayManageAccount(who, role) === 'ok'

/** The facts about an API key that decide permissions. */
export interface KeyFacts {
  readonly scope: Scope
  /** Collections that it is limited to; null: it is not. */
  readonly collectionIds: readonly string[] | null
  readonly roleCap: RoleCap | null
}

/** The cap of a new key that names none: its maker's; `member` for a limited key, unless it may manage its collections. */
export const usualRoleCap = (
  who: Caller,
  { scope, collectionIds }: Omit<KeyFacts, 'roleCap'>,
): RoleCap | null => who.roleCap ?? (collectionIds !== null && scope !== 'admin' ? 'member' : null)

/** A key is created and revoked only by a credential at least as strong: by no stolen read key a write key, by no capped key another. */
export function mayHandleKey(who: Caller, key: KeyFacts): Decision {
  if (isWorkload(who)) return 'publisher_key'
  if (!scopeCovers(who.scope, key.scope)) return 'insufficient_scope'
  if (who.roleCap !== undefined && key.roleCap === null) return 'insufficient_role'
  return isWithin(key, who) ? 'ok' : 'key_limited'
}

/** A limited key lists only keys that are limited to some of its collections. A trusted publisher's key lists none. */
export const mayListKey = (who: Caller, key: KeyFacts): boolean => !isWorkload(who) && isWithin(key, who)

/** True if the key works for no collection that the caller's credential does not work for. */
const isWithin = ({ collectionIds }: KeyFacts, { limitedTo }: Caller): boolean =>
  limitedTo === null || (collectionIds?.every((id) => limitedTo.includes(id)) ?? false)

/** An expiring key cannot create one that outlives it: a thief could otherwise extend a temporary key. */
export const mayMakeKeyUntil = (who: Caller, end: Date | null): Decision =>
  who.expiresAt === null || (end !== null && end <= who.expiresAt) ? 'ok' : 'key_limited'

/** Permission to fork visible content: collaborators and strangers fork only what is public. @param isPublic of all that the fork gets */
export function mayFork({ collection, role }: Standing, isPublic: boolean): Decision {
  return role !== null || (collection.public && isPublic) ? 'ok' : 'private_content'
}
