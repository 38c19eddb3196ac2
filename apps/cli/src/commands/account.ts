/** Commands that sign in and out, and show the account, its storage and its audit log. */
import { hostname, userInfo } from 'node:os'
import { createClient, UlmusError } from '@ulmus/client'
import { sizeText } from '@ulmus/content/quantities'
import type { AuditEvent } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import type { Call, CommonFlags } from '../context.ts'
import { flag, limit, optional, required, scope, text } from '../parameters.ts'
import { hostOf, notSignedIn } from '../session/connect.ts'
import { awaitDeviceKey, startDeviceLogin } from '../session/device-login.ts'
import { fetchOf } from '../session/fetch.ts'
import { forgetLogin, keepLogin } from '../session/logins.ts'
import { brieflySeconds, retryOf } from '../session/outage.ts'
import { configFolder } from '../session/places.ts'
import { readSettings } from '../session/settings.ts'
import { openInBrowser } from '../terminal/browser.ts'
import { usageError } from '../terminal/failure.ts'
import { jsonText } from '../terminal/harmless.ts'
import { facts, table, timeText } from '../terminal/table.ts'
import { painted } from '../terminal/text.ts'
import { limited } from './limited.ts'

type LoginFlags = {
  readonly withToken: boolean
  readonly scope: 'read' | 'write' | 'admin'
  readonly collection?: string
  readonly label?: string
  readonly browser: boolean
}

/** `ulmus login`: gets a key by approval in a browser, or reads one from standard input, and stores it. */
const login = command<LoginFlags>({
  brief: 'Sign in to a registry',
  description:
    'Shows a code to approve in a browser, on this machine or another one. The new key expires after 90 days.',
  section: 'Signing in',
  page: 'Sign in with a code that you approve in a browser. `--scope read`, `write` (default: publish, as a member) or `admin` (manage: also delete, deprecate, withdraw and transfer, and keys, members, invitations, settings and the audit log); `--collection owner/slug` limits the key to one collection; `--label` names it; `--no-browser` opens no browser. The key expires after 90 days, or when you chose on the page. `--with-token` reads an API key from standard input instead: `echo "$ULMUS_TOKEN" | ulmus login --with-token`',
  flags: {
    withToken: flag('Read an API key from standard input'),
    scope,
    collection: text('owner/slug', 'Limit the key to one collection'),
    label: text('text', 'Label of the key (default: this machine)'),
    browser: { kind: 'boolean', brief: 'Open the page in a browser', default: true },
  },
  run: async (call, flags) => {
    const { env } = call.terminal
    const named = flags.host ?? (env['ULMUS_HOST'] || readSettings(env).host)
    if (named === undefined)
      throw usageError('No registry given. Name the one to sign in to.', [
        'ulmus login --host https://registry.example',
      ])
    const host = hostOf(named)
    const fetch = await fetchOf(env)
    const given = flags.withToken
      ? { key: await readToken(), id: undefined, expiresAt: null }
      : await allowed(call, flags, host, fetch)
    const retry = retryOf(call.terminal, host)
    const account = await createClient({ baseUrl: host, apiKey: given.key, fetch, retry }).accounts.me()
    const place = await keepLogin(env, { host, account: account.slug, key: given.key, keyId: given.id })
    if (flags.json) return call.json({ host, account: account.slug, expiresAt: given.expiresAt, kept: place })
    call.say(`Signed in to ${host} as ${account.slug}.`)
    if (given.expiresAt !== null)
      call.say(`The key expires ${timeText(given.expiresAt)}. Run \`ulmus login\` again to replace it.`)
    if (place === 'file')
      call.say(
        `No system keychain: the key is stored in ${configFolder(env)}/settings.json, which only you can read.`,
      )
  },
})

async function allowed(
  call: Call,
  flags: LoginFlags & CommonFlags,
  host: string,
  fetch: typeof globalThis.fetch,
) {
  const registry = { host, fetch, signal: call.signal }
  const label = flags.label ?? `${userInfo().username}@${hostname()}`
  const code = await startDeviceLogin(registry, { scope: flags.scope, collection: flags.collection, label })
  const { terminal } = call
  call.warn([
    'Open ',
    painted('cyan', code.verification_uri),
    ' and enter the code ',
    painted('bold', code.user_code),
  ])
  // Never open an address on another host.
  const isOurs = code.verification_uri_complete.startsWith(`${host}/`)
  if (
    flags.browser &&
    isOurs &&
    terminal.canAsk &&
    (await openInBrowser(code.verification_uri_complete, terminal.env))
  )
    call.say('Opened a browser.')
  call.say('Waiting for approval…')
  return awaitDeviceKey(registry, code)
}

/** Stop reading standard input after this many characters: no token is that long. */
const tokenLengthMax = 1_000

async function readToken(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.length > tokenLengthMax || text.includes('\n')) break
  }
  const token = text.trim()
  if (/^ul_[0-9A-Za-z]+$/.test(token)) return token
  throw usageError('Standard input has no API key. A key starts with `ul_`.', [
    'echo "$ULMUS_TOKEN" | ulmus login --with-token',
  ])
}

/** `ulmus logout`: revokes the key if its id is known, then removes the stored key, even if the registry refused. */
const logout = command<Record<never, never>>({
  brief: 'Sign out, and revoke the key',
  section: 'Signing in',
  page: 'Revoke the key and delete it here',
  run: async (call, flags) => {
    const { env } = call.terminal
    const { client, host } = await call.connect({ retrySeconds: brieflySeconds })
    const { logins } = readSettings(env)
    const login = Object.hasOwn(logins, host) ? logins[host] : undefined
    let isRevoked = false
    if (login?.keyId !== undefined) {
      try {
        await client.keys.revoke(login.keyId)
        isRevoked = true
      } catch (error) {
        // Remove the local key even if the registry is unreachable or has already revoked it.
        if (!(error instanceof UlmusError)) throw error
        call.warn(`The registry did not revoke the key: ${error.message}`)
      }
    }
    await forgetLogin(env, host)
    if (flags.json) return call.json({ host, revoked: isRevoked })
    call.say(login === undefined ? `Not signed in to ${host}.` : `Signed out of ${host}.`)
  },
})

/** `ulmus whoami`: prints only the slug on standard output, for scripts. Fails if not signed in. */
const whoami = command<Record<never, never>>({
  brief: 'Show the signed-in account',
  section: 'Signing in',
  page: 'Show the signed-in account',
  run: async (call, flags) => {
    const { client, host, key } = await call.connect()
    if (key === undefined) throw notSignedIn(host)
    const account = await client.accounts.me()
    if (flags.json) return call.json(account)
    await call.line(account.slug)
    call.say(`${account.displayName}, on ${host}`)
  },
})

type AuditFlags = {
  readonly actor?: string
  readonly action?: string
  readonly after?: string
  readonly ndjson: boolean
  readonly limit?: number
}

/** `ulmus audit OWNER`: shows the audit log, newest first. `--ndjson` streams the whole log. */
const audit = command<AuditFlags, [owner: string]>({
  brief: 'Show the audit log, newest first',
  page: 'Show the [audit log](organizations.md#the-audit-log), newest first: time, actor, action, target, label of the key, details. `--actor`, `--action`, `--after 2026-01-31` (or a time) filter it; `--limit` (default: 50); `--ndjson` prints the whole log, one JSON object per line',
  flags: {
    actor: text('slug', 'Only actions of this account'),
    action: text('action', 'Only this action, such as version.made'),
    after: text('time', 'Only entries after this time: 2026-01-31 or 2026-01-31T14:00Z'),
    ndjson: flag('Print the whole log, one JSON object per line'),
    limit,
  },
  positional: { kind: 'tuple', parameters: [required('owner', 'Organization, or your own account')] },
  run: async (call, flags, owner) => {
    if (flags.json && flags.ndjson)
      throw usageError('--json and --ndjson exclude each other. Use one of them.')
    const { actor, action } = flags
    const filters = { actor, action, after: flags.after === undefined ? undefined : instantOf(flags.after) }
    const { client } = await call.connect()
    if (flags.ndjson) {
      for await (const event of client.accounts.auditStream(owner, filters, call.signal))
        await call.line(jsonText(event))
      return
    }
    const events = await limited(call, client.accounts.auditAll(owner, filters), flags.limit)
    if (flags.json) return call.json(events)
    const rows = events.map(({ at, actor: by, action: what, target, details }) => [
      timeText(at),
      by.account ?? '',
      what,
      target,
      by.key?.label ?? '',
      detailsText(details),
    ])
    await table(call, ['when', 'who', 'did', 'to', 'with key', 'details'], rows)
  },
})

const detailsText = (details: AuditEvent['details']): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** Parses a day or a time. Without a time zone it is in the time zone of this machine, as in tables. */
function instantOf(text: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:[T ](.+))?$/.exec(text) ?? []
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time ?? '00:00'}`)
  if (Number.isNaN(at))
    throw usageError(`\`${text}\` is not a valid time. Use 2026-01-31 or 2026-01-31T14:00Z.`)
  return new Date(at).toISOString()
}

/** `ulmus usage [OWNER]`: shows the storage of an account (default: the caller). */
const usage = command<Record<never, never>, [owner?: string]>({
  brief: 'Show storage and quota of an account',
  page: 'Show storage, quota and largest collections of an account (default: yours)',
  positional: { kind: 'tuple', parameters: [optional('owner', 'Account (default: yours)')] },
  run: async (call, flags, named) => {
    const { client } = await call.connect()
    const owner = named ?? (await client.accounts.me()).slug
    const found = await client.accounts.usage(owner)
    if (flags.json) return call.json(found)
    const { usedBytes, receivedBytes, quotaBytes, collections } = found
    await facts(call, [
      ['account', owner],
      ['used', sizeText(usedBytes)],
      ['in pushes', receivedBytes === 0 ? '' : sizeText(receivedBytes)],
      ['quota', quotaBytes === null ? 'none: as much as the registry holds' : sizeText(quotaBytes)],
      ...collections.map((one) => [`  ${owner}/${one.slug}`, sizeText(one.usedBytes)] as const),
    ])
  },
})

export default noun({
  section: 'Accounts, organizations, keys',
  words: {
    login: { command: login, group: 'Start', place: 10, line: ['login', 'sign in to a registry'] },
    logout: { command: logout, group: 'Manage', place: 140 },
    whoami: {
      command: whoami,
      group: 'Manage',
      place: 130,
      line: ['whoami, logout', 'show your account; sign out'],
    },
    audit: {
      command: audit,
      group: 'Manage',
      place: 100,
      line: ['audit, usage', 'show the audit log; show storage'],
    },
    usage: { command: usage, group: 'Manage', place: 110 },
  },
})
