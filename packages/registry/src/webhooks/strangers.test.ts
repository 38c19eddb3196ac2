/** A stranger's webhooks hear exactly what anyone sees in the list of events, whatever happens to public and private collections. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { numberEvents } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectionsOf } from '../collections/collections.ts'
import { type Events, eventsOf } from '../events/events.ts'
import { readAllowed } from '../outside/addresses.ts'
import { anonymous, type Caller } from '../principal.ts'
import { addAccount, callerOf, openContext, type TestContext } from '../testing/context.ts'
import { type Webhooks, webhooksOf } from './webhooks.ts'

const acts = [
  'public version',
  'private version',
  'publish',
  'hide',
  'rename',
  'give away',
  'delete',
] as const

describe.each(serviceDatabases)('webhooks of strangers on $name', (database) => {
  let context: TestContext
  let webhooks: Webhooks
  let events: Events
  let receiver: Server
  let url: string
  let heard: string[] = []
  let eve: Caller
  const owners: Caller[] = []

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      const { type, data } = JSON.parse(await text(request))
      heard.push(
        JSON.stringify([type.replace('created', 'made'), data.collection, data.semver, data.formerly]),
      )
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    context = await openContext(database, { outside: { allowed: readAllowed(url) } })
    webhooks = webhooksOf(context)
    events = eventsOf(context, () => 100)
    for (const name of ['ada', 'bea']) owners.push(callerOf(await addAccount(context, name)))
    eve = callerOf(await addAccount(context, 'eve'))
  })
  afterAll(async () => {
    webhooks.close()
    events.close()
    receiver.close()
    await context.dispose()
  })

  const query = (statement: string, values: unknown[]) => context.database.query(statement, values)
  async function act(what: (typeof acts)[number], id: string): Promise<void> {
    const version = `insert into outbox (at, kind, collection_id, account_id, name, public, details)
      select now(), 'version.made', c.id, c.owner_id, a.slug || '/' || c.slug, c.public and $2, $3::jsonb
      from collections c join accounts a on a.id = c.owner_id where c.id = $1`
    const details = JSON.stringify({ semver: `v1.0.${Math.floor(Math.random() * 1e9)}`, bump: 'patch' })
    const set = (change: string, ...values: unknown[]) =>
      query(`update collections set ${change} where id = $1`, [id, ...values])
    if (what === 'public version') await query(version, [id, true, details])
    if (what === 'private version') await query(version, [id, false, details])
    if (what === 'publish') await set('public = true')
    if (what === 'hide') await set('public = false')
    if (what === 'rename') await set('slug = $2', `s-${randomUUID()}`)
    if (what === 'give away')
      await set(
        'owner_id = case when owner_id = $2 then $3::uuid else $2::uuid end',
        ...owners.map((o) => o.accountId),
      )
    if (what === 'delete') await query('delete from collections where id = $1', [id])
  }

  test('hear what anyone sees, and nothing else', { timeout: 120_000 }, async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...acts), fc.nat(1), fc.boolean()), { maxLength: 12 })
    const isPublic = fc.tuple(fc.boolean(), fc.boolean())
    await fc.assert(
      fc.asyncProperty(isPublic, steps, async (visible, taken) => {
        const ids: string[] = []
        for (const shown of visible) {
          const slug = `s-${randomUUID()}`
          const made = await collectionsOf(context).create(owners[0]!, 'ada', { slug, public: true })
          await webhooks.create(eve, { collection: { owner: 'ada', slug } }, { url })
          if (!shown) await act('hide', made.id)
          ids.push(made.id)
        }
        await context.database.transact((tx) => numberEvents(tx, 1_000))
        await webhooks.sendAll()
        heard = []
        let { next: after } = await events.list(anonymous, { after: 'latest' })
        // The place of an outsider does not move with private things, so begin at the end.
        const { rows } = await query('select next from event_numbers', [])
        after = Math.max(after, Number(rows[0]!['next']) - 1)
        for (const [what, which, isSent] of taken) {
          await act(what, ids[which]!)
          if (!isSent) continue
          await context.database.transact((tx) => numberEvents(tx, 1_000))
          // Strangers' requests are limited by the minute.
          await query('delete from webhook_requests', [])
          const seen = await events.list(anonymous, { after })
          await webhooks.sendAll()
          const shown = seen.events.map(({ kind, collection, semver, formerly }) =>
            JSON.stringify([kind, collection, semver, formerly]),
          )
          expect(heard.toSorted()).toEqual(shown.toSorted())
          heard = []
          after = Math.max(
            after,
            Number((await query('select next from event_numbers', [])).rows[0]!['next']) - 1,
          )
        }
        await query('delete from webhooks', [])
      }),
      { numRuns: database.name === 'embedded' ? 15 : 40, endOnFailure: true },
    )
  })
})
