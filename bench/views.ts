/**
 * Measures what the members' view costs beside the public one: stored bytes after the first push and after pushes of 1 % scattered, CPU of
 * the first push, of public and of members' reads. The same records three times: nothing private, every tenth record, one field. In this process, on
 * the embedded database. Prints a table row for each.
 * Usage: npm run bench:views [-- --records 100000 --pushes 5 --private nothing,records,field]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { JsonObject } from '@ulmus/content'
import { defaultLimits } from '../packages/registry/src/limits.ts'
import { openRegistry } from '../packages/registry/src/open.ts'
import { anonymous, type Caller } from '../packages/registry/src/principal.ts'
import { diskBytes } from './measure.ts'
import { changedNumbers, recordAt, recordSchema, recordType } from './records.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    pushes: { type: 'string', default: '5' },
    private: { type: 'string', default: 'nothing,records,field' },
  },
})
const size = Number(values.records)
const pushes = Number(values.pushes)
const batchLines = 10_000
const pages = 300
const streams = 3

type Private = 'nothing' | 'records' | 'field'

const log = { info: () => undefined, warn: console.error, error: console.error }

const line = (what: Private, number: number, revision: number): string =>
  JSON.stringify({
    ...recordAt(number, revision),
    ...(what === 'records' && number % 10 === 3 && { private: true }),
  })

function schemaFor(what: Private): JsonObject {
  if (what !== 'field') return recordSchema
  const properties = recordSchema['properties'] as JsonObject
  return { ...recordSchema, properties: { ...properties, price: { type: 'number', private: true } } }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** CPU of the whole process, all threads included. Seconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

async function measure(what: Private): Promise<(string | number)[]> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'ulmus-bench-views-'))
  const registry = await openRegistry({ dataFolder, log, limits: defaultLimits, works: true })
  try {
    const { id, slug } = await registry.accounts.signIn({
      ...{ issuer: 'bench', subject: 'ada', preferredUsername: 'ada', email: null, name: 'Ada' },
    })
    const me: Caller = {
      ...{ kind: 'session', accountId: id, accountSlug: slug, scope: 'admin' },
      ...{ limitedTo: null, credential: null, expiresAt: null },
    }
    const path = { owner: slug, slug: 'measured' }
    await registry.collections.create(me, slug, { slug: path.slug, public: true })
    let head: string | null = null
    const push = async (numbers: Iterable<number>, revision: number): Promise<number> => {
      const opening = {
        base_version: head,
        ...(head === null && { schemas: { [recordType]: schemaFor(what) } }),
      }
      const opened = await registry.pushes.open(me, path, bytesOf(JSON.stringify(opening)), () => ({
        base_version: head,
      }))
      let lines: string[] = []
      let spent = 0
      const send = async () => {
        const text = lines.join('\n')
        lines = []
        spent += await cpuOf(() =>
          registry.pushes.receive(me, path, opened.session_id, 'records', bytesOf(text)),
        )
      }
      for (const number of numbers) {
        lines.push(line(what, number, revision))
        if (lines.length === batchLines) await send()
      }
      if (lines.length > 0) await send()
      spent += await cpuOf(async () => {
        const answer = await registry.pushes.commit(me, path, opened.session_id, { async: false })
        if (answer.kind === 'committed') head = answer.result.semver
      })
      return spent
    }
    const packs = join(dataFolder, 'objects', 'packs')
    const first = await push(Array(size).keys(), 0)
    const bytes = [diskBytes(packs)]
    const reads = await readBoth(registry, me, path)
    let later = 0
    for (let n = 1; n <= pushes; n++) later += await push(changedNumbers(size, 'scattered', n), n)
    bytes.push(diskBytes(packs))
    const laterReads = await readBoth(registry, me, path)
    return [what, ...bytes, first.toFixed(2), (later / pushes).toFixed(2), ...reads, ...laterReads]
  } finally {
    await registry.close()
    rmSync(dataFolder, { recursive: true, force: true })
  }
}

type Registry = Awaited<ReturnType<typeof openRegistry>>

/** CPU of a page in ms and of a stream in s: of the public view, then of the members'. */
async function readBoth(registry: Registry, me: Caller, path: { owner: string; slug: string }) {
  const cells: string[] = []
  for (const who of [anonymous, me]) {
    let after: string | undefined
    const page = async () => {
      const { pagination } = await registry.records.page(who, { ...path, v: 'latest' }, { limit: 100, after })
      after = pagination.nextCursor ?? undefined
    }
    for (let n = 0; n < 50; n++) await page()
    const paged = await cpuOf(async () => {
      for (let n = 0; n < pages; n++) await page()
    })
    const stream = async () => {
      const { lines } = await registry.records.stream(who, { ...path, v: 'latest' }, {})
      for await (const _ of lines);
    }
    await stream()
    const streamed = await cpuOf(async () => {
      for (let n = 0; n < streams; n++) await stream()
    })
    cells.push(((paged * 1000) / pages).toFixed(2), (streamed / streams).toFixed(2))
  }
  return cells
}

const say = (cells: readonly (string | number)[]) => void process.stdout.write(`| ${cells.join(' | ')} |\n`)
say([
  'private',
  'first push, bytes',
  `after ${pushes}, bytes`,
  'first push, s CPU',
  'each later push',
  ...Array(2).fill(['page, public, ms', 'stream, public, s', 'page, members', 'stream, members']).flat(),
])
say(Array(13).fill('---'))
for (const what of values.private.split(',') as Private[]) say(await measure(what))
