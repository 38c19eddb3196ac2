/** Every permission as a table: function × principal × role. http-api §1 (credentials, limited keys, roles), §3, §6. */
import type { Workload } from '@ulmus/storage'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anonymous, type Caller, type Principal, type Scope } from '../principal.ts'
import {
  type Decision,
  type Grant,
  grants,
  mayChangeMember,
  mayCreateIn,
  mayDo,
  mayEndGrant,
  mayEnter,
  mayFork,
  mayHandleKey,
  mayListMembers,
  mayMakeKeyUntil,
  mayMakePublic,
  mayManageAccount,
  mayOpenAsOperator,
  mayReadOpened,
  mayReceiveCollection,
  maySee,
  type Permission,
  permissions,
  permissionsIn,
  type Role,
  roleCovers,
  scopeCovers,
  usualRoleCap,
  viewFor,
  webhookBelongsToOwner,
} from './policy.ts'

const mine = 'c0000000-0000-0000-0000-000000000001'
const other = 'c0000000-0000-0000-0000-000000000002'

const caller = (scope: Scope, limited: string | null = null, kind: Caller['kind'] = 'key'): Caller => ({
  kind,
  accountId: 'a0000000-0000-0000-0000-000000000001',
  accountSlug: 'ann',
  scope,
  limitedTo: limited === null ? null : [limited],
  credential: null,
  expiresAt: null,
})

/**
 * `here`, `there` and `both`: write keys limited to the collection in question, to another, and to both; `manager`: the first with scope `admin`.
 * `capped`: a write key that acts as a member.
 */
const principals = {
  anonymous: anonymous as Principal,
  session: caller('admin', null, 'session'),
  admin: caller('admin'),
  write: caller('write'),
  read: caller('read'),
  here: caller('write', mine),
  there: caller('write', other),
  both: { ...caller('write'), limitedTo: [mine, other] } as Caller,
  manager: caller('admin', mine),
  capped: { ...caller('write'), roleCap: 'member' } as Caller,
}
type Name = keyof typeof principals
const names = Object.keys(principals) as Name[]
const roles: (Role | null)[] = [null, 'member', 'admin', 'owner']
const hidden = { id: mine, public: false }
const open = { id: mine, public: true }
const at = (collection: typeof hidden, held: Role | null, grant: Grant | null = null) => ({
  ...{ collection, role: held, grant },
})

const signIn = 'unauthenticated'
const scope = 'insufficient_scope'
const limit = 'key_limited'
const member = 'not_a_member'
const role = 'insufficient_role'

/** Answers by principal, for the roles none, member, admin, owner. A single answer applies to all four. */
type Table<T> = Record<Exclude<Name, 'both'>, T | [T, T, T, T]>

function check<T>(table: Table<T>, ask: (who: Principal, role: Role | null) => T) {
  for (const name of names) {
    // A key for two collections gets the answers of one for this collection alone.
    const cell = table[name === 'both' ? 'here' : name]
    roles.forEach((held, i) => {
      const wanted = Array.isArray(cell) ? cell[i] : cell
      expect(ask(principals[name], held), `${name}, ${held ?? 'no role'}`).toBe(wanted)
    })
  }
}

test('scopes and roles nest', () => {
  const scopes: Scope[] = ['read', 'write', 'admin']
  scopes.forEach((held, i) => {
    scopes.forEach((wanted, j) => {
      expect(scopeCovers(held, wanted)).toBe(i >= j)
    })
  })
  const held: Role[] = ['member', 'admin', 'owner']
  held.forEach((one, i) => {
    held.forEach((wanted, j) => {
      expect(roleCovers(one, wanted)).toBe(i >= j)
    })
  })
  for (const wanted of held) expect(roleCovers(null, wanted)).toBe(false)
})

test('mayEnter', () => {
  const all = (answer: Decision): Table<Decision> =>
    Object.fromEntries(names.map((name) => [name, answer])) as Table<Decision>
  check(all('ok'), (who) => mayEnter(who, {}))
  check({ ...all('ok'), anonymous: signIn }, (who) => mayEnter(who, { scope: 'any' }))
  check({ ...all('ok'), anonymous: signIn }, (who) => mayEnter(who, { scope: 'read' }))
  check({ ...all('ok'), anonymous: signIn, read: scope }, (who) => mayEnter(who, { scope: 'write' }))
  const admins = {
    ...all(scope),
    anonymous: signIn,
    session: 'ok',
    admin: 'ok',
    manager: 'ok',
  } as Table<Decision>
  check(admins, (who) => mayEnter(who, { scope: 'admin' }))
  const unlimited = {
    ...all('ok'),
    anonymous: signIn,
    here: limit,
    there: limit,
    manager: limit,
  } as Table<Decision>
  check(unlimited, (who) => mayEnter(who, { scope: 'any', unlimited: true }))
  // The scope is checked before the limit: http-api §6.
  check({ ...admins, manager: limit }, (who) => mayEnter(who, { scope: 'admin', unlimited: true }))
})

test('mayOpenAsOperator and mayReadOpened: browsers alone, until the end', () => {
  const browser: Principal = { ...caller('admin', null, 'session'), credential: { session: 'x' } }
  const until = new Date('2026-01-15T11:00:00.000Z')
  const before = new Date(until.getTime() - 1)
  // `session` of the table acts in the background.
  for (const name of names) {
    expect(mayOpenAsOperator(principals[name]), name).toBe('session_required')
    expect(mayReadOpened(principals[name], { until }, before), name).toBe(false)
  }
  const key: Principal = { ...caller('admin'), credential: { key: 'x' } }
  expect([mayOpenAsOperator(key), mayReadOpened(key, { until }, before)]).toEqual(['session_required', false])
  expect([mayOpenAsOperator(browser), mayReadOpened(browser, { until }, before)]).toEqual(['ok', true])
  expect(mayReadOpened(browser, { until }, until)).toBe(false)
})

test('maySee and viewFor', () => {
  const byRole: [boolean, boolean, boolean, boolean] = [false, true, true, true]
  const seen: Table<boolean> = {
    ...{
      anonymous: false,
      session: byRole,
      admin: byRole,
      write: byRole,
      read: byRole,
      here: byRole,
      there: false,
      manager: byRole,
      capped: byRole,
    },
  }
  check(seen, (who, held) => maySee(who, at(hidden, held)))
  for (const name of names)
    for (const held of roles) expect(maySee(principals[name], at(open, held))).toBe(true)
  check(seen, (who, held) => viewFor(who, at(open, held)) === 'full')
  // A caller may choose the public view; the right to see the rest is unchanged.
  const publicly = (who: Principal): Principal =>
    who.kind === 'anonymous' ? who : { ...who, view: 'public' }
  for (const name of names)
    for (const held of roles) expect(viewFor(publicly(principals[name]), at(hidden, held))).toBe('public')
  check(seen, (who, held) => maySee(publicly(who), at(hidden, held)))
})

test('mayDo: poll, write, describe, move', () => {
  const byRole: [Decision, Decision, Decision, Decision] = [member, 'ok', 'ok', 'ok']
  const writers: Table<Decision> = {
    ...{
      anonymous: signIn,
      session: byRole,
      admin: byRole,
      write: byRole,
      read: scope,
      here: byRole,
      there: limit,
      manager: byRole,
      capped: byRole,
    },
  }
  check(writers, (who, held) => mayDo(who, at(hidden, held), 'write'))
  check(writers, (who, held) => mayDo(who, at(open, held), 'write'))
  check({ ...writers, read: byRole }, (who, held) => mayDo(who, at(hidden, held), 'poll'))
  check(writers, (who, held) => mayDo(who, at(open, held), 'describe'))
  const bounded = { ...writers, here: [member, limit, limit, limit] } as Table<Decision>
  check(bounded, (who, held) => mayDo(who, at(open, held), 'move'))
})

test('mayDo: deprecate, delete', () => {
  const byRole: [Decision, Decision, Decision, Decision] = [member, role, 'ok', 'ok']
  const warners: Table<Decision> = {
    ...{ anonymous: signIn, session: byRole, admin: byRole, write: byRole, read: scope, there: limit },
    ...{ here: byRole, manager: byRole, capped: [member, role, role, role] },
  }
  check(warners, (who, held) => mayDo(who, at(hidden, held), 'deprecate'))
  const deleters = { ...warners, here: [member, limit, limit, limit] } as Table<Decision>
  check(deleters, (who, held) => mayDo(who, at(hidden, held), 'delete'))
})

test('mayDo: withdraw, administer', () => {
  const managing = {
    ...managers([member, role, 'ok', 'ok']),
    manager: [member, role, 'ok', 'ok'],
  } as Table<Decision>
  check(managing, (who, held) => mayDo(who, at(hidden, held), 'withdraw'))
  check(managing, (who, held) => mayDo(who, at(hidden, held), 'administer'))
})

test('mayDo: transfer; mayReceiveCollection', () => {
  check(managers([member, role, 'ok', 'ok']), (who, held) => mayDo(who, at(hidden, held), 'transfer'))
  check(managers([member, role, 'ok', 'ok']), mayReceiveCollection)
  expect(mayDo(caller('admin', mine), at(hidden, 'owner'), 'transfer')).toBe(limit)
})

test('permissions grow with the scope and with the role, each alone, and shrink with each limit of a key', () => {
  const scopes: Scope[] = ['read', 'write', 'admin']
  const workload: Workload = {
    ...{ publisher: 'p', issuer: 'https://ci.example', kind: 'other', subject: 'job', claims: {} },
    ...{ run: null, shows: 'none' },
  }
  const limits: Partial<Caller>[] = [{}, { roleCap: 'member' }, { means: { workload } }]
  const permitted = (who: Principal, one: Role | null) =>
    permissions.filter((permission) => mayDo(who, at(hidden, one), permission) === 'ok')
  for (const limitedTo of [null, mine, other])
    for (const limit of limits) {
      const table = scopes.map((one) =>
        roles.map((had) => permitted({ ...caller(one, limitedTo), ...limit }, had)),
      )
      const expectWithin = (less: readonly string[], more: readonly string[]) =>
        expect(more, `${limitedTo} ${JSON.stringify(limit)}`).toEqual(expect.arrayContaining([...less]))
      table.forEach((row, i) => {
        row.forEach((cell, j) => {
          if (i > 0) expectWithin(table[i - 1]![j]!, cell)
          if (j > 0) expectWithin(row[j - 1]!, cell)
          expectWithin(cell, permitted(caller(scopes[i]!), roles[j]!))
        })
      })
    }
  expect(permitted(principals.session, 'owner')).toEqual(permissions)
  expect(permitted(principals.anonymous, 'owner')).toEqual([])
})

/** Decisions by grant (none, read, write, admin) for a caller without a role. */
const byGrant = (who: Principal, permission: Permission): Decision[] =>
  [null, ...grants].map((grant) => mayDo(who, at(hidden, null, grant), permission))

test('mayDo by grants, without a role', () => {
  const low = 'insufficient_grant'
  const owner = principals.session
  const table: Record<Permission, Decision[]> = {
    poll: [member, 'ok', 'ok', 'ok'],
    write: [member, low, 'ok', 'ok'],
    describe: [member, low, low, 'ok'],
    move: [member, low, low, 'ok'],
    deprecate: [member, low, 'ok', 'ok'],
    seeAccess: [member, low, low, 'ok'],
    administer: [member, low, low, 'ok'],
    withdraw: [member, low, low, low],
    delete: [member, low, low, low],
    transfer: [member, low, low, low],
  }
  for (const permission of permissions)
    expect(byGrant(owner, permission), permission).toEqual(table[permission])
  // A capped key does no more than a member may.
  expect(byGrant(principals.capped, 'write')).toEqual(table.write)
  expect(byGrant(principals.capped, 'deprecate')).toEqual([role, role, role, role].with(0, member))
  expect(byGrant(principals.there, 'write')).toEqual([limit, limit, limit, limit])
  expect(byGrant(principals.read, 'write')).toEqual([scope, scope, scope, scope])
})

test('a grant shows the full view, except to keys of other collections and those who chose the public view', () => {
  for (const grant of grants) {
    const standing = at(hidden, null, grant)
    expect([maySee(principals.read, standing), viewFor(principals.read, standing)]).toEqual([true, 'full'])
    expect([maySee(principals.here, standing), viewFor(principals.here, standing)]).toEqual([true, 'full'])
    expect(maySee(principals.there, standing)).toBe(false)
    expect(maySee(anonymous, standing)).toBe(false)
    const publicly: Principal = { ...caller('read'), view: 'public' }
    expect([maySee(publicly, standing), viewFor(publicly, standing)]).toEqual([true, 'public'])
  }
})

test('mayEndGrant: managers, and everybody their own', () => {
  const ends = (grant: Grant | null, isSelf: boolean, who: Principal = principals.admin) =>
    mayEndGrant(who, at(hidden, null, grant), isSelf)
  expect([ends(null, true), ends('read', true), ends('admin', true)]).toEqual([member, 'ok', 'ok'])
  expect([ends('read', false), ends('admin', false)]).toEqual(['insufficient_grant', 'ok'])
  expect([ends('read', true, principals.write), ends('read', true, principals.manager)]).toEqual([
    scope,
    limit,
  ])
})

test('permissions grow with the role, the grant and the scope, each alone, for random facts', () => {
  const rank = <T>(list: readonly T[]) => fc.integer({ min: 0, max: list.length - 1 })
  const [roleList, grantList] = [roles, [null, ...grants]]
  const scopeList: Scope[] = ['read', 'write', 'admin']
  fc.assert(
    fc.property(
      fc.record({
        role: rank(roleList),
        grant: rank(grantList),
        scope: rank(scopeList),
        limitedTo: fc.constantFrom(null, mine, other),
        cap: fc.constantFrom({}, { roleCap: 'member' as const }),
        isPublic: fc.boolean(),
        more: fc.constantFrom('role', 'grant', 'scope'),
      }),
      (facts) => {
        const given = (raised: Partial<typeof facts>) => {
          const {
            role: roleRank,
            grant,
            scope: scopeRank,
            limitedTo,
            cap,
            isPublic,
          } = { ...facts, ...raised }
          const who: Caller = { ...caller(scopeList[scopeRank]!, limitedTo), ...cap }
          return permissionsIn(who, at(isPublic ? open : hidden, roleList[roleRank]!, grantList[grant]!))
        }
        const most = { role: roleList, grant: grantList, scope: scopeList }[facts.more]!.length - 1
        const next = Math.min(most, facts[facts.more as 'role'] + 1)
        expect([...given({ [facts.more]: next })]).toEqual(expect.arrayContaining([...given({})]))
      },
    ),
  )
  // Neither of the two includes the other.
  const session = principals.session
  const [member, writer] = [
    permissionsIn(session, at(hidden, 'member')),
    permissionsIn(session, at(hidden, null, 'write')),
  ]
  expect([member.has('deprecate'), writer.has('deprecate')]).toEqual([false, true])
  expect([member.has('move'), writer.has('move')]).toEqual([true, false])
})

test('mayMakePublic', () => {
  const answers = (membersMayChangeVisibility: boolean, who: Principal = principals.write) =>
    roles.map((held) => mayMakePublic(who, held, { membersMayChangeVisibility }))
  expect(answers(true)).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(answers(false)).toEqual([role, role, 'ok', 'ok'])
  expect(answers(true, principals.capped)).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(answers(false, principals.capped)).toEqual([role, role, role, role])
})

test('mayCreateIn', () => {
  const byRole: [Decision, Decision, Decision, Decision] = [member, 'ok', 'ok', 'ok']
  check<Decision>(
    {
      anonymous: signIn,
      session: byRole,
      admin: byRole,
      write: byRole,
      read: scope,
      here: limit,
      there: limit,
      manager: limit,
      capped: byRole,
    },
    mayCreateIn,
  )
})

const managers = (byRole: [Decision, Decision, Decision, Decision]): Table<Decision> => ({
  ...{
    anonymous: signIn,
    session: byRole,
    admin: byRole,
    write: scope,
    read: scope,
    here: scope,
    there: scope,
    manager: limit,
    capped: scope,
  },
})

test('mayManageAccount', () => {
  check(managers([member, role, 'ok', 'ok']), (who, held) => mayManageAccount(who, held))
  check(managers([member, role, role, 'ok']), (who, held) => mayManageAccount(who, held, 'owner'))
  const limitedAdmin = caller('admin', mine)
  for (const held of roles) expect(mayManageAccount(limitedAdmin, held)).toBe(limit)
})

test('mayChangeMember', () => {
  for (const target of ['member', 'admin'] as const) {
    for (const removal of [true, false]) {
      const change = { target, self: false, removal }
      check(managers([member, role, 'ok', 'ok']), (who, held) => mayChangeMember(who, held, change))
    }
  }
  for (const removal of [true, false]) {
    const change = { target: 'owner' as const, self: false, removal }
    check(managers([member, role, role, 'ok']), (who, held) => mayChangeMember(who, held, change))
  }
  // Any member may leave; none may raise its own role.
  for (const target of ['member', 'admin', 'owner'] as const) {
    const leaving = { target, self: true, removal: true }
    check(managers([member, 'ok', 'ok', 'ok']), (who, held) => mayChangeMember(who, held, leaving))
  }
  const rising = { target: 'owner' as const, self: true, removal: false }
  check(managers([member, role, role, 'ok']), (who, held) => mayChangeMember(who, held, rising))
})

test('mayListMembers', () => {
  const byRole: [Decision, Decision, Decision, Decision] = [member, 'ok', 'ok', 'ok']
  check<Decision>(
    {
      anonymous: signIn,
      session: byRole,
      admin: byRole,
      write: byRole,
      read: byRole,
      here: limit,
      there: limit,
      manager: limit,
      capped: byRole,
    },
    mayListMembers,
  )
})

test('a capped key acts as a member, whatever its scope', () => {
  const capped: Caller = { ...caller('admin'), roleCap: 'member' }
  for (const held of ['member', 'admin', 'owner'] as const) {
    expect(mayDo(capped, at(hidden, held), 'transfer')).toBe(role)
    expect(mayReceiveCollection(capped, held)).toBe(role)
    expect(mayManageAccount(capped, held)).toBe(role)
    expect(mayChangeMember(capped, held, { target: 'member', self: false, removal: false })).toBe(role)
    expect(mayDo(capped, at(hidden, held), 'withdraw')).toBe(role)
    expect(webhookBelongsToOwner(capped, held)).toBe(false)
  }
  expect(webhookBelongsToOwner(principals.admin, 'admin')).toBe(true)
})

test('usualRoleCap: keys of one collection are capped unless they manage it, and a capped key makes capped ones', () => {
  const capOf = (who: Caller, wanted: Scope, limited: string | null) =>
    usualRoleCap(who, { scope: wanted, collectionIds: limited === null ? null : [limited] })
  const ofAdmin = (wanted: Scope, collectionId: string | null) => capOf(caller('admin'), wanted, collectionId)
  expect([ofAdmin('read', null), ofAdmin('write', null), ofAdmin('admin', null)]).toEqual([null, null, null])
  expect([ofAdmin('read', mine), ofAdmin('write', mine), ofAdmin('admin', mine)]).toEqual([
    ...['member', 'member', null],
  ])
  expect(capOf(principals.capped, 'write', null)).toBe('member')
})

test('mayHandleKey: a capped key handles only capped ones', () => {
  const capped = principals.capped
  expect(mayHandleKey(capped, { scope: 'write', collectionIds: null, roleCap: 'member' })).toBe('ok')
  expect(mayHandleKey(capped, { scope: 'read', collectionIds: [mine], roleCap: null })).toBe(role)
  expect(mayHandleKey(capped, { scope: 'admin', collectionIds: null, roleCap: null })).toBe(scope)
})

test.each<[Name, Scope, string[] | null, Decision]>([
  ['session', 'admin', null, 'ok'],
  ['admin', 'admin', null, 'ok'],
  ['admin', 'read', [mine, other], 'ok'],
  ['write', 'admin', null, scope],
  ['write', 'write', null, 'ok'],
  ['write', 'read', [other], 'ok'],
  ['read', 'write', null, scope],
  ['read', 'read', null, 'ok'],
  ['here', 'write', [mine], 'ok'],
  ['here', 'read', [mine], 'ok'],
  ['here', 'admin', [mine], scope],
  ['here', 'read', null, limit],
  ['here', 'read', [other], limit],
  ['here', 'read', [mine, other], limit],
  ['both', 'read', [mine, other], 'ok'],
  ['both', 'read', [other], 'ok'],
  ['both', 'read', null, limit],
])('mayHandleKey: %s, a key of scope %s for %s: %s', (name, wanted, collectionIds, answer) => {
  expect(mayHandleKey(principals[name] as Caller, { scope: wanted, collectionIds, roleCap: null })).toBe(
    answer,
  )
})

test('mayMakeKeyUntil: no later than the key that makes it', () => {
  const end = new Date('2026-01-15T00:00:00.000Z')
  const later = new Date(end.getTime() + 1)
  const ending = { ...caller('admin'), expiresAt: end }
  expect([null, later, end].map((until) => mayMakeKeyUntil(ending, until))).toEqual([limit, limit, 'ok'])
  expect([null, later].map((until) => mayMakeKeyUntil(caller('read'), until))).toEqual(['ok', 'ok'])
})

test('mayFork: members all, others what is public throughout', () => {
  for (const held of roles)
    for (const grant of [null, ...grants]) {
      const outside = held === null ? 'private_content' : 'ok'
      expect(mayFork(at(open, held, grant), true)).toBe('ok')
      expect(mayFork(at(open, held, grant), false)).toBe(outside)
      expect(mayFork(at(hidden, held, grant), true)).toBe(outside)
    }
})
