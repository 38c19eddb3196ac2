/** Permissions of every operation, kind of caller and kind of collection, compared with the table beside this file. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Contract,
  contractOf,
  type DescribedCall,
  type Instead,
  requestOf,
} from '../testing/contract.ts'
import { type Guild, setGuild, withdrawn } from '../testing/guild.ts'
import { comparableParts } from '../testing/test-client.ts'
import { inAccount } from './permissions.account-table.ts'
import { byGrant, collaborators } from './permissions.grant-table.ts'
import {
  callers,
  inCollection,
  movingOrOpening,
  ofWithdrawn,
  type Place,
  places,
  without,
} from './permissions.table.ts'

/** Words of the table for refusals; any other answer is `+`. */
const words: Readonly<Record<string, string>> = {
  unauthenticated: '401',
  insufficient_scope: 'scope',
  key_limited: 'limit',
  not_a_member: 'member',
  insufficient_role: 'role',
  insufficient_grant: 'grant',
  collection_not_found: '404',
  account_suspended: 'susp',
  not_an_operator: 'oper',
  private_content: 'priv',
  version_withdrawn: '410',
  publisher_key: 'job',
  session_required: 'sess',
}

/** Bodies and parameters that change nothing, or nothing that a later cell depends on, if the request is admitted. */
const harmless: Readonly<Record<string, Instead>> = {
  updateAccount: { body: { displayName: 'Guild' } },
  createInvitation: { body: { user: 'grace', role: 'member' } },
  operateAccount: { path: { slug: 'guild' } },
  eraseAccount: { path: { slug: 'guild' } },
  linkIdentity: { path: { slug: 'guild' } },
  handOverCollections: { path: { slug: 'guild' } },
  hideCollection: { path: { slug: 'absent' } },
  showCollection: { path: { slug: 'absent' } },
  openCollection: { path: { slug: 'absent' } },
  updateCollection: { body: {} },
  transferCollection: { body: { to: 'guild' } },
  forkCollection: { body: { targetOrg: 'guild', slug: 'taken' } },
  // Refused for its address.
  createWebhook: { body: { url: 'https://10.0.0.1/' } },
  createAccountWebhook: { body: { url: 'https://10.0.0.1/' } },
  withdrawVersion: { path: { v: 'v9.9.9' } },
  deprecateVersion: { path: { v: 'v9.9.9' } },
  restoreVersion: { path: { v: 'v9.9.9' } },
  previewRecordErasure: { path: { id: 'absent' } },
  eraseRecord: { path: { id: 'absent' } },
}

/** An operation on the withdrawn version. */
const onWithdrawn: Instead = { path: { v: withdrawn } }
const withdrawnInQuery: Readonly<Record<string, Instead>> = {
  exportVersion: { query: { version: withdrawn } },
}

/** Timeout of a row, which takes seconds on a busy machine. Milliseconds. */
const timeout = 120_000

describe.each(anyDatabase)('who may do what, on $name', { timeout }, (database) => {
  let guild: Guild
  let contract: Contract

  beforeAll(async () => {
    guild = await setGuild(database)
    contract = contractOf((await guild.client('anon', 'absent').get('/api/openapi.json')).json)
  })
  afterAll(() => guild.end())

  const isInCollection = ({ path }: DescribedCall) => path.startsWith('/api/collections/{owner}/{slug}')
  const idOf = ({ operation }: DescribedCall) => operation.operationId

  async function answerOf(call: DescribedCall, caller: string, place: Place, how?: Instead) {
    const at: Record<string, string> = isInCollection(call)
      ? { owner: 'guild', slug: place }
      : { owner: 'guild', slug: 'guild', user: 'grace' }
    const instead = how ?? harmless[idOf(call)] ?? {}
    const { path, options } = requestOf(call, { ...instead, path: { ...at, ...instead.path } })
    const answer = await guild.client(caller, place).request(call.method, path, options)
    expect(answer.status, `${caller}: ${call.method} ${path}: ${answer.text}`).toBeLessThan(500)
    return answer
  }

  async function cell(call: DescribedCall, caller: string, place: Place, how?: Instead): Promise<string> {
    const { status, json } = await answerOf(call, caller, place, how)
    return (status < 400 ? undefined : words[json?.code]) ?? '+'
  }

  /** The observed row in the format of the table. */
  async function row(
    call: DescribedCall,
    place: Place,
    how?: Instead,
    of: readonly string[] = callers,
  ): Promise<string> {
    const found: string[] = []
    for (const caller of of) {
      if (idOf(call) === 'deleteCollection') await guild.renew()
      found.push(await cell(call, caller, place, how))
    }
    return found
      .map((word) => word.padEnd(6))
      .join(' ')
      .trim()
  }

  test('no operation is without its row, and no row without its operation', () => {
    const rows = [...Object.values(inCollection), ...Object.values(inAccount)].flatMap(
      ({ operations }) => operations,
    )
    const known = [...rows, ...without].sort()
    expect(known).toEqual(contract.calls.map(idOf).sort())
    expect(new Set(known).size).toBe(known.length)
    const ofVersions = contract.calls.filter(({ path }) => path.includes('{v}')).map(idOf)
    const ofOne = Object.values(ofWithdrawn).flatMap(({ operations }) => operations)
    expect(ofOne.sort()).toEqual([...ofVersions, ...Object.keys(withdrawnInQuery)].sort())
  })

  test('each operation in a collection has its row for collaborators', () => {
    const of = (rows: Readonly<Record<string, { operations: readonly string[] }>>) =>
      Object.values(rows).flatMap(({ operations }) => operations)
    expect(of(byGrant).sort()).toEqual(of(inCollection).sort())
  })

  test.each(Object.entries(byGrant))('collaborators: %s', async (_, { operations, row: expected }) => {
    for (const id of operations)
      for (const place of ['public', 'private'] as const)
        expect([id, place, await row(contract.call(id), place, undefined, collaborators)]).toEqual([
          ...[id, place],
          expected,
        ])
  })

  test('hidden and absent collections get the same answers and headers', async () => {
    for (const call of contract.calls.filter(isInCollection))
      for (const caller of [
        ...['anon', 'str', 'str-read', 'str-write', 'str-admin', 'there', 'unknown', 'sus-admin', 'oper'],
        // A collaborator whose grant ended.
        ...['ex', 'ex-read'],
        ...['ended', 'sus', 'expired'],
      ])
        for (const how of call.path.includes('{v}') ? [undefined, onWithdrawn] : [undefined]) {
          const responseAt = async (place: Place) =>
            comparableParts(await answerOf(call, caller, place, how), `guild/${place}`)
          expect([idOf(call), caller, await responseAt('private')]).toEqual([
            ...[idOf(call), caller],
            await responseAt('absent'),
          ])
        }
  })

  test('a credential that is none any more is none, whatever is asked of whatever there is', async () => {
    for (const call of contract.calls.filter((one) => !without.includes(idOf(one))))
      for (const place of isInCollection(call) ? places : (['absent'] as const)) {
        for (const caller of ['malformed', 'expired', 'revoked'])
          expect([idOf(call), caller, await cell(call, caller, place)]).toEqual([idOf(call), caller, '401'])
        const ofAnonymous = await cell(call, 'anon', place)
        for (const caller of ['ended', 'sus'])
          expect([idOf(call), caller, await cell(call, caller, place)]).toEqual([
            idOf(call),
            caller,
            ofAnonymous,
          ])
      }
  })

  test.each(Object.entries(inCollection))('in a collection: %s', async (_, { operations, rows }) => {
    for (const id of operations)
      for (const place of places)
        expect([id, place, await row(contract.call(id), place)]).toEqual([id, place, rows[place]])
  })

  test('a key for two collections may at each of them what a key for it alone may', async () => {
    const isIn = (id: string) => id !== 'deleteCollection'
    for (const id of Object.values(inCollection)
      .flatMap(({ operations }) => operations)
      .filter(isIn))
      for (const place of places) {
        const answers = [
          await cell(contract.call(id), 'two', place),
          await cell(contract.call(id), 'here', place),
        ]
        expect([id, place, answers[0]]).toEqual([id, place, answers[1]])
      }
  })

  test('changing the address or the visibility of a collection', async () => {
    for (const place of places)
      for (const body of [{ slug: place }, { public: place === 'public' }])
        expect([place, body, await row(contract.call('updateCollection'), place, { body })]).toEqual([
          ...[place, body],
          movingOrOpening[place],
        ])
  })

  test.each(Object.entries(ofWithdrawn))('in a collection: %s', async (_, { operations, rows }) => {
    for (const id of operations)
      for (const place of places)
        expect([
          ...[id, place],
          await row(contract.call(id), place, withdrawnInQuery[id] ?? onWithdrawn),
        ]).toEqual([id, place, rows[place]])
  })

  test.each(Object.entries(inAccount))('%s', async (_, { operations, row: expected }) => {
    for (const id of operations) expect([id, await row(contract.call(id), 'absent')]).toEqual([id, expected])
  })
})
