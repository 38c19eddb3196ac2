/** Mails about invitations, expiring keys and reports, sent to a real SMTP server: once at most, and only to readers who want them. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { databases } from '@ulmus/storage/testing'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountsOf } from '../accounts/accounts.ts'
import { invitationsOf } from '../accounts/invitations.ts'
import { keysOf } from '../accounts/keys.ts'
import { collectionsOf } from '../collections/collections.ts'
import { failedJobs, retryJob } from '../operators/failed-jobs.ts'
import { reportsOf } from '../operators/reports.ts'
import { actingAccount, anonymous, type Caller } from '../principal.ts'
import type { MailConfig } from '../smtp/transport.ts'
import { manualJobs, openContext, type TestContext } from '../testing/context.ts'
import { dailyMax, noticeKeys, scheduleMails } from './mails.ts'

interface Received {
  readonly to: readonly string[]
  readonly user: string
  readonly secure: boolean
  readonly text: string
}

/** An SMTP server on a free port. */
async function startSmtp(options: SMTPServerOptions = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=')
        received.push({ to, user: String(session.user ?? ''), secure: session.secure, text })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return { received, port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
type Smtp = Awaited<ReturnType<typeof startSmtp>>

describe.each(databases)('mails on $name', (database) => {
  let context: TestContext
  let smtp: Smtp
  let time = Date.parse('2026-01-15T10:00:00.000Z')
  const { jobs, run, settled } = manualJobs()
  const config = {
    url: '',
    from: 'registry@example.org',
    siteName: 'Data\r\nBcc: x@evil.example',
    isLocal: true,
  }
  const mail: { -readonly [Name in keyof MailConfig]: MailConfig[Name] } = {
    ...config,
    contact: 'mailto:help@example.org',
  }
  const at = (server: { port: number }, login = '') => `smtp://${login}127.0.0.1:${server.port}`

  beforeAll(async () => {
    context = await openContext(database, { now: () => new Date(time), mail })
    scheduleMails({ ...context, jobs })
    smtp = await startSmtp()
  })
  beforeEach(() => {
    mail.url = at(smtp)
    mail.isLocal = true
    smtp.received.length = 0
    context.log.warnings.length = 0
    context.log.infos.length = 0
    time += 3 * 86_400_000
  })
  afterAll(async () => {
    await smtp.close()
    await context.dispose()
  })

  let users = 0
  const user = async (verified: boolean | null = true): Promise<Caller> => {
    const name = `user-${++users}`
    const { id, slug } = await accountsOf(context).signIn({
      ...{ issuer: 'https://login.example', subject: name, preferredUsername: name, name },
      ...{ email: `${name}@example.org`, ...(verified !== null && { emailVerified: verified }) },
    })
    return { ...actingAccount(id), accountSlug: slug }
  }
  const org = async (owner: Caller): Promise<string> => {
    const slug = `org-${++users}`
    await accountsOf(context).createOrg(owner, { slug, displayName: 'Cheap pills' })
    return slug
  }
  const invite = (who: Caller, slug: string, to: { user: string } | { email: string }) =>
    invitationsOf(context).create(who, slug, { ...to, role: 'member' })
  /** Sends due mails. */
  const send = async () => {
    await run('mails')
    await settled()
  }
  const later = (seconds: number) => {
    time += seconds * 1_000
  }
  const rows = async () =>
    (
      await context.database.query<{ state: string; attempts: number; error: string | null; token: unknown }>(
        'select state, attempts, error, token from mails order by created_at desc, id desc',
      )
    ).rows
  const newest = async () => (await rows())[0]!

  test('an invited user gets slugs alone, in one mail', async () => {
    const [owner, reader] = [await user(), await user()]
    const slug = await org(owner)
    const { id, mailed } = await invite(owner, slug, { user: reader.accountSlug })
    expect(mailed).toBe(true)
    await send()
    await send()
    expect(smtp.received.map(({ to }) => to)).toEqual([[`${reader.accountSlug}@example.org`]])
    const [head = '', body = ''] = smtp.received[0]!.text.split('\r\n\r\n')
    expect(head).toMatch(/^From: ("?)Data Bcc: x@evil\.example\1 <registry@example\.org>$/m)
    expect(head).not.toMatch(/^Bcc/m)
    expect(head).toMatch(new RegExp(`^Subject: Invitation to ${slug} on Data`, 'm'))
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m)
    expect(head).toMatch(/^Content-Type: text\/plain/m)
    expect(smtp.received[0]!.text).not.toContain('Cheap pills')
    expect(smtp.received[0]!.text).toContain(`https://registry.example/invitations/${id}`)
    expect(smtp.received[0]!.text).toContain('Contact: help@example.org')
    expect(body).not.toBe('')
    expect(await newest()).toMatchObject({ state: 'done', attempts: 1, error: null })
  })

  test('an address gets the link, which is stored encrypted until it is sent', async () => {
    const owner = await user()
    const { token } = await invite(owner, await org(owner), { email: 'Guest@example.org' })
    expect(JSON.stringify(await newest())).not.toContain(Buffer.from(token).toString('base64'))
    await send()
    expect(smtp.received.map(({ to }) => to)).toEqual([['Guest@example.org']])
    expect(smtp.received[0]!.text).toContain(`/invitations/${token}`)
    expect(smtp.received[0]!.text).not.toContain('/settings')
    expect((await newest()).token).toBeNull()
  })

  test('operators get a mail about a report, without its words, and at most 50 a day', async () => {
    const owner = await user()
    const report = async (slug: string) => {
      const path = { owner: owner.accountSlug, slug }
      await collectionsOf(context).create(owner, path.owner, { slug, public: true })
      await reportsOf(context).make(anonymous, path, { reason: 'spam', text: 'Buy cheap pills' })
      return path
    }
    const { owner: slug } = await report('reported')
    await send()
    expect(smtp.received.map(({ to }) => to)).toEqual([['help@example.org']])
    const { text } = smtp.received[0]!
    expect(text).toContain(`${slug}/reported (spam)`)
    expect(text).toContain('https://registry.example/admin#reports')
    expect(text).not.toMatch(/pills|settings/)
    await report('closed')
    await context.database.query("update reports set closed_at = $1, outcome = 'dismissed', network = null", [
      new Date(time),
    ])
    await send()
    expect([smtp.received.length, (await newest()).state]).toEqual([1, 'done'])
    // `CONTACT` may be a page.
    const count = async () =>
      (await context.database.query("select from mails where kind = 'report'")).rows.length
    mail.contact = 'https://example.org/contact'
    await report('unmailed')
    mail.contact = 'mailto:help@example.org'
    expect(await count()).toBe(2)
    for (let n = 0; n < dailyMax.reports; n++) await report(`many-${n}`)
    expect(await count()).toBe(dailyMax.reports)
    await context.database.query('delete from mails')
  })

  test('nothing is sent to an unconfirmed address, to readers without mail, or about what is gone', async () => {
    const owner = await user()
    const slug = await org(owner)
    for (const verified of [false, null]) {
      const stranger = await user(verified)
      await invite(owner, slug, { user: stranger.accountSlug })
    }
    const silent = await user()
    await accountsOf(context).update(silent, silent.accountSlug, { takesMail: false })
    await invite(owner, slug, { user: silent.accountSlug })
    await invite(owner, slug, { email: `${silent.accountSlug.toUpperCase()}@example.org` })
    const { id } = await invite(owner, slug, { email: 'gone@example.org' })
    await invitationsOf(context).remove(owner, slug, id)
    await send()
    await send()
    await send()
    expect(smtp.received).toEqual([])
    expect((await rows()).filter(({ state }) => state === 'waiting')).toEqual([])
  })

  test('the identity provider confirms an address at each sign-in; organizations take no mail', async () => {
    const accounts = accountsOf(context)
    const reader = await user()
    const own = async () => (await accounts.own(reader)).emailVerified
    const name = reader.accountSlug
    const again = (email: string | null, emailVerified?: boolean) =>
      accounts.signIn({
        ...{ issuer: 'https://login.example', subject: name, preferredUsername: name, name, email },
        ...(emailVerified !== undefined && { emailVerified }),
      })
    expect(await own()).toBe(true)
    await again(null)
    expect(await own()).toBe(true)
    await again(`new-${name}@example.org`)
    expect(await own()).toBe(false)
    await again(`new-${name}@example.org`, true)
    expect(await own()).toBe(true)
    await again(`${'x'.repeat(400)}@example.org`, true)
    expect(await own()).toBe(false)
    const refused = accounts.update(reader, await org(reader), { takesMail: false })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('a key that expires in seven days gets one mail; one of a week gets none', async () => {
    const owner = await user()
    const keys = keysOf(context)
    const inDays = (days: number) => new Date(time + days * 86_400_000).toISOString()
    await keys.create(owner, { label: 'nightly\u2028push', scope: 'read', expiresAt: inDays(20) })
    await keys.create(owner, { label: 'short', scope: 'read', expiresAt: inDays(6) })
    expect(await noticeKeys(context)).toBe(0)
    later(13 * 86_400 + 60)
    expect(await noticeKeys(context)).toBe(1)
    expect(await noticeKeys(context)).toBe(0)
    await send()
    expect(smtp.received).toHaveLength(1)
    expect(smtp.received[0]!.text).toMatch(
      /Your API key "nightly push" \(ul_.{6}…|=E2=80=A6\) expires on 2026/,
    )
  })

  test('waits while the server is away, and for one that refuses for now', async () => {
    const owner = await user()
    const away = await startSmtp()
    await away.close()
    mail.url = at(away)
    await invite(owner, await org(owner), { email: 'patient@example.org' })
    await send()
    expect(await newest()).toMatchObject({
      state: 'waiting',
      attempts: 1,
      error: expect.stringContaining('ECONNREFUSED'),
    })
    await send()
    expect((await newest()).attempts).toBe(1)
    const busy = await startSmtp({
      onRcptTo: (_, __, done) => done(Object.assign(new Error('later'), { responseCode: 451 })),
    })
    mail.url = at(busy)
    later(61)
    await send()
    expect(await newest()).toMatchObject({
      state: 'waiting',
      attempts: 2,
      error: expect.stringContaining('451'),
    })
    await busy.close()
    mail.url = at(smtp)
    later(301)
    await send()
    expect([smtp.received.length, (await newest()).state]).toEqual([1, 'done'])
  })

  test('a server that does not speak TLS at once is named, without the trace of OpenSSL', async () => {
    const owner = await user()
    mail.url = at(smtp).replace('smtp:', 'smtps:')
    await invite(owner, await org(owner), { email: 'plain@example.org' })
    await send()
    expect((await newest()).error).toBe('it does not speak TLS at once: use smtp://')
    mail.url = at(smtp)
    later(61)
    await send()
    expect((await newest()).state).toBe('done')
  })

  test('operators see an outage at once, in the log and in the list, and end the wait', async () => {
    const owner = await user()
    const slug = await org(owner)
    const logged = () => {
      const { warnings, infos } = context.log
      return [...warnings, ...infos].map(({ line }) => line).filter((line) => /mail server/.test(line))
    }
    const away = await startSmtp()
    await away.close()
    mail.url = at(away)
    for (const name of ['first', 'second']) {
      await invite(owner, slug, { email: `${name}@example.org` })
      await send()
      later(1)
    }
    const outage = expect.stringMatching(/^The mail server takes no mail: .*ECONNREFUSED/)
    expect(logged()).toEqual([outage])
    const waiting = (await failedJobs(context, 'none')).mails.slice(0, 2)
    for (const one of waiting)
      expect(one).toMatchObject({ attempts: 1, error: expect.stringContaining('ECONNREFUSED') })
    expect(waiting[1]!.nextAt).toEqual(new Date(time - 2_000 + 60_000))
    mail.url = at(smtp)
    for (const { id } of waiting) {
      expect(await retryJob(context, owner, 'none', { queue: 'mail', id })).toBe(true)
      await send()
    }
    expect(smtp.received).toHaveLength(2)
    expect(logged()).toEqual([
      outage,
      expect.stringMatching(/^The mail server takes mail again, after \d+ s\./),
    ])
    expect((await failedJobs(context, 'none')).mails.map(({ id }) => id)).not.toContain(waiting[0]!.id)
  })

  test('a sender that the server refuses is an outage, a reader that it refuses for now is none', async () => {
    const owner = await user()
    const refused = Object.assign(new Error('no'), { responseCode: 550 })
    const strict = await startSmtp({ onMailFrom: (_, __, done) => done(refused) })
    const busy = await startSmtp({
      onRcptTo: (_, __, done) => done(Object.assign(new Error('later'), { responseCode: 451 })),
    })
    mail.url = at(busy)
    await invite(owner, await org(owner), { email: 'patient@example.org' })
    await send()
    expect([(await newest()).attempts, context.log.warnings]).toEqual([1, []])
    mail.url = at(strict)
    later(61)
    await send()
    expect(context.log.warnings.map(({ line }) => line)).toEqual([
      expect.stringMatching(/^The mail server takes no mail: .*550/),
    ])
    mail.url = at(smtp)
    await invite(owner, await org(owner), { email: 'next@example.org' })
    await send()
    await Promise.all([strict.close(), busy.close()])
  })

  test('gives up at once on a refused reader, without the address; operators send it again', async () => {
    const owner = await user()
    const refusing = await startSmtp({
      onRcptTo: ({ address }, _, done) =>
        done(Object.assign(new Error(`5.1.1 ${address} is unknown`), { responseCode: 550 })),
    })
    mail.url = at(refusing)
    await invite(owner, await org(owner), { email: 'absent@example.org' })
    await send()
    expect(await newest()).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: expect.stringContaining('550'),
    })
    expect((await newest()).error).not.toContain('absent@')
    expect(context.log.warnings.splice(0)).toEqual([
      { facts: {}, line: expect.stringMatching(/^A mail is not sent: .*550/) },
    ])
    later(86_400)
    await send()
    expect((await newest()).attempts).toBe(1)
    const [failed] = (await failedJobs(context, 'none')).mails
    expect(failed).toMatchObject({ kind: 'invitation', account: null, attempts: 1 })
    await refusing.close()
    mail.url = at(smtp)
    expect(await retryJob(context, owner, 'none', { queue: 'mail', id: failed!.id })).toBe(true)
    await send()
    expect(smtp.received).toHaveLength(1)
  })

  test('a mail that may have arrived is not sent again', async () => {
    const owner = await user()
    const breaking = createServer((socket) => {
      socket.write('220 here\r\n')
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => {
        const text = bytes.toString()
        if (text.startsWith('DATA')) socket.write('354 go on\r\n')
        else if (/^(?:EHLO|MAIL|RCPT)/.test(text)) socket.write('250 yes\r\n')
        else socket.destroy()
      })
    })
    await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve))
    mail.url = at(breaking.address() as AddressInfo)
    await invite(owner, await org(owner), { email: 'perhaps@example.org' })
    await send()
    expect(await newest()).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('may have arrived'),
    })
    breaking.close()
    // Nor one whose process died.
    await invite(owner, await org(owner), { email: 'dead@example.org' })
    await context.database.query(
      "update mails set state = 'sending', lease_until = $1 where state = 'waiting'",
      [new Date(time - 1)],
    )
    mail.url = at(smtp)
    await send()
    expect([smtp.received, (await newest()).error]).toEqual([[], expect.stringContaining('may have arrived')])
  })

  test('a user and a reader have a limit a day', async () => {
    const owner = await user()
    const mailed: boolean[] = []
    for (let number = 0; number <= dailyMax.toRecipient; number++)
      mailed.push(
        (await invite(owner, await org(owner), { email: `MANY@${number % 2 ? 'e' : 'E'}xample.org` })).mailed,
      )
    expect(mailed).toEqual([...Array.from({ length: dailyMax.toRecipient }, () => true), false])
    const slug = await org(owner)
    for (let number = dailyMax.toRecipient; number < dailyMax.byUser; number++)
      expect((await invite(owner, slug, { email: `n${number}@example.org` })).mailed).toBe(true)
    expect((await invite(owner, slug, { email: 'last@example.org' })).mailed).toBe(false)
    await context.database.query("update mails set state = 'done'")
  })

  test('encrypts and signs in: with TLS, with STARTTLS, and not without either', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-smtp-'))
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
        ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
        ...['-keyout', join(folder, 'key'), '-out', join(folder, 'cert')],
      ],
      { stdio: 'ignore' },
    )
    const [key, cert] = [readFileSync(join(folder, 'key')), readFileSync(join(folder, 'cert'))]
    rmSync(folder, { recursive: true })
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, cert.toString()])
    const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _, done) =>
      password === 'p@ss/word' ? done(null, { user: username }) : done(new Error('wrong'))
    const tls = { ...{ key, cert, onAuth, authOptional: false }, authMethods: ['PLAIN'] }
    mail.isLocal = false
    const owner = await user()
    const sentBy = async (server: Smtp, url: string) => {
      mail.url = url
      await invite(owner, await org(owner), { email: `${server.port}-${++users}@example.org` })
      await send()
      return server.received.splice(0).map(({ user: name, secure }) => [name, secure])
    }
    const direct = await startSmtp({ ...tls, secure: true })
    const starting = await startSmtp({ ...tls, disabledCommands: [] })
    const login = 'ada%40example:p%40ss%2Fword@'
    expect(await sentBy(direct, `smtps://${login}127.0.0.1:${direct.port}`)).toEqual([['ada@example', true]])
    expect(await sentBy(starting, at(starting, login))).toEqual([['ada@example', true]])
    // The operator may mend the password: the mail waits.
    expect(await sentBy(starting, at(starting, 'ada:wrong@'))).toEqual([])
    expect(await newest()).toMatchObject({ state: 'waiting', attempts: 1 })
    expect((await newest()).error).not.toContain('wrong@')
    expect(await sentBy(smtp, at(smtp))).toEqual([])
    setDefaultCACertificates(trusted)
    expect(await sentBy(direct, `smtps://${login}127.0.0.1:${direct.port}`)).toEqual([])
    await direct.close()
    await starting.close()
  })
})
