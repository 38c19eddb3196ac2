/** Requests sent by the calls for organizations, collaborators, logs and webhooks, and their handling of answers. */
import { afterEach, expect, test } from 'vitest'
import { type Client, createClient } from './client.ts'
import { type FaultyServer, type Request, startFaultyServer } from './testing/faulty-server.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

/** A server that answers everything with `body`. */
async function start(body: string) {
  const seen: Request[] = []
  const server = await startFaultyServer((request) => {
    seen.push(request)
    return { status: 200, body }
  })
  open.push(server)
  const client = createClient({ baseUrl: server.url, apiKey: 'ul_test', retry: { attempts: 1 } })
  return { server, seen, client }
}

const every = (list: AsyncIterable<unknown>) => Array.fromAsync(list)
const token = 'a/b'

test.each<[request: string, call: (client: Client) => Promise<unknown>, sent?: object]>([
  [
    'POST /api/accounts/a%20b/invitations',
    ({ orgs }) => orgs.invite('a b', { user: 'grace', role: 'admin' }),
    { user: 'grace', role: 'admin' },
  ],
  ['GET /api/accounts/atlas/invitations', ({ orgs }) => every(orgs.invitations('atlas'))],
  ['DELETE /api/accounts/atlas/invitations/a%2Fb', ({ orgs }) => orgs.removeInvitation('atlas', token)],
  ['GET /api/accounts/atlas/settings', ({ orgs }) => orgs.settings('atlas')],
  [
    'PATCH /api/accounts/atlas',
    ({ orgs }) => orgs.changeSettings('atlas', { defaultVisibility: 'public' }),
    { settings: { defaultVisibility: 'public' } },
  ],
  ['GET /api/accounts/me/invitations', ({ accounts }) => every(accounts.invitations())],
  [
    'POST /api/invitations/a%2Fb',
    ({ accounts }) => accounts.answerInvitation(token, false),
    { accept: false },
  ],
  [
    'GET /api/accounts/atlas/audit?limit=2&actor=ada',
    ({ accounts }) => accounts.audit('atlas', { limit: 2, actor: 'ada' }),
  ],
  [
    'GET /api/accounts/atlas/audit?limit=100&action=key.made',
    ({ accounts }) => every(accounts.auditAll('atlas', { action: 'key.made' })),
  ],
  [
    'POST /api/admin/accounts/ada/identities',
    ({ operators }) => operators.linkIdentity('ada', { issuer: 'https://a.example', subject: '7' }),
    { issuer: 'https://a.example', subject: '7' },
  ],
  [
    'POST /api/admin/accounts/ada/transfer',
    ({ operators }) => operators.handOver('ada', { to: 'atlas' }),
    { to: 'atlas' },
  ],
  [
    'DELETE /api/admin/accounts/ada?confirm=true',
    ({ operators }) => operators.erase('ada', { confirm: true }),
  ],
  ['GET /api/accounts/atlas/usage', ({ accounts }) => accounts.usage('atlas')],
  [
    'POST /api/collections/ada/birds/transfer',
    ({ collections }) => collections.transfer('ada/birds', 'atlas'),
    { to: 'atlas' },
  ],
  [
    'GET /api/collections/ada/birds/collaborators',
    ({ collaborators }) => collaborators.list({ owner: 'ada', slug: 'birds' }),
  ],
  ['GET /api/collections/ada/birds/access', ({ collaborators }) => collaborators.access('ada/birds')],
  [
    'PUT /api/collections/ada/birds/collaborators/a%2Fb',
    ({ collaborators }) => collaborators.set('ada/birds', token, 'write'),
    { grant: 'write' },
  ],
  [
    'DELETE /api/collections/ada/birds/collaborators/a%2Fb',
    ({ collaborators }) => collaborators.remove('ada/birds', token),
  ],
  [
    'POST /api/collections/ada/birds/versions/v1.0.0/withdraw',
    ({ versions }) => versions.withdraw('ada/birds', 'v1.0.0', { reason: 'Names people', erase: true }),
    { reason: 'Names people', erase: true },
  ],
  [
    'POST /api/collections/ada/birds/versions/v1.0.0/deprecate',
    ({ versions }) => versions.deprecate('ada/birds', 'v1.0.0', null),
    { message: null },
  ],
  [
    'POST /api/collections/ada/birds/webhooks',
    ({ webhooks }) => webhooks.create('ada/birds', { url: 'https://ci.example/', bumps: ['major'] }),
    { url: 'https://ci.example/', bumps: ['major'] },
  ],
  [
    'POST /api/accounts/atlas/webhooks',
    ({ webhooks }) => webhooks.create({ account: 'atlas' }, { url: 'https://ci.example/' }),
    { url: 'https://ci.example/' },
  ],
  [
    'GET /api/collections/ada/birds/webhooks',
    ({ webhooks }) => webhooks.list({ owner: 'ada', slug: 'birds' }),
  ],
  ['GET /api/accounts/atlas/webhooks', ({ webhooks }) => webhooks.list({ account: 'atlas' })],
  ['GET /api/webhooks/a%2Fb', ({ webhooks }) => webhooks.get('a/b')],
  [
    'PATCH /api/webhooks/w',
    ({ webhooks }) => webhooks.update('w', { enabled: true, kinds: [] }),
    { enabled: true, kinds: [] },
  ],
  ['DELETE /api/webhooks/w', ({ webhooks }) => webhooks.remove('w')],
  ['POST /api/webhooks/w/test', ({ webhooks }) => webhooks.test('w')],
  ['POST /api/webhooks/w/rotate', ({ webhooks }) => webhooks.rotate('w')],
  [
    'GET /api/webhooks/w/deliveries?before=12&state=failed',
    ({ webhooks }) => webhooks.deliveries('w', { before: 12, state: 'failed' }),
  ],
  ['POST /api/webhooks/w/deliveries/7/retry', ({ webhooks }) => webhooks.retry('w', 7)],
  ['POST /api/webhooks/w/replay', ({ webhooks }) => webhooks.replay('w', 7), { after: 7 }],
])('%s', async (request, call, sent) => {
  const { server, seen, client } = await start('[]')
  await call(client)
  expect(server.requests).toEqual([request])
  const body = seen[0]!.body.toString()
  expect(body === '' ? undefined : JSON.parse(body)).toEqual(sent)
})

test('a log is read as lines, and one that breaks off rejects', async () => {
  const lines = ['{"id":"2"}', '{"id":"1"}', ''].join('\n')
  const { server, client } = await start(lines)
  const read = () => every(client.accounts.auditStream('atlas', { after: '2026-11-01T00:00:00Z' }))
  expect(await read()).toEqual([{ id: '2' }, { id: '1' }])
  expect(server.requests).toEqual(['GET /api/accounts/atlas/audit.ndjson?after=2026-11-01T00%3A00%3A00Z'])
  server.fail(/audit/, { how: 'cut', bytes: 14 })
  await expect(read()).rejects.toMatchObject({ code: 'network' })
})
