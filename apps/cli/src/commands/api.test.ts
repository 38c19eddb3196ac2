/** API commands against a complete server: sign-in and the calls of every noun, with output and exit codes. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { writeCompletions } from '../completions.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { openPerson, type Person } from '../testing/cli.ts'

describe.each(anyDatabase)('the command line and a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let cookie: string
  let key: string
  let ada: Person

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    ;({ cookie } = await server.signIn('ada'))
    key = await server.keyFor(cookie, 'admin')
    ada = openPerson(server.url, key)
    const api = (method: string, path: string, body: object, type = 'application/json') =>
      ada.ulmus(
        '.',
        'api',
        method,
        path,
        '--data',
        type === 'application/json' ? JSON.stringify(body) : String(body),
        '--type',
        type,
      )
    await api('POST', '/accounts/ada/collections', { slug: 'birds', public: true })
    const opened = await api('POST', '/collections/ada/birds/pushes', {
      base_version: null,
      schemas: {
        Bird: { properties: { name: { type: 'string' }, tags: { type: 'array' } } },
        Nest: {},
        Egg: {},
        Twig: {},
      },
      metadata: { description: 'Birds of one garden', keywords: ['Garden', 'Birds'] },
    })
    const push = `/collections/ada/birds/pushes/${JSON.parse(opened.out).session_id}`
    const lines = [
      { id: 'robin', type: 'Bird', data: { name: 'Robin, the "red"', tags: ['a', 'b'] } },
      { id: 'wren', type: 'Bird', data: { name: '' } },
      { id: '1', type: 'Nest', data: {} },
      { id: 'a', type: 'Egg', data: { size: 3 } },
      { id: 'b', type: 'Egg', data: { colour: 'blue' } },
      { id: 'c', type: 'Egg', data: [3, 'green'] },
      { id: 'a', type: 'Twig', data: { size: 3 } },
      { id: 'b', type: 'Twig', data: { colour: 'blue' } },
    ]
    const ndjson = lines.map((line) => JSON.stringify(line)).join('\n')
    expect(
      (await ada.ulmus('.', 'api', 'POST', `${push}/records`, '--type', 'application/x-ndjson', '-d', ndjson))
        .code,
    ).toBe(0)
    expect((await ada.ulmus('.', 'api', 'POST', `${push}/commit`)).code).toBe(0)
  })
  afterAll(async () => {
    ada.dispose()
    await server.close()
    await dispose()
  })

  const answer = (form: Record<string, string>) =>
    fetch(`${server.url}/auth/device/answer`, {
      method: 'POST',
      headers: { cookie, origin: server.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form),
    })

  test('a terminal is signed in by a person in a browser, and signed out', async () => {
    const bob = openPerson(server.url)
    expect((await bob.ulmus('.', 'whoami')).code).toBe(4)
    const login = bob.start('.', 'login', '--scope', 'read', '--label', 'bob@<b>desk</b>')
    await vi.waitFor(() => expect(login.said()).toContain('Waiting'), 20_000)
    const code = /[A-Z]{4}-[A-Z]{4}/.exec(login.said())![0]
    const page = await fetch(`${server.url}/auth/device?user_code=${code.toLowerCase()}`, {
      headers: { cookie },
    })
    const html = await page.text()
    expect(page.status).toBe(200)
    expect(html).toContain('bob@&lt;b>desk&lt;/b>')
    expect(html).toContain('see whatever you may see')
    expect(html).not.toContain('push versions')
    expect(html).toContain('ulmus/0.1.0')
    const allowed = await answer({ code, decision: 'allow', ends: '7' })
    expect(await allowed.text()).toContain('Go back to your terminal')
    const ended = await login.ended
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.said).toContain(`Signed in to ${server.url} as ada.`)

    const settings = join(bob.home, '.config/ulmus/settings.json')
    expect(statSync(settings).mode & 0o777).toBe(0o600)
    const { logins } = JSON.parse(readFileSync(settings, 'utf8'))
    expect(logins[server.url]).toMatchObject({ account: 'ada', key: expect.stringMatching(/^ul_/) })
    expect((await bob.ulmus('.', 'whoami')).out).toBe('ada\n')
    const keys = JSON.parse((await bob.ulmus('.', 'keys', 'list', '--json')).out) as {
      label: string
      scope: string
      expiresAt: string
    }[]
    const mine = keys.find(({ label }) => label.startsWith('bob@'))!
    expect(mine.scope).toBe('read')
    expect(Date.parse(mine.expiresAt) - Date.now()).toBeLessThan(7 * 86_400_000)
    expect((await bob.ulmus('.', 'collections', 'create', 'ada/more')).code).toBe(4)

    expect((await bob.ulmus('.', 'logout')).code).toBe(0)
    expect(readFileSync(settings, 'utf8')).not.toContain('ul_')
    const left = await ada.ulmus('.', 'keys', 'list', '--json')
    expect(left.out).not.toContain('bob@')
    bob.dispose()
  })

  test('a refusal in the browser ends the command with 4', async () => {
    const eve = openPerson(server.url)
    const login = eve.start('.', 'login')
    await vi.waitFor(() => expect(login.said()).toContain('Waiting'), 20_000)
    const code = /[A-Z]{4}-[A-Z]{4}/.exec(login.said())![0]
    await answer({ code, decision: 'refuse' })
    expect(await login.ended).toMatchObject({ code: 4 })
    expect(await (await answer({ code, decision: 'allow' })).text()).toContain(
      'This code is wrong, has expired',
    )
    eve.dispose()
  })

  test.each<[args: string[], out: RegExp]>([
    [['whoami'], /^ada\n$/],
    [['whoami', '--json'], /"slug": "ada"/],
    [['collections', 'list'], /^ada\/birds\tpublic\t\tbirds$/m],
    [['collections', 'list', '--search', 'birds', '--json'], /"ownerSlug": "ada"/],
    [['collections', 'list', '--topic', 'GARDEN', '--topic', 'birds'], /^ada\/birds\tpublic\t\tbirds$/m],
    [['collections', 'list', '--type', 'Bird', '--size', 'small'], /^ada\/birds\tpublic\t\tbirds$/m],
    [['collections', 'list', '--license', 'none', '--json'], /^\[\]$/m],
    [['collections', 'list', 'flock', '--topic', 'garden', '--json'], /^\[\]$/m],
    [['log', 'ada/birds'], /^v1\.0\.0\t.*\t8\tprivate:[0-9a-f]{12}\t\t$/m],
    [['show', 'ada/birds'], /^records\s+8$/m],
    [['show', 'ada/birds@v1.0.0'], /^ {2}Bird\s+2$/m],
    [['show', 'ada/birds#Nest'], /^\{\}$/m],
    [['show', 'ada/birds#Bird/robin'], /"name": "Robin, the \\"red\\""/],
    [['get', 'ada/birds#Nest'], /^\{"id":"1","type":"Nest","data":\{\},"hash":"[0-9a-f]{64}"\}\n$/],
    [
      ['get', 'ada/birds#Bird', '--csv'],
      /^_id,name,tags\nrobin,"Robin, the ""red""","\["".*b""\]"\nwren,"",\n$/,
    ],
    [['get', 'ada/birds#Twig', '--csv'], /^_id,colour,size\na,,3\nb,blue,\n$/],
    [['metadata', 'get', 'ada/birds'], /"description": "Birds of one garden"/],
    [['open', 'ada/birds@v1.0.0'], /\/ada\/birds\/v\/v1\.0\.0\n$/],
    [['orgs', 'create', 'flock', '--name', 'The flock'], /^flock\n$/],
    [['orgs', 'members', 'flock'], /^ada\towner\t/],
    [['fork', 'ada/birds', 'flock', '--slug', 'copy'], /^flock\/copy\n$/],
    [['fork', 'ada/birds', '--slug', 'mine', '--public-view'], /^ada\/mine\n$/],
    [['collections', 'edit', 'flock/copy', '--name', 'A copy', '--private', '--json'], /"ok": true/],
    [['metadata', 'set', 'flock/copy', 'license=MIT', 'size:={"n":3}'], /^v1\.0\.1\n$/],
    [['metadata', 'set', 'flock/copy', '--unset', 'license'], /^v1\.0\.2\n$/],
    [['collections', 'delete', 'flock/copy', '--yes', '--json'], /"ok": true/],
    [['keys', 'create', '--label', 'nightly', '--scope', 'read', '--expires', '90d'], /^ul_\w{49}\n$/],
    [['api', 'get', '/healthz'], /ok/],
    [['verify', 'ada/birds'], /is what its digest says: private:/],
    [['export', 'ada/birds', '--quiet'], /ada-birds-v1\.0\.0\.tar\.gz\n$/],
    [['completion', 'fish'], /^complete -c ulmus/],
    [['log', 'ada/birds'], /^v1\.0\.0\tfirst\t[^\t]+\tada\t/],
  ])('ulmus %s', async (args, out) => {
    const ended = await ada.ulmus('.', ...args)
    expect(ended, ended.said).toMatchObject({ code: 0 })
    expect(ended.out).toMatch(out)
  })

  test.each<[args: string[], code: number, said: RegExp]>([
    [['whoam'], 2, /did you mean `whoami`/],
    [['show'], 2, /No collection given/],
    [['show', 'nonsense'], 2, /is not a reference/],
    [['show', 'ada/none'], 1, /There is no collection `ada\/none`/],
    [['show', 'ada/birds#Bird/nope'], 1, /no record `nope`/],
    [['show', 'ada/birds#Fish'], 1, /It has: Bird, Egg, Nest, Twig/],
    [['get', 'ada/birds', '--csv'], 2, /ulmus get 'ada\/birds#Bird' --csv/],
    [['get', 'ada/birds#Egg', '--csv'], 1, /"c" is no object.*--ndjson/s],
    [['get', 'ada/birds', '--csv', '--ndjson'], 2, /--ndjson and --csv/],
    [['log', 'ada/birds', '--limit', 'many'], 2, /not a valid limit/],
    [['collections', 'delete', 'ada/birds'], 2, /--yes/],
    [['collections', 'create', 'missing/x'], 1, /no account/],
    [['collections', 'create', 'ada/UPPER'], 6, /slug/],
    [['metadata', 'set', 'ada/birds', 'x'], 2, /is not a field to set/],
    [['metadata', 'set', 'ada/birds', 'x:=nonsense'], 2, /not valid JSON/],
    [['keys', 'create', '--label', 'x', '--expires', 'soon'], 2, /is not a valid expiry/],
    [['keys', 'revoke', 'x'], 1, /no API key/],
    [['fork', 'ada/birds', 'missing'], 1, /no organization/],
    [['api', 'GET', 'https://elsewhere.example/api/accounts/me'], 2, /is not on the registry/],
    [['api', 'GET', '/collections/ada/none'], 1, /^$/],
    [['status'], 1, /not in a working folder/],
    [['push', '--json'], 1, /"code": "no_folder"/],
    [['clone', 'ada/none'], 1, /no collection/],
    [['show', 'https://elsewhere.example/ada/birds'], 1, /ULMUS_TOKEN is set, but not for/],
    [['completion', 'tcsh'], 2, /bash, zsh or fish/],
  ])('ulmus %s ends with %i', async (args, code, said) => {
    const ended = await ada.ulmus('.', ...args)
    expect(ended, ended.said).toMatchObject({ code })
    expect(ended.said).toMatch(said)
  })

  test.each([
    [['clone', ''], ['ada/birds']],
    [['metadata', 'get', 'ada/'], ['ada/birds']],
    [['show', 'ada/bi'], ['ada/birds']],
    [['show', 'ada/x'], []],
    [['show', 'ada/birds@'], []],
  ])('after %j, names of collections are proposed: %j', async (words, names) => {
    let out = ''
    const write = (text: string) => {
      out += text
      return Promise.resolve()
    }
    const env = { ULMUS_HOST: server.url, ULMUS_TOKEN: key, XDG_CONFIG_HOME: ada.home }
    await writeCompletions(words, { env, write } as unknown as Terminal)
    const proposed = out.split('\n').map((line) => line.split('\t')[0]!)
    expect(proposed.filter((word) => word.startsWith('ada/birds'))).toEqual(names)
  })

  test('a list that is cut says so, and fails unless a limit asked for it', {
    timeout: 180_000,
  }, async () => {
    const owner = await server.signIn('lister')
    const lister = openPerson(server.url, await server.keyFor(owner.cookie, 'admin'))
    for (let n = 1; n <= 51; n++) await lister.ulmus('.', 'collections', 'create', `lister/c${n}`, '--public')
    for (const args of [
      ['collections', 'list', 'lister'],
      ['audit', 'lister', '--action', 'collection.made'],
    ]) {
      const cut = await lister.ulmus('.', ...args, '--json')
      expect([cut.code, cut.said, JSON.parse(cut.out).length]).toEqual([
        7,
        'There are more than 50. Choose how many with --limit.\n',
        50,
      ])
      const chosen = await lister.ulmus('.', ...args, '--limit', '3', '--json')
      expect([chosen.code, chosen.said, JSON.parse(chosen.out).length]).toEqual([0, 'There are more.\n', 3])
      const whole = await lister.ulmus('.', ...args, '--limit', '51', '--json')
      expect([whole.code, whole.said, JSON.parse(whole.out).length]).toEqual([0, '', 51])
    }
    lister.dispose()
  })

  test('--public names what older versions would show, and changes nothing without an answer', async () => {
    const files: [string, object][] = [
      ['null', { name: {}, email: {} }],
      ['v1.0.0', { name: {}, email: { private: true } }],
    ]
    await ada.ulmus('.', 'collections', 'create', 'ada/people')
    for (const [base, properties] of files) {
      const opened = await ada.ulmus(
        '.',
        'api',
        'POST',
        '/collections/ada/people/pushes',
        '--data',
        JSON.stringify({ base_version: base === 'null' ? null : base, schemas: { Person: { properties } } }),
      )
      const push = `/collections/ada/people/pushes/${JSON.parse(opened.out).session_id}`
      expect((await ada.ulmus('.', 'api', 'POST', `${push}/commit`)).code).toBe(0)
    }
    const edit = (...args: string[]) =>
      ada.ulmus('.', 'collections', 'edit', 'ada/people', '--public', ...args)
    const refused = await edit()
    expect([refused.code, refused.said]).toEqual([
      6,
      expect.stringMatching(/email[\s\S]*--open-older[\s\S]*ulmus withdraw ada\/people@v1\.0\.0/),
    ])
    const shown = async () =>
      JSON.parse((await ada.ulmus('.', 'api', 'GET', '/collections/ada/people')).out).public
    expect(await shown()).toBe(false)
    expect((await edit('--open-older')).code).toBe(0)
    expect(await shown()).toBe(true)
  })
})
