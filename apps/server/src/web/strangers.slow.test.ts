/**
 * Text on all pages, and in all JSON that they link to, for strangers: of half-hidden collections only what the content model shows; of
 * hidden collections the same bytes as of absent ones. content-model §6, http-api §1.
 */
import { gunzipSync } from 'node:zlib'
import { anyDatabase } from '@ulmus/storage/testing'
import { openWeb, type PagePath, table, withForm } from '@ulmus/web'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { crawl, type Fetched } from '../testing/crawl.ts'
import { type HalfHidden, type Plan, plans, publish, tokenOf, tokensIn } from '../testing/half-hidden.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { expectStatus, type TestClient, type TestResponse, testClient } from '../testing/test-client.ts'

/** A run takes a minute: each has other collections, so that runs of other days find what these do not. */
const runs = process.env['FULL'] === '1' ? 6 : 3
/** Each step of shrinking repeats the crawl: report the first failure, whose seed repeats it. */
const reportAtOnce = { endOnFailure: true } as const
const patterns = Object.keys(table) as PagePath[]

/** False for other orders of a table than that by id, and for several parts of a page at once: each alone shows what it can. */
const isPlain = (path: string): boolean => {
  const parts =
    path.match(
      /[?&](?:facets=1|profiles=\d|cite=1|view=(?:chart|map|gallery)|as=|bars=|field=|sort=|columns=|filter=)/g,
    ) ?? []
  return parts.length < 2 && !/[?&]sort=(?!_id\b)/.test(path)
}

describe.each(anyDatabase)('strangers on $name', (database) => {
  let stage: Stage
  let anyone: TestClient
  /** Signed in, and without memberships here. */
  let eve: TestClient
  let ada: TestClient
  /** Pages open to strangers. */
  let open: PagePath[]
  const all: (HalfHidden & { named?: string })[] = []

  beforeAll(async () => {
    const { site } = readConfig({ CONTACT: 'security@registry.example' })
    stage = await setStage(database, { rateLimits: null, site })
    anyone = testClient(stage.server.url, undefined, '')
    eve = testClient(stage.server.url, { cookie: (await stage.server.signIn('eve')).cookie }, '')
    const { cookie } = await stage.server.signIn('ada', { email: `${tokenOf('mail')}@example.org` })
    ada = testClient(stage.server.url, { cookie }, '')
    const { pages } = await openWeb()
    open = patterns.filter((pattern) => pages[table[pattern]!].needsCaller !== true)
    await expectStatus(
      (await stage.keyOfAda('admin')).post('/accounts', { slug: 'atlas', displayName: 'Atlas' }),
      201,
    )
  })
  afterAll(() => stage.end())

  test('read what is public of half-hidden collections, and no more', async () => {
    const reached = new Map<PagePath, number>()
    let answers = 0
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const made = await published(plan)
        const isInside = (path: string) =>
          (made.some(({ owner, slug }) => isOf(path, owner, slug)) && isPlain(path)) ||
          /^\/(?:ada|atlas|explore|api\/accounts\/(?:ada|atlas)|api\/collections)(?:\/-\/[\w.]+)?(?:\?|$)/.test(
            path,
          ) ||
          /^\/(?:[\w.]*|docs(?:\/[a-z]+)+)$/.test(path)
        const starts = [
          '/',
          '/robots.txt',
          '/.well-known/security.txt',
          '/explore',
          '/ada',
          '/atlas',
          ...made.flatMap(guessed),
        ]
        const pages = await crawl(anyone, starts, { isInside, onPage: (page) => showsNoMore(page) })
        answers += pages.size
        for (const [path, { status }] of pages) {
          const pattern = patternOf(path)
          if (pattern !== undefined && (status === 200 || status === 302))
            reached.set(pattern, (reached.get(pattern) ?? 0) + 1)
        }
        // Pages for members, and pages that depend on the caller.
        await seesNoMore(eve, made.flatMap(everyPage))
        const seen = [...pages.keys()].filter((path) => /^\/(?:ada|atlas)\/[^/]/.test(path))
        await seesNoMore(ada, seen.map(asPublic))
      }),
      { numRuns: runs, ...reportAtOnce },
    )
    expect(open.filter((pattern) => !reached.has(pattern))).toEqual([])
    expect(answers).toBeGreaterThan(runs * 100)
    const untold = all
      .filter(({ owner }) => owner === 'ada')
      .flatMap(({ shown, words }) =>
        [...shown].filter(([version, known]) => ![...words.get(version)!].some((word) => known.has(word))),
      )
    expect(untold.length, 'versions in which private things alone changed').toBeGreaterThan(0)
  }, 900_000)

  /** Publishes the plan's collection, a public fork of it, a private collection with a public fork, and a hidden one. */
  async function published(generated: Plan): Promise<HalfHidden[]> {
    // After a failure, fast-check retries with a smaller plan; use other names.
    const plan = { ...generated, seed: `${generated.seed} ${all.length}` }
    // Only a fork whose source is public, and has versions since, links to what it lacks: one plan has it whatever is generated.
    if (all.length === 0) Object.assign(plan, { forkedAfter: 0, endsPrivate: false })
    let fork: HalfHidden | undefined
    let made = await publish(stage.ada, 'ada', plan, async (version, source) => {
      if (version === plan.forkedAfter) fork = await forkOf(source)
    })
    fork ??= await forkOf(made)
    const secret = await publish(stage.ada, 'ada', { ...plan, seed: `${plan.seed} secret` })
    const named = tokenOf(`${plan.seed} name`)
    await change(secret, { public: false, name: named, description: `About ${named}` })
    const openFork = await forkOf(secret)
    await change(openFork, { public: true, name: 'Open', description: 'Open' })
    if (plan.endsPrivate) {
      await change(made, { public: false })
      made = { ...made, isPublic: false }
    }
    for (const words of [secret.slug, named]) {
      const found = await anyone.get(`/api/collections?search=${words}`)
      expect([found.status, found.json.length]).toEqual([200, 0])
    }
    const here = [made, fork, { ...secret, isPublic: false, named }, openFork]
    for (const one of here) await ask(one)
    all.push(...here)
    return here
  }

  /** Saves questions for members about all types, and public ones where that is possible. */
  async function ask({ owner, slug, typeNames }: HalfHidden): Promise<void> {
    for (const type of typeNames)
      for (const question of [{ name: type }, { name: 'Asked', public: true }]) {
        const { status } = await stage.ada.post(`/collections/${owner}/${slug}/questions`, {
          ...question,
          type,
        })
        expect([201, 404, 422]).toContain(status)
      }
  }

  const change = ({ owner, slug }: { owner: string; slug: string }, changes: object) =>
    expectStatus(stage.ada.patch(`/collections/${owner}/${slug}`, changes), 200)

  /** A fork contains only what the source's latest version shows, and nothing of earlier versions. */
  async function forkOf(source: HalfHidden): Promise<HalfHidden> {
    const slug = `fork-${tokenOf(`fork of ${source.slug}`)}`
    await expectStatus(
      stage.ada.post(`/collections/ada/${source.slug}/fork`, { targetOrg: 'atlas', slug }),
      201,
    )
    const words = source.words.get(source.latest)!
    const shown = [...source.shown.get(source.latest)!].filter((token) => !words.has(token))
    return {
      ...source,
      ...{ owner: 'atlas', slug, latest: 'v1.0.0' },
      shown: new Map([['v1.0.0', new Set(shown)]]),
      hidden: new Map([['v1.0.0', source.hidden.get(source.latest)!]]),
    }
  }

  /** All pages of a collection, of its latest and its other versions, including hidden names. */
  function everyPage({ owner, slug, hidden, latest }: HalfHidden): string[] {
    const [version] = hidden.keys()
    const { types, records } = hidden.get(latest)!
    const { type, id } = records[0] ?? { type: types[0] ?? 'None', id: 'none' }
    const pair = `${version}...${latest}`
    const parts = { owner, slug, version: version!, type, id, pair, question: 'asked' }
    const other = { from: owner, pair: `${slug}@${version}...${latest}`, name: 'reading' }
    return patterns.map((pattern) =>
      pathOf(pattern, pattern.includes(':from') ? { ...parts, ...other } : { ...parts, name: 'reading' }),
    )
  }

  /** Paths that a stranger could guess. */
  function guessed({ owner, slug, hidden, files }: HalfHidden): string[] {
    const at = `/${owner}/${slug}`
    const api = `/api/collections${at}`
    return [
      ...['', '?view=full', '?view=public', '/push', '/settings', '/edit', '/fork'].map(
        (rest) => `${at}${rest}`,
      ),
      ...files.flatMap((hash) => [`${api}/files/${hash}`, `${at}/files?hash=${encodeURIComponent(hash)}`]),
      ...[...hidden].flatMap(([version, { types, records }]) => [
        ...types.flatMap((type) => [
          `${at}/v/${version}/records/${type}`,
          `${at}/v/${version}/schemas?type=${type}`,
        ]),
        ...records.flatMap(({ type, id }) => [
          `${at}/v/${version}/records/${type}/${id}`,
          `${at}/v/${version}/records/${type}?id=${id}`,
          `${at}/v/${version}/record?type=${type}&id=${id}`,
          `${api}/versions/${version}/records/${type}/${id}?proof=true`,
          `${api}/records/${type}/${id}/history`,
        ]),
      ]),
    ]
  }

  async function seesNoMore(who: TestClient, paths: readonly string[]): Promise<void> {
    for (const path of paths) showsNoMore({ path, ...(await who.get(path)) }, who === ada)
  }

  function showsNoMore(page: Fetched, isMember = false): void {
    const isArchive = page.headers['content-type'] === 'application/gzip'
    const body = isArchive ? gunzipSync(page.bytes).toString('latin1') : page.text
    const text = decodedToo(`${withoutViewLine(body)}\n${JSON.stringify(page.headers)}`)
    const known = knownAt(page.path, isMember)
    const told = new Set(tokensIn(text).filter((token) => !known.has(token)))
    expect([page.path, [...told]]).toEqual([page.path, []])
    const files = all
      .flatMap((one) => one.files)
      .filter((hash) => !known.has(hash) && !page.path.includes(hash.slice(7)))
    expect([page.path, files.filter((hash) => text.includes(hash.slice('sha256:'.length)))]).toEqual([
      page.path,
      [],
    ])
    expect([page.path, page.status < 500]).toEqual([page.path, true])
  }

  /** Facts that a path may reveal: the names in it, and the public part of the versions that it names. */
  function knownAt(path: string, isMember: boolean): ReadonlySet<string> {
    const known = new Set(tokensIn(path))
    const open = all.filter(({ isPublic }) => isPublic)
    for (const token of open.flatMap(({ slug }) => tokensIn(slug))) known.add(token)
    const named = [...path.matchAll(/v\d+\.\d+\.\d+/g)].map(([version]) => version)
    const isOfAll = /\/(?:versions(?:\.atom)?|feed\.json|history)(?:\?|$)|\/files\/sha256:/.test(path)
    const feedOf = /^\/(\w+)\/-\/feed\.atom(?:\?|$)/.exec(path)?.[1]
    const isOfLatest = named.length === 0 || path.includes('/versions/latest/')
    // A comparison concerns two collections.
    const meant = all.filter(
      (one) => `${decodeURIComponent(path)}/`.search(new RegExp(`[/=]${one.owner}/${one.slug}[/?@]`)) >= 0,
    )
    if (feedOf !== undefined) {
      // The feed of an account has the messages of all versions.
      for (const one of open.filter(({ owner }) => owner === feedOf))
        for (const words of one.shown.values()) for (const token of words) known.add(token)
    } else if (meant.length === 0) {
      // Cards in lists name the types that the public reads now.
      for (const one of open) for (const token of one.shown.get(one.latest) ?? []) known.add(token)
    }
    for (const one of meant.filter(({ isPublic }) => isPublic || isMember)) {
      if (!one.isPublic) for (const token of tokensIn(one.slug + one.named)) known.add(token)
      const versions = isOfAll ? [...one.shown.keys()] : [...named, ...(isOfLatest ? [one.latest] : [])]
      for (const version of versions) for (const token of one.shown.get(version) ?? []) known.add(token)
    }
    return known
  }

  test('see hidden parts as absent, on every page', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(slugs, async (slug) => {
        const absent = otherNameLike(slug)
        await expectStatus(stage.ada.post('/accounts/ada/collections', { slug, public: false }), 201)
        await stage.push(`/collections/ada/${slug}`, {
          opening: { schemas: { A: {} } },
          puts: [{ id: 'a', type: 'A', data: {} }],
        })
        // The former name must lead nowhere, either.
        const former = `former-${slug}`
        const was = await stage.newCollection({ public: false })
        await change({ owner: 'ada', slug: was.slug }, { slug: former })
        await change({ owner: 'ada', slug: former }, { slug: `now-${slug}` })
        const pairs = [
          [slug, absent],
          [former, otherNameLike(former)],
        ] as const
        const { slug: known } = await stage.newCollection()
        await stage.push(`/collections/ada/${known}`, { opening: { schemas: { A: {} } } })
        const parts = {
          owner: 'ada',
          version: 'v1.0.0',
          type: 'A',
          id: 'a',
          pair: 'v1.0.0...v1.0.0',
          from: 'ada',
        }
        for (const pattern of patterns.filter((one) => one.includes(':slug'))) {
          for (const who of [anyone, eve]) {
            for (const names of pairs) {
              const paths = names.map((name) => pathOf(pattern, { ...parts, slug: name }))
              compared += await areSame(who, paths, names, withForm.has(table[pattern]!))
            }
          }
        }
        for (const names of pairs) {
          const paths = names.map((name) => `/ada/${known}/compare/ada/${name}@v1.0.0...v1.0.0`)
          for (const who of [anyone, eve]) compared += await areSame(who, paths, names, false)
        }
        await expectStatus(stage.ada.delete(`/collections/ada/${slug}`), 200)
      }),
      { numRuns: 4, ...reportAtOnce },
    )
    expect(compared).toBeGreaterThan(4 * 100)
  }, 120_000)

  test('see hidden parts of a collection as absent', async () => {
    const plan = fc.sample(plans, { numRuns: 1, seed: 7 })[0]!
    const source = await publish(stage.ada, 'ada', { ...plan, seed: 'guessed' })
    all.push(source)
    const { owner, slug, hidden, files, shown } = source
    let compared = 0
    for (const [version, { types, records }] of hidden) {
      const hash = files.find((one) => !shown.get(version)!.has(one))!
      const names = [...types.map((type) => ({ type, id: 'a' })), ...records]
      for (const { type, id } of names) {
        const at = `/${owner}/${slug}`
        const guesses = [
          `${at}/v/${version}/records/${type}`,
          `${at}/v/${version}/records/${type}/${id}`,
          `${at}/v/${version}/records/${type}?id=${id}`,
          `${at}/v/${version}/record?type=${type}&id=${id}`,
          `${at}/v/${version}/schemas?type=${type}`,
          `${at}/v/${version}/files?hash=${hash}`,
          `${at}/records/${type}/${id}/edit`,
        ]
        const secrets = [...new Set([...tokensIn(type + id), hash.slice('sha256:'.length)])].filter(
          (one) => !shown.get(version)!.has(one),
        )
        const others = secrets.map((one) => (one.length === 64 ? '0'.repeat(64) : tokenOf(one)))
        for (const guess of guesses) {
          const other = secrets.reduce((path, one, n) => path.replaceAll(one, others[n]!), guess)
          if (other === guess) continue
          for (const who of [anyone, eve])
            compared += await areSame(who, [guess, other], [secrets, others].map(String), false)
        }
      }
    }
    expect(compared).toBeGreaterThan(50)
  }, 120_000)

  test('follow cursors that name nothing hidden', async () => {
    const { path, slug } = await stage.newCollection()
    const numbered = Array.from({ length: 130 }, (_, n) => `${n}`.padStart(3, '0'))
    const puts = numbered.map((number, n) => {
      const isPrivate = n % 2 === 1 || n > 120
      return {
        id: `${number}-${isPrivate ? tokenOf(number) : 'open'}`,
        type: 'A',
        data: { n },
        private: isPrivate,
      }
    })
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: puts.slice(0, 1) })
    await stage.push(path, { base: 'v1.0.0', puts })
    const isInside = (to: string) => isOf(to, 'ada', slug)
    const starts = [
      `/ada/${slug}/records`,
      `/ada/${slug}/compare/v1.0.0...v1.1.0`,
      `/api${path}/versions/latest/records?limit=7`,
    ]
    const pages = await crawl(anyone, starts, { isInside, onPage: (page) => showsNoMore(page) })
    for (const [cursor, least] of [
      [/\/records\/A\?after=/, 1],
      [/compare\/.*\?cursor=/, 1],
    ] as const)
      expect([...pages.keys()].filter((to) => cursor.test(to)).length).toBeGreaterThanOrEqual(least)
  })

  /** Compares the answers for both names in all kinds of requests. Returns the number of requests. */
  async function areSame(
    who: TestClient,
    paths: readonly string[],
    names: readonly string[],
    hasForm: boolean,
  ): Promise<number> {
    const asks: ((path: string) => Promise<TestResponse>)[] = [
      (path) => who.get(path),
      (path) => who.request('HEAD', path),
    ]
    if (hasForm) asks.push((path) => who.request('POST', path, { body: 'do=a', headers: form }))
    for (const ask of asks) {
      const [hidden, absent] = await Promise.all(
        paths.map(async (path, n) => plain(await ask(path), names[n]!)),
      )
      expect([paths, hidden]).toEqual([paths, absent])
    }
    return asks.length
  }
})

const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** Longer than any text that pages contain anyway. */
const slugs = fc.stringMatching(/^[a-z0-9][a-z0-9-]{8,30}[a-z0-9]$/)

/** A different name of the same length. */
const otherNameLike = (name: string): string =>
  name
    .replace(/[a-z]/g, (sign) => (sign === 'z' ? 'a' : String.fromCharCode(sign.charCodeAt(0) + 1)))
    .replace(/\d/g, (digit) => `${(Number(digit) + 1) % 10}`)

/** An answer without the requested names in any encoding, and without values that differ in every answer. */
function plain({ status, headers, text }: TestResponse, names: string): unknown {
  const { date, 'x-request-id': id, etag, ...rest } = headers
  const strip = (of: string) => names.split(',').reduce((left, name) => left.replaceAll(name, 'NAME'), of)
  return { status, headers: strip(JSON.stringify(rest)), text: strip(text) }
}

const isOf = (path: string, owner: string, slug: string): boolean =>
  new RegExp(`^/(?:api/collections/)?${owner}/${slug}(?:[/?]|$)`).test(path)

/** Removes the line for members about private parts. */
const withoutViewLine = (html: string): string => html.replace(/<p class="note view-line">.*?<\/p>/gs, '')

/** Adds the decoded text of base64url cursors. */
const decodedToo = (text: string): string =>
  text.replace(
    /(?:cursor|after)["=:]+([\w%-]{8,})/gi,
    (all, cursor: string) => `${all} ${Buffer.from(decodeURIComponent(cursor), 'base64url')}`,
  )

function asPublic(path: string): string {
  const url = new URL(path, 'http://here')
  url.searchParams.set('view', 'public')
  return `${url.pathname}${url.search}`
}

/** The table's pattern for a path: the one with the fewest parameters. */
function patternOf(path: string): PagePath | undefined {
  const { pathname } = new URL(path, 'http://here')
  const parts = pathname.split('/')
  const fits = patterns.filter((pattern) => {
    const wanted = pattern.split('/')
    return (
      wanted.length === parts.length &&
      wanted.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at])) &&
      !/^\/(?:api|auth|assets|dev)\b/.test(pathname)
    )
  })
  const parameters = (pattern: string) => pattern.split(':').length
  return fits.sort((a, b) => parameters(a) - parameters(b))[0]
}

const pathOf = (pattern: PagePath, parts: Record<string, string>): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts[name]!))
