import { randomUUID } from 'node:crypto'
import { countSealedMails, insertMail, insertWebhook, listWebhooks } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { describe, expect, test } from 'vitest'
import { type Sealing, sealingOf } from '../secrets/sealing.ts'
import { addAccount, openContext } from '../testing/context.ts'
import { renewSecrets } from './renew-secrets.ts'

describe.each(databases)('secrets in the database on $name', (database) => {
  test('are encrypted with the present key, so that the former one can go; lost ones are named', async () => {
    const context = await openContext(database)
    const [former, present, strange] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [
      Buffer,
      Buffer,
      Buffer,
    ]
    const { id: accountId } = await addAccount(context, 'ada')
    const add = async (sealing: Sealing, formerSecret?: string) => {
      const id = randomUUID()
      const row = {
        ...{ id, accountId, collectionId: null, url: 'https://x.example/', host: 'x.example', label: '' },
        ...{ kinds: [], bumps: [], enabled: true, disabledWhy: null, failingSince: null, madeBy: accountId },
        ...{ createdAt: new Date(), testedAt: null, proven: false, hearsAfter: 0 },
        secret: sealing.seal(`s ${id}`, `webhooks:${id}`),
        formerSecrets: formerSecret === undefined ? null : sealing.seal(formerSecret, `webhooks:${id}`),
      }
      await context.database.transact((tx) => insertWebhook(tx, row))
      return id
    }
    const kept: string[] = []
    for (let n = 0; n < 101; n++) kept.push(await add(sealingOf(former), n === 0 ? 'before' : undefined))
    const lost = await add(sealingOf(strange))
    kept.push(await add(sealingOf(present)))
    const both = sealingOf(present, former)
    const report = { kept: { webhooks: 102, mails: 0 }, lost: { webhooks: [lost], mails: [] } }
    expect(await renewSecrets(context, both)).toEqual(report)
    const alone = sealingOf(present)
    const items = await listWebhooks(context.database, accountId, { accountIds: [accountId] })
    for (const { webhook } of items.filter((one) => one.webhook.id !== lost)) {
      expect(alone.open(Buffer.from(webhook.secret), `webhooks:${webhook.id}`)).toBe(`s ${webhook.id}`)
      if (webhook.id === kept[0])
        expect(alone.open(Buffer.from(webhook.formerSecrets!), `webhooks:${webhook.id}`)).toBe('before')
    }
    expect(await renewSecrets(context, alone)).toEqual(report)
    await context.dispose()
  })
  test('links in mails that wait or failed are, too; those of mails without their invitation are not needed', async () => {
    const context = await openContext(database)
    const [former, present, strange] = [1, 2, 3].map((byte) => sealingOf(Buffer.alloc(32, byte))) as Sealing[]
    const { id: orgId } = await addAccount(context, 'ada')
    const add = async (sealing: Sealing, state: 'waiting' | 'failed', isInvited = true) => {
      const [id, invitationId] = [randomUUID(), isInvited ? randomUUID() : null]
      await context.database.transact(async (tx) => {
        if (invitationId !== null)
          await tx.query(
            `insert into invitations (id, org_id, email, role, token_hash, invited_by, created_at, expires_at)
             values ($1, $2, 'guest@example.org', 'member', $3, $2, now(), now() + interval '7 days')`,
            [invitationId, orgId, invitationId],
          )
        await insertMail(tx, {
          ...{ id, kind: 'invitation', invitationId, madeBy: orgId, recipient: id, state },
          ...{ createdAt: new Date(), nextAt: new Date(), token: sealing.seal(`t ${id}`, `mails:${id}`) },
        })
      })
      return id
    }
    const kept = [await add(former!, 'waiting'), await add(former!, 'failed'), await add(present!, 'waiting')]
    const lost = await add(strange!, 'waiting')
    await add(strange!, 'failed', false)
    expect(await countSealedMails(context.database)).toBe(4)
    const both = sealingOf(Buffer.alloc(32, 2), Buffer.alloc(32, 1))
    const report = {
      kept: { webhooks: 0, mails: 3 },
      lost: { webhooks: [], mails: [{ id: lost, organization: 'ada' }] },
    }
    expect(await renewSecrets(context, both)).toEqual(report)
    const { rows } = await context.database.query<{ id: string; token: Uint8Array }>(
      'select id, token from mails where id = any($1::uuid[])',
      [kept],
    )
    expect(rows).toHaveLength(kept.length)
    for (const { id, token } of rows) expect(present!.open(Buffer.from(token), `mails:${id}`)).toBe(`t ${id}`)
    expect(await renewSecrets(context, present!)).toEqual(report)
    await context.dispose()
  })
})
