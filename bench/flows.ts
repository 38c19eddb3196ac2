/**
 * Counts the source files that a flow enters: those with a function that runs between a request and its answer, on the main thread. Runs
 * each flow five times and reports files entered in all five, because background work and first calls enter some files by chance. Usage:
 * node bench/flows.ts [--list]
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

/** Our source files with a function that ran during `flow`. */
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

let pushes = 0
/** Opens a push and sends all its records. @returns the path that commits it */
async function push(base: string | null): Promise<string> {
  const { session_id: id } = await call('POST', `${at}/pushes`, { base_version: base, schemas: { T: {} } })
  const round = ++pushes
  const lines = Array.from({ length: 5_000 }, (_, n) =>
    JSON.stringify({ id: `${n}`, type: 'T', data: { n, round } }),
  )
  await call('POST', `${at}/pushes/${id}/records`, lines.join('\n'))
  return `${at}/pushes/${id}/commit`
}
const latest = async () => ((await call('GET', at))['latestVersion'] as { semver: string }).semver
await call('POST', await push(null), {})

async function page(path: string): Promise<void> {
  const answer = await fetch(server.url + path, { headers: { cookie } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  await answer.text()
}

let forks = 0
/** `before` prepares a run, and is not counted. */
const flows: Record<
  string,
  { before?: () => Promise<unknown>; run: (prepared: unknown) => Promise<unknown> }
> = {
  'commit of a push': {
    before: async () => push(await latest()),
    run: (commit) => call('POST', String(commit), {}),
  },
  'metadata update': { run: () => call('PATCH', `${at}/metadata`, { now: Date.now() }) },
  fork: { run: () => call('POST', `${at}/fork`, { targetOrg: 'flow-org', slug: `f${++forks}` }) },
  'overview page': { run: () => page('/ada/flows') },
  'records.ndjson': { run: () => call('GET', `${at}/versions/latest/records.ndjson`) },
}

for (const [name, { before, run }] of Object.entries(flows)) {
  const runs: Set<string>[] = []
  for (let round = 0; round < 6; round++) {
    const prepared = await before?.()
    const files = await filesEntered(() => run(prepared))
    // The first call compiles and fills caches.
    if (round > 0) runs.push(new Set(files))
  }
  const files = [...runs[0]!].filter((file) => runs.every((entered) => entered.has(file)))
  process.stdout.write(`${name}: ${files.length}\n`)
  if (process.argv.includes('--list'))
    process.stdout.write(`${files.map((file) => `  ${file}`).join('\n')}\n`)
}
inspector.disconnect()
await server.close()
