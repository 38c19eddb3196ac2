/** What is hidden and what is not there: the same statements are made for both, whatever route names it. http-api §1. */
import { setTimeout as wait } from 'node:timers/promises'
import { databases } from '@ulmus/storage/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asker, ndjson } from './testing/asker.ts'
import { type Stage, setStage } from './testing/stage.ts'

const json = { 'content-type': 'application/json' }
const hash = `sha256:${'a'.repeat(64)}`
const id = '01890000-0000-7000-8000-000000000000'

/** Every route that names a collection, in a form that it takes. */
const routes: readonly [method: string, rest: string, body?: string, headers?: Record<string, string>][] = [
  ['GET', ''],
  ['PATCH', '', '{"name":"n"}', json],
  ['DELETE', ''],
  ['PATCH', '/metadata', '{"a":1}', json],
  ['GET', `/metadata/jobs/${id}`],
  ['POST', '/fork', '{"targetOrg":"eves"}', json],
  ['GET', '/versions'],
  ['GET', '/versions/latest'],
  ['GET', '/versions/v1.0.0'],
  ['GET', '/versions/latest/records'],
  ['GET', '/versions/latest/records/A/1'],
  ['GET', '/versions/latest/records.ndjson'],
  ['GET', '/versions/latest/manifest'],
  ['GET', '/versions/latest/diff?from=v1.0.0'],
  ['GET', '/versions/latest/files'],
  ['GET', '/export'],
  ['GET', '/records/A/1/history'],
  ['GET', `/files/${hash}`],
  ['PUT', `/files/${hash}`, 'x', { 'content-type': 'text/plain' }],
  ['POST', '/pushes', '{"base_version":null}', json],
  ['GET', `/pushes/${id}`],
  ['DELETE', `/pushes/${id}`],
  ['POST', `/pushes/${id}/records`, '{}', ndjson],
  ['POST', `/pushes/${id}/deletes`, '{}', ndjson],
  ['POST', `/pushes/${id}/commit`],
]

describe('on a server', () => {
  let stage: Stage
  let stranger: Asker
  let restore: () => void
  const made: string[] = []

  beforeAll(async () => {
    stage = await setStage(databases.find(({ name }) => name === 'server')!)
    await stage.ada.post('/accounts/ada/collections', { slug: 'hidden', public: false })
    await stage.push('/collections/ada/hidden', {
      opening: { schemas: { A: {} } },
      puts: [{ id: '1', type: 'A', data: {} }],
    })
    // It also had another slug, which leads to it for those who may see it.
    await stage.ada.post('/accounts/ada/collections', { slug: 'former', public: false })
    await stage.ada.ask('PATCH', '/collections/ada/former', { body: '{"slug":"renamed"}', headers: json })
    const eves = await stage.server.signIn('eve')
    stranger = stage.eve
    expect(eves.account.slug).toBe('eve')
    // Listens to what is sent; nothing is changed.
    const { query } = pg.Client.prototype
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [asked] = args as [string | { text?: string }]
      made.push(typeof asked === 'string' ? asked : (asked.text ?? 'unnamed'))
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

  /** Of background jobs, which look for work by its status, and of the last use of keys. */
  const isAside = (text: string): boolean =>
    /pgboss|last_used|advisory|^listen|discard|prepare|^begin|^commit|"status" = \$1/i.test(text)

  /** Asks for both, again when a background job came between: that does not come every time, a difference between the two does. */
  async function compared(who: Asker, path: string, route: (typeof routes)[number]) {
    for (let tries = 1; ; tries++) {
      const hidden = await statementsOf(who, '/collections/ada/hidden', route)
      const other = await statementsOf(who, path, route)
      if (tries === 5 || JSON.stringify(hidden) === JSON.stringify(other)) return { hidden, other }
    }
  }

  async function statementsOf(
    who: Asker,
    path: string,
    [method, rest, body, headers]: (typeof routes)[number],
  ) {
    made.length = 0
    const answer = await who.ask(method, `${path}${rest}`, {
      ...(body && { body }),
      ...(headers && { headers }),
    })
    await wait(5)
    const of = path.split('/').at(-1)!
    const owner = path.split('/').at(-2)!
    return {
      answer: [answer.status, answer.text.replaceAll(owner, 'OWNER').replaceAll(of, 'SLUG')],
      statements: made.filter((text) => !isAside(text)).sort(),
    }
  }

  test.each([
    ['nobody', () => stage.anyone],
    ['a stranger with a key', () => stranger],
  ])(
    'asked by %s',
    async (_, asker) => {
      let asked = 0
      for (const route of routes) {
        for (const path of [
          '/collections/ada/absent',
          '/collections/nobody-at-all/absent',
          '/collections/ada/former',
          '/collections/ada/renamed',
        ]) {
          const { hidden, other } = await compared(asker(), path, route)
          asked += hidden.statements.length
          expect([route[0], route[1], path, other]).toEqual([route[0], route[1], path, hidden])
        }
      }
      expect(asked).toBeGreaterThan(routes.length)
    },
    60_000,
  )
})
