/**
 * Demo of the main task on real data, as a new user would do it: sign in, make a key and an organization, publish, change, fork, share, read
 * everything back and verify it. Usage: npm run demo [-- --url http://127.0.0.1:4000]
 */
import { parseArgs } from 'node:util'
import { type Client, createClient, UlmusError } from '@ulmus/client'
import { shareWithColleague } from './collaborator.ts'
import { publish } from './publish.ts'
import { readBack } from './read-back.ts'
import { bytesText, countText, nameWidth, openReport, type Report, timeText } from './report.ts'
import { signIn } from './sign-in.ts'
import { citiesSource } from './sources/cities.ts'
import { countriesSource } from './sources/countries.ts'
import { licensesSource } from './sources/licenses.ts'
import { sheetsSource } from './sources/sheets.ts'
import { privateTexts, stationsSource } from './sources/stations.ts'

const person = { login: 'mercator', name: 'Gerard Mercator', email: 'mercator@example.org' }
const keyLabel = 'npm run demo'
const sources = [countriesSource, licensesSource, stationsSource, citiesSource]

async function run(baseUrl: string, report: Report): Promise<void> {
  report.line(`Ulmus demo against ${baseUrl}`)
  await expectServer(baseUrl)

  report.section('Who we are')
  const session = await report.step(
    'sign in by OIDC',
    () => openSession(baseUrl),
    () => 'a session cookie',
  )
  const me = await session.accounts.me()
  const key = await report.step(
    'API key',
    () => makeKey(session),
    (raw) => `${raw.slice(0, 9)}…`,
  )
  const client = createClient({ baseUrl, apiKey: key })
  const org = await report.step(
    'organization',
    () => ensureOrg(client),
    (slug) => slug,
  )

  for (const source of sources) await publish(client, me.slug, source, report)

  report.section('Fork')
  const city = citiesSource.slug
  await report.step(
    `${me.slug}/${city} into ${org}`,
    () => fork(client, `${me.slug}/${city}`, org),
    (said) => said,
  )

  await readEverything(
    baseUrl,
    client,
    [...sources.map(({ slug }) => `${me.slug}/${slug}`), `${org}/${city}`],
    report,
  )
  await publish(client, me.slug, sheetsSource, report)
  await shareWithColleague(baseUrl, client, `${me.slug}/${sheetsSource.slug}`, report)
  farewell(baseUrl, me.slug, org, report)
}

async function expectServer(baseUrl: string): Promise<void> {
  const ready = await fetch(new URL('/readyz', baseUrl)).catch(() => undefined)
  if (ready?.ok !== true) {
    throw new Error(
      `No registry is ready at ${baseUrl}. Start one with \`npm start\`, or set ULMUS_HOST to its address`,
    )
  }
  await ready.body?.cancel()
}

async function openSession(baseUrl: string): Promise<Client> {
  const { fetch } = await signIn(baseUrl, person)
  return createClient({ baseUrl, fetch })
}

/** Makes a new key and revokes the one of an earlier run: raw keys are shown only once. */
async function makeKey(session: Client): Promise<string> {
  const keys = await Array.fromAsync(session.keys.list())
  for (const { id } of keys.filter((key) => key.label === keyLabel)) await session.keys.revoke(id)
  return (await session.keys.create({ label: keyLabel, scope: 'admin' })).key
}

const orgName = 'Atlas'

/** The organization of an earlier run, or a new one with the first free slug. */
async function ensureOrg(client: Client): Promise<string> {
  const memberships = await Array.fromAsync(client.accounts.memberships())
  const own = memberships.find(({ account, role }) => account.displayName === orgName && role === 'owner')
  if (own !== undefined) return own.account.slug
  for (let n = 1; ; n++) {
    try {
      return (await client.orgs.create({ slug: n === 1 ? 'atlas' : `atlas-${n}`, displayName: orgName })).slug
    } catch (error) {
      if (!(error instanceof UlmusError && error.code === 'slug_taken')) throw error
    }
  }
}

async function fork(client: Client, source: string, org: string): Promise<string> {
  try {
    const made = await client.collections.fork(source, { targetOrg: org })
    return `${made.version.semver}, ${countText(made.version.recordCount)} records, from ${made.forkedFrom.version}`
  } catch (error) {
    if (error instanceof UlmusError && error.code === 'slug_taken')
      return 'is there already, from an earlier run'
    throw error
  }
}

/** Reads everything as a member, then as the public. */
async function readEverything(
  baseUrl: string,
  client: Client,
  refs: string[],
  report: Report,
): Promise<void> {
  const readers = [
    { title: 'Read back as a member', as: client, forbidden: [] },
    { title: 'Read back as anyone', as: createClient({ baseUrl }), forbidden: privateTexts },
  ]
  for (const { title, as, forbidden } of readers) {
    report.section(`${title} (hashes, counts, digest, a proof, files)`)
    for (const ref of refs) {
      await report.step(
        ref,
        (progress) => readBack(as, ref, progress, ref.endsWith(`/${stationsSource.slug}`) ? forbidden : []),
        ({ semver, digest, records, bytes }) =>
          `${semver}, ${countText(records)} records, ${bytesText(bytes)}, ${digest.slice(0, 20)}…`,
      )
    }
  }
}

function farewell(baseUrl: string, user: string, org: string, report: Report): void {
  const api = `${baseUrl}/api/collections`
  report.section('The slowest steps')
  for (const { name, seconds } of report.times().slice(0, 5))
    report.line(`  ${timeText(seconds).padStart(8)}  ${name}`)
  report.section('Where to look')
  const places = {
    'the collections': `${baseUrl}/explore`,
    'cities, a page of them': `${baseUrl}/${user}/cities/records/City`,
    'versions, and what changed': `${baseUrl}/${user}/cities/versions`,
    'the fork': `${baseUrl}/${org}/cities`,
    'without keeperEmail and Visit, which are private': `${baseUrl}/${user}/stations`,
    'the same as JSON': `${api}/${user}/stations/versions/latest`,
    'private; sign in as mercator or hondius': `${baseUrl}/${user}/${sheetsSource.slug}`,
    'the API reference': `${baseUrl}/docs/api`,
  }
  for (const [what, url] of Object.entries(places)) report.line(`  ${what.padEnd(nameWidth)} ${url}`)
  report.line(`\nEverything that was read back is what was published.`)
}

const usage = `npm run demo [-- --url URL]

  Publishes five collections at a registry that was started with its own sign-in, changes and forks one, shares a
  private one with a collaborator, reads everything back and checks it. It can be run again.

  --url URL  The registry (default: ULMUS_HOST, else http://127.0.0.1:4000)
  --help     Show this help
`

try {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: process.env['ULMUS_HOST'] || 'http://127.0.0.1:4000' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) process.stdout.write(usage)
  else await run(values.url.replace(/\/+$/, ''), openReport(process.stdout))
} catch (error) {
  const facts =
    error instanceof UlmusError && Object.keys(error.body).length > 0
      ? `\n${JSON.stringify(error.body, null, 2)}`
      : ''
  console.error(`\n${error instanceof Error ? error.message : error}${facts}`)
  process.exitCode = 1
}
