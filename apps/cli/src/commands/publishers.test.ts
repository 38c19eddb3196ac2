/** Pushes of a job without a stored key, and the commands for trusted publishers. */
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobIssuer, trustedJobs } from '../../../server/src/testing/jobs.ts'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { readJobKey, writeJobKey } from '../session/job-keys.ts'
import { openJob } from '../session/job-token.ts'
import { openPerson, type Person } from '../testing/cli.ts'

describe.each(anyDatabase)('a job and a server on $name', ({ settings: open }) => {
  let server: TestServer
  let jobs: Awaited<ReturnType<typeof trustedJobs>>
  let ada: Person
  const ends: (() => unknown)[] = []

  beforeAll(async () => {
    const { settings, dispose } = await open()
    jobs = await trustedJobs()
    server = await serveForTest(settings, { trustedIssuersFile: jobs.file })
    const { cookie } = await server.signIn('ada')
    ada = openPerson(server.url, await server.keyFor(cookie, 'admin'))
    ends.push(
      () => ada.dispose(),
      () => server.close(),
      dispose,
      () => jobs.end(),
    )
    expect((await ada.ulmus('.', 'collections', 'create', 'ada/birds', '--public')).code).toBe(0)
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  const folderOf = async (who: Person, more = '') => {
    await who.ulmus('birds', 'init', `${more}ada/birds`)
    fill(who)
  }
  const fill = (who: Person) => {
    mkdirSync(join(who.home, 'birds/schemas'), { recursive: true })
    mkdirSync(join(who.home, 'birds/records'), { recursive: true })
    writeFileSync(join(who.home, 'birds/schemas/Bird.json'), '{}')
    writeFileSync(join(who.home, 'birds/records/Bird.ndjson'), '{"id":"robin","data":{}}\n')
  }
  const jobWith = (env: NodeJS.ProcessEnv, host = server.url) => {
    const job = openPerson(host, undefined, env)
    ends.unshift(() => job.dispose())
    return job
  }

  test('publishers are added, listed and removed', async () => {
    const claims = ['--claim', 'project_path=atlas/cities', '--claim', 'ref=main', '--claim', 'ref=release']
    const added = await ada.ulmus(
      '.',
      'publishers',
      'add',
      'ada/birds',
      '--issuer',
      jobIssuer,
      ...claims,
      '--minutes',
      '5',
    )
    expect(added).toMatchObject({ code: 0, said: expect.stringContaining('atlas/cities') })
    const listed = await ada.ulmus('.', 'publishers', 'list', 'ada/birds')
    expect(listed.out).toContain(
      'ref=main|release project_path=atlas/cities\tnothing\twrite\t5\tmembers\tnever\n',
    )
    const id = added.out.trim()
    expect((await ada.ulmus('.', 'publishers', 'remove', 'ada/birds', id)).code).toBe(0)
    expect((await ada.ulmus('.', 'publishers', 'list', 'ada/birds')).out).not.toContain(id)
    const wrong = await ada.ulmus(
      '.',
      'publishers',
      'add',
      'ada/birds',
      '--issuer',
      jobIssuer,
      '--claim',
      'ref',
    )
    expect(wrong.said).toContain('use name=text')
    const long = await ada.ulmus(
      '.',
      'publishers',
      'add',
      'ada/birds',
      '--issuer',
      jobIssuer,
      '--minutes',
      '90',
    )
    expect(long).toMatchObject({ code: 2, said: expect.stringContaining('--minutes 90: use 5 to 60.') })
  })

  test('a job pushes with its token, and otherwise gets the claims that it presented', async () => {
    const refused = jobWith({ ULMUS_ID_TOKEN: await jobs.token(server.url) })
    await folderOf(refused)
    const inWords = await refused.ulmus('birds', 'push', '--trusted')
    expect(inWords).toMatchObject({ code: 4, said: expect.stringMatching(/\n {2}ref=main\n/) })
    expect(inWords.said).toContain(`${server.url}/ada/birds/publishing\n`)
    const push = await refused.ulmus('birds', 'push', '--trusted', '--json')
    expect(push.code).toBe(4)
    expect(push.said).toContain('No trusted publisher')
    expect(push.said).toContain('"project_path": "atlas/cities"')
    await ada.ulmus(
      '.',
      'publishers',
      'add',
      'ada/birds',
      '--issuer',
      jobIssuer,
      '--claim',
      'project_path=atlas/cities',
      '--shows',
      'everyone',
    )
    const job = jobWith({ ULMUS_ID_TOKEN: await jobs.token(server.url) })
    await folderOf(job)
    expect(await job.ulmus('birds', 'push', '--trusted')).toMatchObject({ code: 0, out: 'v1.0.0\n' })
    const answer = await fetch(`${server.url}/api/collections/ada/birds/versions/latest`)
    expect(await answer.json()).toMatchObject({ workload: { claims: { project_path: 'atlas/cities' } } })
    const published = 'atlas/cities @ 714a629, main (protected)'
    expect((await ada.ulmus('.', 'log', 'ada/birds')).out).toContain(`\t${published}\t`)
    for (const shown of ['ada/birds', 'ada/birds@v1.0.0'])
      expect((await ada.ulmus('.', 'show', shown)).out).toMatch(`published by  ${published}\n`)
    const another = jobWith({ ULMUS_ID_TOKEN: await jobs.token(server.url, { project_id: '23' }) })
    await another.ulmus('.', 'clone', '--trusted', 'ada/birds')
    await expect
      .poll(async () => ada.ulmus('.', 'publishers', 'list', 'ada/birds'))
      .toMatchObject({
        out: expect.stringContaining('project_id=22'),
        said: expect.stringMatching(/^Refused .*a project named atlas\/cities, but another: .*project_id=23/),
      })
  })

  test('a token is issued by GitHub for the registry, and goes to no registry of a folder', async () => {
    const asked: string[] = []
    const github = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers.authorization}`)
      const { searchParams } = new URL(request.url!, 'http://x')
      void jobs.token(searchParams.get('audience')!).then((value) => response.end(JSON.stringify({ value })))
    })
    github.listen(0, '127.0.0.1')
    await once(github, 'listening')
    const env = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of the runner',
    }
    const job = jobWith(env)
    await job.ulmus('.', 'clone', 'ada/birds')
    appendFileSync(join(job.home, 'birds/records/Bird.ndjson'), '{"id":"wren","data":{}}\n')
    expect(await job.ulmus('birds', 'push', '--trusted')).toMatchObject({ code: 0, out: 'v1.1.0\n' })
    expect(asked).toEqual([
      `/token?api-version=2.0&audience=${encodeURIComponent(server.url)} Bearer of the runner`,
    ])
    const home = { XDG_CONFIG_HOME: join(job.home, '.config') }
    const place = { host: server.url, collection: 'ada/birds', secret: 'of the runner' }
    writeJobKey(home, place, { key: 'ul_ends_soon', until: Date.now() + 60_000 })
    expect(await job.ulmus('birds', 'pull', '--trusted')).toMatchObject({ code: 0 })
    expect(readJobKey(home, place)!.until).toBeGreaterThan(Date.now() + 800_000)
    expect(asked).toHaveLength(2)
    const elsewhere = jobWith(env, 'http://127.0.0.1:1')
    await folderOf(elsewhere, `${server.url}/`)
    const push = await elsewhere.ulmus('birds', 'push', '--trusted')
    expect(push).toMatchObject({ said: expect.stringContaining('Set ULMUS_HOST') })
    expect(push.code).not.toBe(0)
    expect(asked).toHaveLength(2)
    await new Promise((done) => github.close(done))
  })

  test('the commands of a job share one key of a private collection; another job has its own', async () => {
    expect((await ada.ulmus('.', 'collections', 'create', 'ada/secret', '--private')).code).toBe(0)
    const claims = ['--claim', 'project_path=atlas/cities', '--minutes', '5']
    expect(
      (await ada.ulmus('.', 'publishers', 'add', 'ada/secret', '--issuer', jobIssuer, ...claims)).code,
    ).toBe(0)
    const env = { ULMUS_ID_TOKEN: await jobs.token(server.url) }
    const job = jobWith(env)
    const first = await job.ulmus('.', 'clone', '--trusted', 'ada/secret', 'birds')
    expect(first, first.said).toMatchObject({ code: 0 })
    fill(job)
    expect(await job.ulmus('birds', 'push', '--trusted')).toMatchObject({ code: 0, out: 'v1.0.0\n' })
    expect(await job.ulmus('.', 'clone', 'ada/secret', 'other')).toMatchObject({ code: 1 })
    expect(await job.ulmus('.', 'clone', '--trusted', 'ada/secret', 'other')).toMatchObject({ code: 0 })
    appendFileSync(join(job.home, 'other/records/Bird.ndjson'), '{"id":"wren","data":{}}\n')
    expect(await job.ulmus('other', 'push', '--trusted')).toMatchObject({ code: 0, out: 'v1.1.0\n' })
    expect(await job.ulmus('birds', 'pull', '--trusted')).toMatchObject({ code: 0, out: 'v1.1.0\n' })
    expect(await job.ulmus('birds', 'checkout', 'v1.0.0', '--trusted')).toMatchObject({ code: 0 })
    expect(await job.ulmus('birds', 'diff', 'v1.0.0', 'v1.1.0', '--trusted')).toMatchObject({ code: 0 })
    expect((await job.ulmus('.', 'get', 'ada/secret', '--trusted')).out).toContain('wren')
    expect(await job.ulmus('.', 'verify', 'ada/secret', '--trusted')).toMatchObject({ code: 0 })
    expect(await job.ulmus('.', 'export', 'ada/secret', '--trusted')).toMatchObject({ code: 0 })

    const folder = join(job.home, '.config/ulmus/jobs')
    const [file, ...others] = readdirSync(folder).map((name) => join(folder, name))
    expect(others).toEqual([])
    expect([statSync(file!).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700])
    expect(readFileSync(file!, 'latin1')).not.toContain('ul_')
    const place = { host: server.url, collection: 'ada/secret', secret: env.ULMUS_ID_TOKEN }
    const home = { XDG_CONFIG_HOME: join(job.home, '.config') }
    const { key, until } = readJobKey(home, place)!
    expect(until).toBeGreaterThan(Date.now() + 200_000)
    expect(until).toBeLessThanOrEqual(Date.now() + 300_000)
    for (const other of [{ secret: 'x' }, { collection: 'ada/birds' }, { host: 'http://x' }])
      expect(readJobKey(home, { ...place, ...other })).toBeUndefined()

    const next = jobWith({ ...home, ULMUS_ID_TOKEN: await jobs.token(server.url, { sha: 'f'.repeat(40) }) })
    expect(await next.ulmus('.', 'clone', '--trusted', 'ada/secret', 'birds')).toMatchObject({ code: 0 })
    appendFileSync(join(next.home, 'birds/records/Bird.ndjson'), '{"id":"tit","data":{}}\n')
    expect(await next.ulmus('birds', 'push', '--trusted')).toMatchObject({ code: 0, out: 'v1.2.0\n' })
    const shown = JSON.parse((await ada.ulmus('.', 'show', 'ada/secret@v1.2.0', '--json')).out)
    expect(shown.workload.claims.sha).toBe('f'.repeat(40))

    writeJobKey(home, place, { key, until: Date.now() - 1 })
    const late = await job.ulmus('birds', 'pull', '--trusted')
    expect(late).toMatchObject({ code: 4, said: expect.stringContaining('token works only once') })
  })

  test('a job without a token learns how to get one; a pod has a file', async () => {
    const job = jobWith({})
    await job.ulmus('.', 'clone', 'ada/birds')
    expect((await job.ulmus('birds', 'push', '--trusted', '--snapshot')).said).toMatch(
      /id_tokens[\s\S]*set ULMUS_ID_TOKEN/,
    )
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-pod-'))
    writeFileSync(join(folder, 'token'), 'a.b.c\n')
    expect(await openJob({}, server.url, fetch, join(folder, 'token')).token()).toBe('a.b.c')
    expect(await openJob({ ULMUS_ID_TOKEN: 'd.e.f' }, server.url, fetch, join(folder, 'token')).token()).toBe(
      'd.e.f',
    )
    rmSync(folder, { recursive: true })
  })
})
