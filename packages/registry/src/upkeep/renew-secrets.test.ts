import { randomUUID } from 'node:crypto'
import { insertWebhook, listWebhooks } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { describe, expect, test } from 'vitest'
import { type Sealing, sealingOf } from '../secrets/sealing.ts'
import { addAccount, openContext } from '../testing/context.ts'
import { renewSecrets } from './renew-secrets.ts'

describe.each(serviceDatabases)('secrets in the database on $name', (database) => {
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
    expect(await renewSecrets(context, both)).toEqual({ kept: 102, lost: [lost] })
    const alone = sealingOf(present)
    const items = await listWebhooks(context.database, accountId, { accountIds: [accountId] })
    for (const { webhook } of items.filter((one) => one.webhook.id !== lost)) {
      expect(alone.open(Buffer.from(webhook.secret), `webhooks:${webhook.id}`)).toBe(`s ${webhook.id}`)
      if (webhook.id === kept[0])
        expect(alone.open(Buffer.from(webhook.formerSecrets!), `webhooks:${webhook.id}`)).toBe('before')
    }
    expect(await renewSecrets(context, alone)).toEqual({ kept: 102, lost: [lost] })
    await context.dispose()
  })
})
