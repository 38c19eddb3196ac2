/** The page of trusted publishers, and the job that pages of versions name. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linksOf } from '../testing/crawl.ts'
import { clusterIssuer, jobClaims, jobIssuer, trustedJobs } from '../testing/jobs.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { expectStatus, type TestClient, testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('trusted publishers on pages, on $name', (database) => {
  let stage: Stage
  let jobs: Awaited<ReturnType<typeof trustedJobs>>
  let ada: TestClient
  let anyone: TestClient
  let admin: TestClient
  const { project_path: project } = jobClaims

  beforeAll(async () => {
    jobs = await trustedJobs()
    stage = await setStage(database, { trustedIssuersFile: jobs.file })
    ada = testClient(stage.server.url, await stage.server.signIn('ada'), '')
    admin = await stage.keyOfAda('admin')
    anyone = testClient(stage.server.url, undefined, '')
  })
  afterAll(async () => {
    await stage.end()
    jobs.end()
  })

  const opened = async () => {
    const { path, slug } = await stage.newCollection()
    const page = `/ada/${slug}/publishing`
    const list = async () => (await admin.get(`${path}/publishers`)).json.publishers
    return { path, slug, page, list }
  }
  const chosen = { shows: 'everyone', lifetimeMinutes: '5' }

  test('a repository is added by its address, and removed', async () => {
    const { slug, page, list } = await opened()
    expect(linksOf({ ...(await ada.get(`/ada/${slug}/settings`)), path: `/ada/${slug}/settings` })).toContain(
      page,
    )
    const empty = await ada.get(page)
    expect([empty.status, empty.text.includes('No project may publish yet.')]).toEqual([200, true])
    const address = `${jobIssuer}/${project}/-/tree/main`
    const form = { do: 'repository', address, branch: 'main', environment: '', ...chosen }
    const added = await ada.postForm(page, form)
    expect([added.status, added.headers.location]).toEqual([303, `${page}?saved=publisher-added`])
    const [publisher] = await list()
    expect(publisher).toMatchObject({
      ...{ issuer: jobIssuer, label: project, shows: 'everyone', lifetimeMinutes: 5 },
      claims: { project_path: project, ref: 'main', ref_type: 'branch' },
    })
    const shown = await ada.get(page)
    for (const text of [`project_path=${project}`, 'none pinned', 'never']) expect(shown.text).toContain(text)
    expect(shown.text).toContain('write, 5 minutes')
    expect(shown.text).toContain('Everyone who may read the version</td>')
    const said = async (to: string) =>
      /role="status">(?:<svg.*?<\/svg>)?([^<]+)/.exec((await ada.get(to)).text)?.[1]
    expect(await said(added.headers.location!)).toMatch(/^The trusted publisher is added/)
    const removed = await ada.postForm(page, { do: 'remove', id: publisher.id })
    expect(await said(removed.headers.location!)).toMatch(/^The trusted publisher is removed/)
    expect(await list()).toEqual([])
  })

  test('a service account and any claims are added, and faults keep what was entered', async () => {
    const { page, list } = await opened()
    await ada.postForm(page, {
      do: 'account',
      issuer: clusterIssuer,
      namespace: 'cities',
      account: 'publisher',
      ...chosen,
    })
    const claims = `project_id = 22\r\nref_type=branch\r\n`
    await ada.postForm(page, { do: 'claims', issuer: jobIssuer, claims, ...chosen })
    expect((await list()).map(({ claims: one }: { claims: object }) => one)).toEqual([
      { sub: 'system:serviceaccount:cities:publisher' },
      { project_id: '22', ref_type: 'branch' },
    ])
    const elsewhere = { do: 'repository', address: 'https://evil.example/<a>/b', branch: 'main', ...chosen }
    const refused = await ada.postForm(page, elsewhere)
    expect(refused.status).toBe(400)
    const trusted = new URL(jobIssuer).host
    expect(refused.text).toContain(
      `not the address of a repository at a host that this registry trusts: ${trusted}.`,
    )
    expect(refused.text).toContain('https://evil.example/&lt;a>/b')
    const starred = await ada.postForm(page, {
      do: 'claims',
      issuer: jobIssuer,
      claims: 'project_path=*',
      ...chosen,
    })
    // Once above the forms and once at the field, which keeps its help.
    expect([starred.status, starred.text.match(/must not have/g)?.length]).toEqual([400, 2])
    expect(starred.text).toMatch(
      /<details class="claims" open>.*project_path=\*.*class="fault" id="fault-claims-claims"/s,
    )
    expect(starred.text).toContain('A token must have all of them.')
    expect(starred.text.match(/aria-invalid/g)).toHaveLength(1)
    const empty = await ada.postForm(page, { do: 'claims', issuer: jobIssuer, claims: '', ...chosen })
    expect(empty.text).toContain('Write at least one claim')
    expect(await list()).toHaveLength(2)
  })

  test('the page of a version names its job to the readers that may know it', async () => {
    const { path, slug, page } = await opened()
    for (const shows of ['everyone', 'members']) {
      const address = `${jobIssuer}/${project}`
      await ada.postForm(page, { do: 'repository', address, branch: 'main', ...chosen, shows })
      const { json } = await expectStatus(jobs.exchange(stage.server.url, `ada/${slug}`), 200)
      const job = testClient(stage.server.url, json.access_token as string)
      if (shows === 'everyone') {
        const { session_id } = (await job.post(`${path}/pushes`, { base_version: null, schemas: { A: {} } }))
          .json
        await expectStatus(job.post(`${path}/pushes/${session_id}/commit`), 201)
      } else await expectStatus(job.patch(`${path}/metadata`, { title: 'Cities' }))
      const id = (await admin.get(`${path}/publishers`)).json.publishers[0].id
      expect((await ada.get(page)).text).toContain('project_id=22')
      await admin.delete(`${path}/publishers/${id}`)
      const names = async (client: TestClient) => {
        const { text } = await client.get(`/ada/${slug}`)
        return /Published by.*atlas\/cities.*@ 714a629.*<code>main<\/code> \(protected\), gitlab\.example/s.test(
          text,
        )
      }
      expect([await names(ada), await names(anyone)]).toEqual([true, shows === 'everyone'])
    }
    const versions = await anyone.get(`/ada/${slug}/versions`)
    expect(versions.text.match(/published by/g)).toHaveLength(1)
    expect(versions.text).toContain(`href="${jobIssuer}/${project}/-/jobs/302"`)
  })

  test('only publishers publish, until an admin says otherwise', async () => {
    const { path, page } = await opened()
    expect((await ada.get(page)).text).toContain('nothing can be published then')
    const saved = await ada.postForm(page, { do: 'only', only: 'on' })
    expect((await ada.get(saved.headers.location!)).text).toContain('Saved: only trusted publishers')
    expect((await anyone.get(`/api${path}`)).json.publishersOnly).toBe(true)
    const opening = { base_version: null, schemas: { A: {} } }
    expect((await stage.ada.post(`${path}/pushes`, opening)).json.code).toBe('publishers_only')
    await ada.postForm(page, { do: 'only' })
    expect((await stage.ada.post(`${path}/pushes`, opening)).status).toBe(201)
  })

  test('a registry without issuers says who turns them on', async () => {
    const without = await setStage(database)
    const { slug } = await without.newCollection()
    const ben = testClient(without.server.url, await without.server.signIn('ada'), '')
    expect((await ben.get(`/ada/${slug}/publishing`)).text).toContain('TRUSTED_ISSUERS_FILE')
    await without.end()
  })
})
