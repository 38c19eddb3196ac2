/** `ulmus webhooks` against a complete server and a real receiver: output and exit codes. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { innerText, type Receiver, startReceiver } from '../../../server/src/testing/receiver.ts'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { type Ended, openPerson, type Person } from '../testing/cli.ts'

describe.each(anyDatabase)('webhooks and a server on $name', ({ settings: open }) => {
  let server: TestServer
  let receiver: Receiver
  let dispose: () => Promise<void>
  let ada: Person
  let eve: Person
  let reader: Person
  let offset = 0

  beforeAll(async () => {
    receiver = await startReceiver()
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    const now = () => new Date(Date.now() + offset)
    server = await serveForTest(settings, { now, outside: { allow: receiver.origin } })
    const { cookie } = await server.signIn('ada')
    ada = openPerson(server.url, await server.keyFor(cookie, 'admin'))
    reader = openPerson(server.url, await server.keyFor(cookie, 'read'))
    eve = openPerson(server.url, await server.keyFor((await server.signIn('eve')).cookie, 'admin'))
    await done(ada, 'collections', 'create', 'ada/birds', '--public')
  })
  afterAll(async () => {
    for (const person of [ada, eve, reader]) person.dispose()
    await server.close()
    await dispose()
    receiver.close()
  })

  async function done(person: Person, ...args: string[]): Promise<Ended> {
    const ended = await person.ulmus('.', ...args)
    expect(ended, ended.said).toMatchObject({ code: 0 })
    return ended
  }
  const jsonOf = async (person: Person, ...args: string[]) =>
    JSON.parse((await done(person, ...args, '--json')).out)
  async function refused(person: Person, args: string[], code: number, said: RegExp) {
    const ended = await person.ulmus('.', 'webhooks', ...args)
    expect(ended.said).toMatch(said)
    expect(ended, ended.said).toMatchObject({ code, out: '' })
  }
  const add = (place: string, ...flags: string[]) =>
    jsonOf(ada, 'webhooks', 'add', place, `${receiver.origin}/hook`, ...flags)

  test('one is made, listed, shown, changed and deleted', async () => {
    const flags = ['--kinds', 'version.created,version.withdrawn', '--bumps', 'major', '--label', 'For CI']
    const made = await done(ada, 'webhooks', 'add', 'ada/birds', `${receiver.origin}/hook`, ...flags)
    expect(made.out).toMatch(/^whsec_[\w+/]{43}=\n$/)
    expect(made.said).toMatch(/Made the webhook (\S+) for ada\/birds\.\nStore the secret.*not shown again/)
    const id = /webhook (\S+) for/.exec(made.said)![1]!
    const row = `${id}\tada/birds\tenabled\t${receiver.origin}/hook\tFor CI\n`
    for (const where of [[], ['ada'], ['ada/birds']])
      expect((await done(ada, 'webhooks', 'list', ...where)).out).toBe(row)
    expect((await done(ada, 'webhooks')).out).toBe(row)
    expect((await jsonOf(ada, 'webhooks', 'list'))[0]).toMatchObject({ id, bumps: ['major'] })

    const shown = (await done(ada, 'webhooks', 'show', id)).out
    expect(shown).toMatch(/^kinds +version\.made, version\.withdrawn$/m)
    expect(shown).not.toContain('whsec_')
    const changed = await done(ada, 'webhooks', 'set', id, '--bumps', 'all', '--label', 'Chat', '--disable')
    expect(changed.out).toMatch(/^label +Chat$[\s\S]*^bumps +all$[\s\S]*^state +disabled$/m)
    expect((await jsonOf(ada, 'webhooks', 'set', id, '--enable')).enabled).toBe(true)
    await refused(ada, ['set', id], 2, /Nothing to change/)
    await refused(ada, ['set', id, '--enable', '--disable'], 2, /exclude each other/)
    await refused(ada, ['set', id, '--kinds', 'version.born'], 2, /version\.made/)

    await refused(eve, ['show', id], 1, /no webhook with this id/)
    await refused(reader, ['show', id], 4, /login --scope admin/)
    expect((await done(ada, 'webhooks', 'remove', id)).said).toBe('The webhook is deleted.\n')
    await refused(ada, ['show', id], 1, /no webhook with this id/)
  })

  test('a key that expires makes none, and the error names the steps', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString()
    const flags = ['--label', 'short', '--scope', 'admin', '--expires', expires]
    const short = openPerson(server.url, (await jsonOf(ada, 'keys', 'create', ...flags)).key)
    for (const [source, page] of [
      ['ada/birds', 'ada/birds/webhooks'],
      ['ada', 'ada/-/webhooks'],
    ]) {
      const { code, said } = await short.ulmus('.', 'webhooks', 'add', source!, `${receiver.origin}/hook`)
      expect([code, said]).toEqual([
        4,
        expect.stringContaining(`*never* as the end of the key, or use ${server.url}/${page}.`),
      ])
      expect(said).toContain('ulmus login --scope admin')
    }
    short.dispose()
  })

  test('an address of an inner network is refused', async () => {
    await refused(ada, ['add', 'ada/birds', 'https://10.0.0.1/'], 6, /inner network/)
    await refused(ada, ['add', 'ada/birds/x', receiver.origin], 2, /is not a reference/)
    expect(await jsonOf(ada, 'webhooks', 'list')).toEqual([])
  })

  test('a test request is sent, and its failure sets the exit code', async () => {
    const { id } = await add('ada')
    const arrived = await done(ada, 'webhooks', 'test', id)
    expect(arrived.out).toMatch(/^Delivered: 204 \(\d+ ms\)\n$/)
    expect(JSON.parse(receiver.received.at(-1)!.body).type).toBe('webhook.test')
    offset += 7_000
    receiver.status = 500
    const failed = await ada.ulmus('.', 'webhooks', 'test', id)
    expect([failed.code, failed.out]).toEqual([
      1,
      expect.stringMatching(/^Not delivered: 500: .*\(\d+ ms\)\n$/),
    ])
    expect(failed.out + failed.said).not.toContain(innerText)
    receiver.status = 204
    await done(ada, 'webhooks', 'remove', id)
  })

  test('a new secret is printed once', async () => {
    const { id, secret } = await add('ada/birds')
    const rotated = await done(ada, 'webhooks', 'rotate', id)
    expect(rotated.out).toMatch(/^whsec_\S+\n$/)
    expect(rotated.out.trim()).not.toBe(secret)
    expect(rotated.said).toMatch(/former secret until \d{4}-.*Store the secret/s)
    await done(ada, 'webhooks', 'remove', id)
  })

  test('deliveries are listed, sent again and replayed', async () => {
    const { id } = await add('ada/birds', '--kinds', 'collection.visibility')
    receiver.status = 500
    await done(ada, 'collections', 'edit', 'ada/birds', '--private')
    await done(ada, 'collections', 'edit', 'ada/birds', '--public')
    const waiting = () => jsonOf(ada, 'webhooks', 'deliveries', id, '--state', 'waiting')
    await expect
      .poll(async () => (await waiting()).filter((one: { status: number }) => one.status === 500).length, {
        timeout: 15_000,
      })
      .toBe(2)
    const listed = await done(ada, 'webhooks', 'deliveries', id)
    expect(listed.out).toMatch(
      /^\d+\t\S+ \S+\tcollection\.visibility\tada\/birds\twaiting\t\d\t\S+ \S+\t\d+ ms\t500: the receiver/,
    )
    expect(await jsonOf(ada, 'webhooks', 'deliveries', id, '--limit', '1')).toHaveLength(1)
    expect((await done(ada, 'webhooks', 'deliveries', id, '--state', 'failed')).out).toBe('')
    const [{ seq }] = await waiting()

    receiver.status = 204
    expect((await done(ada, 'webhooks', 'retry', id, `${seq}`)).said).toMatch(/is sent again/)
    await expect
      .poll(async () => (await jsonOf(ada, 'webhooks', 'deliveries', id, '--state', 'done')).length, {
        timeout: 15_000,
      })
      .toBeGreaterThan(0)
    expect((await done(ada, 'webhooks', 'deliveries', id, '--state', 'delivered')).out).toContain(
      '\tdelivered\t',
    )
    await refused(ada, ['retry', id, '999999'], 1, /no delivery of event 999999/)
    await refused(ada, ['retry', id, 'last'], 2, /not the number of an event/)
    expect((await done(ada, 'webhooks', 'replay', id, '--after', `${seq - 1}`)).said).toBe(
      '1 event is sent again.\n',
    )
    expect(await jsonOf(ada, 'webhooks', 'replay', id, '--after', `${seq}`)).toEqual({
      events: 0,
      next: null,
    })
    await done(ada, 'webhooks', 'set', id, '--disable')
    for (const again of [
      ['retry', id, `${seq}`],
      ['replay', id, '--after', '0'],
    ])
      expect((await done(ada, 'webhooks', ...again)).said).toMatch(/sent again when the webhook is enabled\./)
    await refused(ada, ['replay', id], 2, /after/)
  })
})
