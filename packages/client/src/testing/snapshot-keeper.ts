/** Minimal in-memory registry for snapshots, served by the faulty server. */
import { recordOf } from '@ulmus/content'
import type { ManifestEntry, RecordLine } from '@ulmus/wire'
import type { Reply, Request } from './faulty-server.ts'

const json = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) })
const refuse = (statusCode: number, code: string, facts: object = {}): Reply =>
  json(statusCode, { error: `Refused: ${code}.`, code, statusCode, ...facts })

const linesOf = <T>(body: Buffer): T[] =>
  body
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)

export class SnapshotKeeper {
  /** Current version: records by hash. A test sets it as the base. */
  published = new Map<string, RecordLine>()
  /** Number of lines in each accepted request, by kind. */
  readonly manifests: number[] = []
  readonly batches: number[] = []
  readonly sessions = new Map<string, 'open' | 'committing' | 'committed' | 'cancelled'>()
  /** Body that opened the latest session, without its manifest. */
  opening: Record<string, unknown> = {}
  commits = 0
  readonly #manifest = new Map<string, ManifestEntry>()
  readonly #received = new Map<string, RecordLine>()
  #pollsLeft = 0

  handle(request: Request): Reply {
    const [, , , , , , , session = '', verb] = request.path.split('/')
    if (request.path.endsWith('/versions/negotiate')) return this.#open(request)
    if (/\/versions\/v[\d.]+$/.test(request.path))
      return json(200, { semver: request.path.split('/').at(-1), typeCounts: { T: this.published.size } })
    if (request.path.endsWith('/manifest') && request.method === 'GET') return this.#listed()
    const status = this.sessions.get(session)
    if (status === undefined) return refuse(404, 'push_not_found')
    if (verb === undefined && request.method === 'GET') return this.#state(session)
    if (verb === undefined) {
      if (status === 'open') this.sessions.set(session, 'cancelled')
      return { status: 204 }
    }
    if (status === 'committed' && verb === 'commit') return json(201, this.#result())
    if (status !== 'open') return refuse(409, 'push_not_open')
    if (verb === 'manifest') return this.#takeChunk(request)
    if (verb === 'records') return this.#takeRecords(request)
    return request.query.get('dry_run') === 'true' ? this.#dryRun() : this.#commit(session)
  }

  #listed(): Reply {
    const records = [...this.published].map(([hash, { id, type }]) => ({ id, type, hash }))
    return json(200, {
      semver: 'v1.0.0',
      records,
      pagination: { limit: 10_000, hasMore: false, nextCursor: null },
    })
  }

  #open(request: Request): Reply {
    const { manifest, ...opening } = JSON.parse(request.body.toString())
    this.opening = opening
    const session_id = `session-${this.sessions.size + 1}`
    this.sessions.set(session_id, 'open')
    this.#manifest.clear()
    this.#received.clear()
    const files = { needed_files: [], total_files: 0, already_have_files: 0 }
    if (manifest === undefined) {
      const { manifest_expected } = opening
      return json(200, { session_id, manifest_expected, manifest_received: 0, ...files, next: '' })
    }
    const needed_records = this.#take(manifest)
    const total_records = this.#manifest.size
    const already_have_records = total_records - needed_records.length
    return json(200, { session_id, needed_records, total_records, already_have_records, ...files })
  }

  #take(entries: ManifestEntry[]): string[] {
    this.manifests.push(entries.length)
    for (const entry of entries) this.#manifest.set(entry.hash, entry)
    return entries.map(({ hash }) => hash).filter((hash) => !this.published.has(hash))
  }

  #takeChunk(request: Request): Reply {
    const entries = linesOf<ManifestEntry>(request.body)
    const bad = entries.findIndex(({ id }) => id === '')
    if (bad >= 0) {
      return refuse(422, 'invalid_records', { validationErrors: [{ line: bad + 1 }], totalErrors: 1 })
    }
    const needed_records = this.#take(entries)
    const sizes = {
      manifest_received: this.#manifest.size,
      manifest_expected: this.opening['manifest_expected'],
    }
    return json(200, { received: entries.length, needed_records, ...sizes })
  }

  #takeRecords(request: Request): Reply {
    const lines = linesOf<RecordLine>(request.body)
    this.batches.push(lines.length)
    for (const line of lines) {
      const { hash } = recordOf(line.id, line.type, line.data)
      if (!this.#manifest.has(hash)) return refuse(400, 'unexpected_record', { hash })
      this.#received.set(hash, line)
    }
    return json(200, { received: lines.length, remaining: 0 })
  }

  #commit(session: string): Reply {
    const expected = this.opening['manifest_expected'] ?? this.#manifest.size
    if (this.#manifest.size !== expected) return refuse(400, 'manifest_incomplete')
    const version = new Map<string, RecordLine>()
    for (const hash of this.#manifest.keys()) {
      const record = this.#received.get(hash) ?? this.published.get(hash)
      if (record === undefined) return refuse(400, 'records_missing', { missing_hashes: [hash] })
      version.set(hash, record)
    }
    this.published = version
    this.commits++
    this.#pollsLeft = 2
    this.sessions.set(session, 'committing')
    return json(202, { session_id: session, status: 'committing' })
  }

  #dryRun(): Reply {
    return json(200, {
      dry_run: true,
      ...this.#result(),
      recordCount: this.#manifest.size,
      schemaChanged: true,
    })
  }

  #state(session: string): Reply {
    if (this.sessions.get(session) === 'committing' && --this.#pollsLeft <= 0)
      this.sessions.set(session, 'committed')
    const status = this.sessions.get(session)
    const result = status === 'committed' ? this.#result() : null
    return json(200, { session_id: session, status, result, error: null })
  }

  #result() {
    const changes = { added: this.published.size, updated: 0, removed: 0 }
    const hash = `private:${'0'.repeat(64)}`
    return { semver: 'v1.0.0', hash, recordCount: this.published.size, fileCount: 0, changes }
  }
}
