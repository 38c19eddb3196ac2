/**
 * How many of our files a flow enters: those of which a function runs between a request and its answer, on the thread that answers.
 * Usage: node bench/flows.ts [--list]
 */
import { mkdtempSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveForTest } from '../apps/server/src/testing/serve.ts'

const root = join(import.meta.dirname, '..')
const server = await serveForTest({ folder: mkdtempSync(join(tmpdir(), 'ulmus-flows-')) })
const { cookie } = await server.signIn('ada')
const authorization = `Bearer ${await server.keyFor(cookie, 'admin')}`

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
  const answer = await fetch(`${server.url}/api${path}`, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body: text }),
  })
  const said = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${said}`)
  return answer.headers.get('content-type')?.includes('ndjson')
    ? {}
    : (JSON.parse(said) as Record<string, unknown>)
}

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')

/** Our files of which a function ran while `flow` did. */
async function filesEntered(flow: () => Promise<unknown>): Promise<string[]> {
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await inspector.post('Profiler.takePreciseCoverage')
  await flow()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  await inspector.post('Profiler.stopPreciseCoverage')
  return result
    .filter(
      ({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]!.count > 0),
    )
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter(
      (path) =>
        /^(?:packages|apps)\//.test(path) && !path.includes('/testing/') && !path.includes('node_modules'),
    )
    .sort()
}

const at = '/collections/ada/flows'
await call('POST', '/accounts', { slug: 'flow-org', displayName: 'Flows' })
await call('POST', '/accounts/ada/collections', { slug: 'flows', public: true })
const push = async (base: string | null) => {
  const { session_id: id } = await call('POST', `${at}/pushes`, { base_version: base, schemas: { T: {} } })
  const lines = Array.from({ length: 5_000 }, (_, n) =>
    JSON.stringify({ id: `${n}`, type: 'T', data: { n, base } }),
  )
  await call('POST', `${at}/pushes/${id}/records`, lines.join('\n'))
  return `${at}/pushes/${id}/commit`
}
await call('POST', await push(null), {})

let forks = 0
const flows: Record<string, () => Promise<unknown>> = {
  'metadata update': () => call('PATCH', `${at}/metadata`, { now: Date.now() }),
  'records.ndjson': () => call('GET', `${at}/versions/latest/records.ndjson`),
  fork: () => call('POST', `${at}/fork`, { targetOrg: 'flow-org', slug: `f${++forks}` }),
}
for (const flow of Object.values(flows)) await flow()
const latest = (await call('GET', at))['latestVersion'] as { semver: string }
const commit = await push(latest.semver)
const commitFirst = { 'commit of a push': () => call('POST', commit, {}), ...flows }

for (const [name, flow] of Object.entries(commitFirst)) {
  const files = await filesEntered(flow)
  process.stdout.write(`${name}: ${files.length}\n`)
  if (process.argv.includes('--list'))
    process.stdout.write(`${files.map((file) => `  ${file}`).join('\n')}\n`)
}
inspector.disconnect()
await server.close()
