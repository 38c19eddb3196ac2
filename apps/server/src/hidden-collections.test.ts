/** Hidden and absent collections get the same answers, headers and statements from every operation and page. http-api §1. */
import { setTimeout as wait } from 'node:timers/promises'
import { databases } from '@ulmus/storage/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiDocument, contractOf, requestOf } from './testing/contract.ts'
import { currentVersion } from './testing/guild.ts'
import { requestOfPage } from './testing/page-requests.ts'
import { type Stage, setStage } from './testing/stage.ts'
import { comparableParts, type RequestOptions, type TestClient, testClient } from './testing/test-client.ts'
import { inCollection } from './web/permissions.table.ts'

/** A request about a collection, as functions of its name. */
type Ways = readonly [name: string, (at: { owner: string; slug: string }) => Way][]
interface Way {
  readonly method: string
  readonly path: string
  readonly options: RequestOptions
}

/** Valid requests, if the collection existed. The stranger owns `guild`. */
const bodies: Readonly<Record<string, object>> = {
  forkCollection: { targetOrg: 'guild', slug: 'taken' },
  transferCollection: { to: 'guild' },
}

/** Every operation of the API that names a collection, with its examples. */
const operationsOf = (document: ApiDocument): Ways =>
  contractOf(document)
    .calls.filter(({ path }) => path.includes('/collections/{owner}/{slug}'))
    .map((call) => {
      const { operationId } = call.operation
      const body = bodies[operationId]
      const way = (at: { owner: string; slug: string }) => ({
        method: call.method,
        ...requestOf(call, { path: at, ...(body && { body }) }),
      })
      return [operationId, way]
    })

/** Every page that names a collection, and its forms. */
const pages: Ways = Object.values(inCollection)
  .flatMap(({ asked }) => asked)
  .map((entry) => [
    entry,
    ({ owner, slug }) => requestOfPage(entry, { owner, place: slug, version: currentVersion, home: 'ada' }),
  ])

describe('on a server', () => {
  let stage: Stage
  let operations: Ways
  const strangers = new Map<string, TestClient>()
  let restore: () => void
  const made: string[] = []

  beforeAll(async () => {
    stage = await setStage(databases.find(({ name }) => name === 'server')!)
    await stage.ada.post('/accounts/ada/collections', { slug: 'hidden', public: false })
    await stage.push('/collections/ada/hidden', {
      opening: { schemas: { A: {} } },
      puts: [{ id: '1', type: 'A', data: {} }],
    })
    // A former slug, which redirects callers who may see the collection.
    await stage.ada.post('/accounts/ada/collections', { slug: 'former', public: false })
    await stage.ada.patch('/collections/ada/former', { slug: 'renamed' })
    await stage.ada.post('/accounts/ada/collections', { slug: 'public', public: true })
    await stage.push('/collections/ada/public', { opening: { schemas: { A: {} } } })
    const { url } = stage.server
    const { cookie } = await stage.server.signIn('eve')
    strangers.set('anon', testClient(url, undefined, ''))
    strangers.set('a stranger', testClient(url, { cookie }, ''))
    strangers.set('her key', testClient(url, await stage.server.keyFor(cookie, 'admin'), ''))
    await strangers.get('a stranger')!.post('/api/accounts', { slug: 'guild', displayName: 'Guild' })
    operations = operationsOf((await stage.anyone.get('/openapi.json')).json)
    // The log is written meanwhile.
    await stage.ada.get('/collections/ada/public/versions/latest/log')
    // Records statements without changing them.
    const { query } = pg.Client.prototype
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [statement] = args as [string | { text?: string }]
      made.push(typeof statement === 'string' ? statement : (statement.text ?? 'unnamed'))
      return Reflect.apply(query, this, args)
    } as typeof query
    restore = () => {
      pg.Client.prototype.query = query
    }
  })
  afterAll(async () => {
    restore()
    await stage.end()
  })

  /** Statements of background jobs and of the last use of keys. */
  const isAside = (text: string): boolean =>
    /log_queue|update log_state|last_used|advisory|^listen|discard|prepare|^begin|^commit|"status" = \$1/i.test(
      text,
    )

  /** Compares both answers. Repeats this after a difference, and waits before: background tasks of a second come close together. */
  async function compared(who: TestClient, path: string, way: Ways[number][1]) {
    for (let tries = 1; ; tries++) {
      const hidden = await responseTo(who, 'ada/hidden', way)
      const other = await responseTo(who, path, way)
      if (tries === 10 || JSON.stringify(hidden) === JSON.stringify(other)) return { hidden, other }
      await wait(30 * tries)
    }
  }

  /** An answer with headers, and the SQL statements for it. */
  async function responseTo(who: TestClient, name: string, way: Ways[number][1]) {
    const [owner, slug] = name.split('/') as [string, string]
    const { method, path, options } = way({ owner, slug })
    made.length = 0
    const answer = await who.request(method, path, options)
    await wait(5)
    return { ...comparableParts(answer, name), statements: made.filter((text) => !isAside(text)).sort() }
  }

  test.each([
    ['an operation', 'anon', () => operations],
    ['an operation', 'her key', () => operations],
    ['a page', 'anon', () => pages],
    ['a page', 'a stranger', () => pages],
  ])('%s, asked for by %s', async (_, caller, ways) => {
    let statements = 0
    for (const [name, way] of ways())
      for (const path of ['ada/absent', 'missing/absent', 'ada/former', 'ada/renamed']) {
        const { hidden, other } = await compared(strangers.get(caller)!, path, way)
        statements += hidden.statements.length
        expect([name, path, other]).toEqual([name, path, hidden])
      }
    expect(statements).toBeGreaterThan(ways().length)
  })
})
