/** The permission matrix: every operation of the API × every kind of caller × what there is, against the table beside this file. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { devIssuer } from '../sign-in/dev-provider.ts'
import { type Asker, askerOf } from '../testing/asker.ts'
import {
  type Contract,
  contractOf,
  type DescribedCall,
  type Instead,
  requestOf,
} from '../testing/contract.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { callers, inAccount, inCollection, type Place, places, without } from './permissions.table.ts'

/** How a refusal stands in the table; whatever is answered otherwise is let in, `+`. */
const words: Readonly<Record<string, string>> = {
  unauthenticated: '401',
  insufficient_scope: 'scope',
  key_limited: 'limit',
  not_a_member: 'member',
  insufficient_role: 'role',
  collection_not_found: '404',
  account_suspended: 'susp',
  not_an_operator: 'oper',
  private_content: 'priv',
}

/** Bodies and parameters that do nothing, or nothing that a later cell depends on, when they are let in. */
const harmless: Readonly<Record<string, Instead>> = {
  updateAccount: { body: { displayName: 'Guild' } },
  createInvitation: { body: { user: 'grace', role: 'member' } },
  operateAccount: { path: { slug: 'guild' } },
  eraseAccount: { path: { slug: 'guild' } },
  updateCollection: { body: {} },
  transferCollection: { body: { to: 'guild' } },
  forkCollection: { body: { targetOrg: 'guild', slug: 'taken' } },
  withdrawVersion: { path: { v: 'v9.9.9' } },
  deprecateVersion: { path: { v: 'v9.9.9' } },
}

describe.each(anyDatabase)('who may do what, on $name', (database) => {
  let server: TestServer
  let contract: Contract
  let owner: Asker
  let dispose: () => Promise<void>
  const people = new Map<string, Asker>()
  /** Keys that are limited to a collection. */
  const limited = new Map<Place, Asker>()
  let limitedKey: (collectionId: string) => Promise<Asker>

  beforeAll(async () => {
    const { settings, dispose: drop } = await database.settings()
    server = await serveForTest(settings, { operators: [{ issuer: devIssuer, subject: 'oper' }] })
    dispose = drop
    contract = contractOf((await askerOf(server.url).get('/openapi.json')).json)
    const cookies = new Map<string, string>()
    for (const name of ['own', 'adm', 'mem', 'str', 'sus', 'oper', 'grace'])
      cookies.set(name, (await server.signIn(name)).cookie)
    const key = async (name: string, scope: 'read' | 'write' | 'admin', more = {}) =>
      askerOf(server.url, await server.keyFor(cookies.get(name)!, scope, more), '')
    people.set('nobody', askerOf(server.url, undefined, ''))
    for (const name of ['own', 'adm', 'mem', 'str', 'oper']) {
      people.set(name, askerOf(server.url, { cookie: cookies.get(name)! }, ''))
      for (const scope of ['read', 'write', 'admin'] as const)
        people.set(`${name}-${scope}`, await key(name, scope))
    }
    people.set('bad', askerOf(server.url, `ul_${'x'.repeat(48)}`, ''))
    people.set('sus', await key('sus', 'admin'))
    owner = people.get('own-admin')!
    await send('POST', '/api/accounts', { slug: 'guild', displayName: 'Guild' })
    for (const [user, role] of [
      ['adm', 'admin'],
      ['mem', 'member'],
    ] as const)
      await send('PUT', `/api/accounts/guild/members/${user}`, { role })
    await make('taken', false)
    limitedKey = (collectionId) => key('own', 'write', { collectionId })
    await renew()
    await people.get('oper')!.ask('PATCH', '/api/admin/accounts/sus', jsonOf({ suspended: true }))
  }, 60_000)
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  const jsonOf = (body: unknown) => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  async function send(method: string, path: string, body: unknown) {
    const answer = await owner.ask(method, path, jsonOf(body))
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.json
  }
  const make = async (slug: string, isPublic: boolean): Promise<string> =>
    (await send('POST', '/api/accounts/guild/collections', { slug, public: isPublic })).id

  /** The two collections, where they are not there any more, and the keys that went with them. */
  async function renew(): Promise<void> {
    for (const place of ['public', 'private'] as const) {
      const id = await make(place, place === 'public').catch(() => undefined)
      if (id !== undefined) limited.set(place, await limitedKey(id))
    }
  }

  const askerAs = (caller: string, place: Place): Asker => {
    const other = place === 'private' ? 'public' : 'private'
    if (caller === 'here') return limited.get(place) ?? limited.get('private')!
    return caller === 'there' ? limited.get(other)! : people.get(caller)!
  }
  const isInCollection = ({ path }: DescribedCall) => path.includes('/collections/{owner}/{slug}')
  const idOf = ({ operation }: DescribedCall) => operation.operationId

  async function cell(call: DescribedCall, caller: string, place: Place) {
    const at: Record<string, string> = isInCollection(call)
      ? { owner: 'guild', slug: place }
      : { owner: 'guild', slug: 'guild', user: 'grace' }
    const instead = harmless[idOf(call)] ?? {}
    const { path, ask } = requestOf(call, { ...instead, path: { ...at, ...instead.path } })
    const answer = await askerAs(caller, place).ask(call.method, path, ask)
    expect(answer.status, `${caller}: ${call.method} ${path}: ${answer.text}`).toBeLessThan(500)
    const code = answer.status < 400 ? undefined : answer.json?.code
    return { word: words[code] ?? '+', text: answer.text, status: answer.status }
  }

  /** A row as the table has it. */
  async function row(call: DescribedCall, place: Place): Promise<string> {
    const found = new Map<string, string>()
    for (const caller of callers) {
      if (idOf(call) === 'deleteCollection') await renew()
      found.set(caller, (await cell(call, caller, place)).word)
    }
    return callers
      .map((caller) => found.get(caller)!.padEnd(6))
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
  })

  test('what is hidden is answered as what is not there', async () => {
    for (const call of contract.calls.filter(isInCollection))
      for (const caller of ['nobody', 'str', 'str-read', 'str-write', 'str-admin', 'bad', 'sus', 'oper']) {
        const [hidden, absent] = [await cell(call, caller, 'private'), await cell(call, caller, 'absent')]
        const told = ({ status, text }: typeof hidden) => [status, text.replaceAll(/private|absent/g, 'x')]
        expect([idOf(call), caller, ...told(hidden)]).toEqual([idOf(call), caller, ...told(absent)])
      }
  })

  test.each(Object.entries(inCollection))('in a collection: %s', async (_, { operations, rows }) => {
    for (const id of operations)
      for (const place of places)
        expect([id, place, await row(contract.call(id), place)]).toEqual([id, place, rows[place]])
  })

  test.each(Object.entries(inAccount))('%s', async (_, { operations, row: expected }) => {
    for (const id of operations) expect([id, await row(contract.call(id), 'absent')]).toEqual([id, expected])
  })
})
