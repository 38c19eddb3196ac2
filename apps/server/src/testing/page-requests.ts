/** Requests and form fields for the entries of web/permissions.table.ts. */

import { currentVersion, type Guild, hookUrl, testedUrl } from './guild.ts'
import { expectStatus, type RequestOptions, urlencoded } from './test-client.ts'

export interface PageRequest {
  /** Parts of the path that replace the defaults. */
  readonly parts?: Readonly<Record<string, string>>
  readonly query?: string
  /** Form fields; absent for a GET. */
  readonly form?: Readonly<Record<string, string>>
}

/** Existing targets. */
export interface PageTarget {
  readonly owner: string
  /** The slug of a collection of the owner. */
  readonly place: string
  readonly version: string
  /** Owner of the collection `public`, which all callers may compare with. */
  readonly home: string
}

const nothing = '01890000-0000-7000-8000-000000000000'
/** An address that is refused. */
const innerUrl = 'https://127.0.0.1/hook'
const recordQuery = () => ({ query: 'type=A&id=1' })
const versionQuery = ({ version }: PageTarget) => ({ query: `version=${version}` })
const posted = (form: Readonly<Record<string, string>>) => () => ({ form })

/** By the entry of the table. Posts change nothing, or nothing that a later cell depends on. */
export const pageRequests: Readonly<Record<string, (at: PageTarget) => PageRequest>> = {
  'POST /new (taken)': posted({ owner: 'guild', slug: 'taken', next: 'page' }),
  'POST /new (taken, to push)': posted({ owner: 'guild', slug: 'taken', next: 'push' }),
  'POST /new/org (taken)': posted({ slug: 'guild' }),
  'POST /admin/state (retry)': posted({ queue: 'delivery', id: nothing }),
  'POST /admin (suspend)': posted({ do: 'suspend', account: 'guild' }),
  'POST /admin (release)': posted({ do: 'release', account: 'guild' }),
  'POST /admin (what every object has)': posted({ do: '__proto__', account: 'guild' }),
  'POST /admin (quota)': posted({ do: 'quota', quotaOf: 'guild', quotaBytes: '' }),
  'POST /admin (name an owner)': posted({ do: 'owner', orphan: 'guild', owner: 'str' }),
  'POST /admin (erase)': posted({ do: 'erase', account: 'guild', confirm: 'guild' }),
  'POST /admin (link)': posted({ do: 'link', linkTo: 'guild', issuer: 'https://x.example', subject: 'x' }),
  'POST /admin (transfer)': posted({ do: 'transfer', leaver: 'guild', receiver: 'grace' }),
  'POST /admin (hide)': posted({ do: 'hide', hidden: 'guild/absent', reason: 'x' }),
  'POST /admin (show)': posted({ do: 'show', shown: 'guild/absent' }),
  'POST /admin (open)': posted({ do: 'open', opened: 'guild/absent', openReason: 'x' }),
  'POST /admin (dismiss a report)': posted({ do: 'dismissed', report: nothing }),
  'POST /admin (act on a report)': posted({ do: 'acted', report: nothing }),
  'POST /:owner/:slug/report (send)': posted({ reason: 'spam', text: 'All of it' }),
  'POST /settings (save)': posted({ displayName: 'Guest' }),
  'POST /settings/keys (make)': posted({ label: 'made', scope: 'read' }),
  'POST /settings/keys (make for a collection)': posted({
    ...{ label: 'made', scope: 'read', collections: 'guild/private' },
  }),
  'POST /settings/sessions (all others)': posted({}),
  'POST /settings/sessions (unknown)': posted({ end: nothing }),
  'POST /:owner/-/members (set an owner)': posted({ user: 'grace', role: 'owner' }),
  'POST /:owner/-/members (invite)': posted({ user: 'guest@example.org', role: 'member' }),
  'POST /:owner/-/members (take back)': posted({ do: 'take-back', id: nothing }),
  'POST /:owner/-/settings (name)': posted({ displayName: 'Guild' }),
  'POST /:owner/-/settings (rules)': posted({ do: 'rules', visibility: 'members', default: 'private' }),
  'POST /:owner/-/settings (delete)': posted({ do: 'delete', confirm: 'guild' }),
  'POST /:owner/-/webhooks (make)': posted({ url: innerUrl }),
  'POST /:owner/:slug/webhooks (make)': posted({ url: innerUrl }),
  'GET /:owner/:slug/record': recordQuery,
  'GET /:owner/:slug/v/:version/record': recordQuery,
  'GET /:owner/:slug/compare/:from/:pair': ({ home, version }) => ({
    parts: { from: home, pair: `public@${currentVersion}...${version}` },
  }),
  'GET /:owner/:slug/compare/:from/:pair (of another)': ({ home, owner, place, version }) => ({
    parts: { owner: home, slug: 'public', from: owner, pair: `${place}@${version}...${currentVersion}` },
  }),
  'POST /:owner/:slug/fork (taken)': posted({ org: 'guild', slug: 'taken' }),
  'POST /:owner/:slug/edit (save)': posted({ do: 'save' }),
  'POST /:owner/:slug/edit (preview)': posted({ do: 'preview', readme: 'Text' }),
  'POST /:owner/:slug/records/:type/:id/edit (late)': posted({ base: 'v0.0.1', data: '{}' }),
  'POST /:owner/:slug/records/:type/:id/delete (late)': posted({ base: 'v0.0.1' }),
  'POST /:owner/:slug/records/:type/new (late)': posted({ base: 'v0.0.1', id: 'added', data: '{}' }),
  'POST /:owner/:slug/schemas/:type/edit (late)': posted({ do: 'check', base: 'v0.0.1' }),
  'POST /:owner/:slug/schemas/:type/edit (add)': posted({ do: 'add' }),
  'POST /:owner/:slug/schemas/new (late)': posted({ do: 'check', base: 'v0.0.1', type: 'New' }),
  'POST /:owner/:slug/schemas/new (add)': posted({ do: 'add' }),
  'POST /:owner/:slug/schemas/:type/edit (move)': posted({ do: 'up.n0' }),
  'POST /:owner/:slug/schemas/new (move)': posted({ do: 'up.n0' }),
  'POST /:owner/:slug/settings (save)': ({ place }) => ({
    form: { name: place, slug: place, visibility: place },
  }),
  'POST /:owner/:slug/settings (transfer)': ({ place }) => ({
    form: { do: 'transfer', to: 'guild', confirm_transfer: place },
  }),
  'POST /:owner/:slug/settings (delete)': ({ place }) => ({ form: { do: 'delete', confirm: place } }),
  'POST /:owner/:slug/access (set)': posted({ user: 'grace', grant: 'read' }),
  'POST /:owner/:slug/access (remove)': posted({ do: 'remove', user: 'own' }),
  'POST /:owner/:slug/access (take back)': posted({ do: 'take-back', user: 'own' }),
  'POST /:owner/:slug/access (leave)': posted({ do: 'leave' }),
  'POST /:owner/:slug/publishing (add)': posted({ do: 'repository', address: 'nowhere' }),
  'POST /:owner/:slug/publishing (add an account)': posted({ do: 'account', shows: 'some' }),
  'POST /:owner/:slug/publishing (add by claims)': posted({ do: 'claims', claims: 'ref' }),
  'POST /:owner/:slug/publishing (remove)': posted({ do: 'remove', id: nothing }),
  'POST /:owner/:slug/publishing (only)': posted({ do: 'only' }),
  'GET /:owner/:slug/restore': versionQuery,
  'POST /:owner/:slug/restore (late)': (at) => ({ ...versionQuery(at), form: { base: 'v0.0.1' } }),
  'GET /:owner/:slug/erase': recordQuery,
  'POST /:owner/:slug/erase (unconfirmed)': () => ({ ...recordQuery(), form: {} }),
  'GET /:owner/:slug/questions/new': () => ({ query: 'type=A' }),
  'POST /:owner/:slug/questions/new (save)': () => ({
    query: 'type=A',
    form: { name: 'Again', version: 'latest', public: 'no' },
  }),
  'POST /:owner/:slug/questions/:question/edit (save)': posted({
    name: 'Asked',
    version: 'latest',
    public: 'yes',
  }),
  'POST /:owner/:slug/questions/:question/edit (remove)': () => ({
    parts: { question: 'absent' },
    form: { do: 'remove' },
  }),
  'GET /:owner/:slug/withdraw': versionQuery,
  'POST /:owner/:slug/withdraw (warn)': (at) => ({ ...versionQuery(at), form: { do: 'warn' } }),
  'POST /:owner/:slug/withdraw (withdraw)': (at) => ({
    ...versionQuery(at),
    form: { do: 'withdraw', confirm: at.version },
  }),
  'POST /:owner/:slug/withdraw (erase)': (at) => ({
    ...versionQuery(at),
    form: { do: 'erase', confirm: at.version === currentVersion ? at.version : '' },
  }),
}

/**
 * Request of an entry of the table, such as `POST /new (taken)`.
 * @param override replaces the request of `pageRequests`
 */
export function requestOfPage(
  entry: string,
  at: PageTarget,
  override?: PageRequest,
): { method: string; path: string; options: RequestOptions } {
  const [method, pattern] = entry.split(' ') as [string, string]
  const { parts, query, form } = override ?? pageRequests[entry]?.(at) ?? {}
  const { owner, place, version } = at
  const usual = {
    owner,
    slug: place,
    type: 'A',
    id: '1',
    version,
    name: 'reading',
    question: 'asked',
    group: 'records',
  }
  const all: Record<string, string> = { ...usual, pair: `${currentVersion}...${version}`, ...parts }
  const filled = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(all[name]!))
  return {
    method,
    path: query === undefined ? filled : `${filled}?${query}`,
    options: form === undefined ? {} : { body: new URLSearchParams(form).toString(), headers: urlencoded },
  }
}

/** Single-use targets, renewed for each caller. */
export const prepared: Readonly<Record<string, (guild: Guild) => Promise<PageRequest>>> = {
  async 'POST /settings/keys (revoke)'(guild) {
    const key = ownerOf(guild).post('/api/accounts/keys', { label: 'revoked', scope: 'write' })
    return { form: { revoke: (await expectStatus(key)).json.id } }
  },
  async 'POST /new/sample'(guild) {
    await ownerOf(guild).delete('/api/collections/guild/countries')
    return { form: { owner: 'guild' } }
  },
  async 'GET /auth/device (of a code)'(guild) {
    const code = openCodes.get(guild) ?? (await codeOfTerminal(guild))
    openCodes.set(guild, code)
    return { query: `user_code=${code}` }
  },
  'POST /auth/device/answer (allow)': async (guild) => ({
    form: { code: await codeOfTerminal(guild), decision: 'allow' },
  }),
  'POST /auth/device/answer (refuse)': async (guild) => ({
    form: { code: await codeOfTerminal(guild), decision: 'refuse' },
  }),
  'GET /invitations/:token': byLink,
  'GET /invitations/:token (of grace)': ofGrace,
  'POST /invitations/:token (decline)': async (guild) => ({
    ...(await byLink(guild)),
    form: { do: 'decline' },
  }),
  'POST /invitations/:token (of grace)': async (guild) => ({
    ...(await ofGrace(guild)),
    form: { do: 'accept' },
  }),
  'GET /:owner/-/webhooks/:id': (guild) => ofWebhook(guild),
  'POST /:owner/-/webhooks/:id (save)': (guild) => ofWebhook(guild, { url: hookUrl, label: 'Changed' }),
  'POST /:owner/-/webhooks/:id (enable)': (guild) => ofWebhook(guild, { do: 'enable' }),
  'POST /:owner/-/webhooks/:id (disable)': (guild) => ofWebhook(guild, { do: 'disable' }),
  'POST /:owner/-/webhooks/:id (delete)': (guild) =>
    ofWebhook(guild, { do: 'delete', confirm: new URL(hookUrl).host }),
  'POST /:owner/-/webhooks/:id (test)': (guild) => ofWebhook(guild, { do: 'test' }, testedUrl),
  'POST /:owner/-/webhooks/:id (rotate)': (guild) => ofWebhook(guild, { do: 'rotate' }),
  'POST /:owner/-/webhooks/:id (replay)': (guild) =>
    ofWebhook(guild, { do: 'replay', after: String(Number.MAX_SAFE_INTEGER).slice(0, 15) }),
  'POST /:owner/-/webhooks/:id (retry)': (guild) => ofWebhook(guild, { retry: '1' }),
  'POST /:owner/-/members (set)': async (guild) => ({ form: await graceAsMember(guild) }),
  'POST /:owner/-/members (remove)': async (guild) => ({
    form: { do: 'remove', user: (await graceAsMember(guild)).user },
  }),
}

/** Unanswered device codes by guild: their number per network is limited. */
const openCodes = new WeakMap<Guild, string>()

/** Code of a terminal that requests a write key. */
async function codeOfTerminal(guild: Guild): Promise<string> {
  const code = ownerOf(guild).post('/auth/device', { scope: 'write', label: 'terminal' })
  return (await expectStatus(code)).json.user_code
}

async function byLink(guild: Guild): Promise<PageRequest> {
  return { parts: { token: await invited(guild, { email: 'guest@example.org' }) } }
}

async function ofGrace(guild: Guild): Promise<PageRequest> {
  await ownerOf(guild).delete('/api/accounts/guild/members/grace')
  return { parts: { token: await invited(guild, { user: 'grace' }) } }
}

/** Returns the token. Keeps one open invitation at a time, because an organization may have at most a hundred. */
async function invited(guild: Guild, invitee: { email: string } | { user: string }): Promise<string> {
  const at = '/api/accounts/guild/invitations'
  const owner = ownerOf(guild)
  for (const { id } of (await owner.get(at)).json) await owner.delete(`${at}/${id}`)
  return (await expectStatus(owner.post(at, { ...invitee, role: 'member' }))).json.token
}

/** A new webhook of the guild, the only one; a webhook may be tested once in 6 seconds. */
async function ofWebhook(guild: Guild, form?: PageRequest['form'], url = hookUrl): Promise<PageRequest> {
  const owner = ownerOf(guild)
  const at = '/api/accounts/guild/webhooks'
  for (const { id } of (await owner.get(at)).json) await owner.delete(`/api/webhooks/${id}`)
  const { id } = (await expectStatus(owner.post(at, { url, kinds: ['collection.deleted'] }))).json
  return { parts: { id }, ...(form !== undefined && { form }) }
}

async function graceAsMember(guild: Guild) {
  await expectStatus(ownerOf(guild).put('/api/accounts/guild/members/grace', { role: 'member' }))
  return { user: 'grace', role: 'member' }
}

const ownerOf = (guild: Guild) => guild.client('own', 'absent')
