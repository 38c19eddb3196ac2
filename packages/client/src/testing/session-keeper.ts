/** Minimal in-memory registry for pushes and streams of records, served by the faulty server. */
import { createHash } from 'node:crypto'
import type { DeleteLine, RecordLine } from '@ulmus/wire'
import { cursorAfter } from '../cursor.ts'
import type { Reply, Request } from './faulty-server.ts'

export interface KeeperOptions {
  readonly batchBytes?: number
  readonly batchLines?: number
  /** Polls that a commit takes; 0: it is answered at once. */
  readonly commitPolls?: number
}

const json = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) })
const refuse = (statusCode: number, code: string, facts: object = {}): Reply =>
  json(statusCode, { error: `Refused: ${code}.`, code, statusCode, ...facts })

export class SessionKeeper {
  /** Committed records, by `type/id`. */
  readonly published = new Map<string, RecordLine>()
  /** Sizes of the batches received, in lines. */
  readonly batches: number[] = []
  readonly files = new Set<string>()
  /** State of each session. */
  readonly sessions = new Map<string, 'open' | 'committing' | 'committed' | 'cancelled'>()
  /** Number of versions made. */
  commits = 0
  readonly #options: KeeperOptions
  readonly #drafts = new Map<string, RecordLine | null>()
  #declared: string[] = []
  #pollsLeft = 0

  constructor(options: KeeperOptions = {}) {
    this.#options = options
  }

  handle(request: Request): Reply {
    const [, , , , , noun, session = '', verb] = request.path.split('/')
    if (noun === 'pushes' && session === '') return this.#open(request)
    if (noun === 'pushes') return this.#onSession(request, session, verb)
    if (noun === 'files') return this.#receiveFile(request, decodeURIComponent(session))
    if (noun === 'versions' && verb === 'records.ndjson') return this.#streamRecords(request)
    if (noun === 'versions' && verb === 'records') return this.#pageOfRecords(request)
    if (noun === 'versions') return json(200, { semver: 'v1.0.0' })
    return refuse(404, 'route_not_found')
  }

  #open(request: Request): Reply {
    this.#declared = JSON.parse(request.body.toString()).files ?? []
    const session = `session-${this.sessions.size + 1}`
    this.sessions.set(session, 'open')
    this.#drafts.clear()
    const limits = {
      batch_bytes: this.#options.batchBytes ?? 1_000_000,
      batch_lines: this.#options.batchLines ?? 10_000,
      session_idle_seconds: 60,
      file_bytes: 1_000_000,
    }
    const answer = { session_id: session, base_version: null, expires_at: '', limits }
    return json(201, { ...answer, needed_files: this.#missing() })
  }

  #onSession(request: Request, session: string, verb: string | undefined): Reply {
    const status = this.sessions.get(session)
    if (status === undefined) return refuse(404, 'push_not_found')
    if (verb === undefined && request.method === 'GET') return this.#state(session)
    if (verb === undefined) {
      if (status === 'open') this.sessions.set(session, 'cancelled')
      return { status: 204 }
    }
    if (status === 'committed' && verb === 'commit') return json(201, this.#result())
    if (status !== 'open') return refuse(409, 'push_not_open')
    if (verb !== 'commit') return this.#receive(request, verb)
    return request.query.get('dry_run') === 'true' ? this.#dryRun() : this.#commit(session)
  }

  #receive(request: Request, verb: string): Reply {
    const lines = request.body
      .toString()
      .split('\n')
      .filter((line) => line !== '')
    const bad = lines.findIndex((line) => line.includes('"id":""'))
    if (bad >= 0) {
      const validationErrors = [{ line: bad + 1, id: '', type: 'T', code: 'bad_id' }]
      return refuse(422, 'schema_violation', { validationErrors, totalErrors: 1 })
    }
    this.batches.push(lines.length)
    for (const line of lines) {
      const parsed = JSON.parse(line) as RecordLine & DeleteLine
      this.#drafts.set(`${parsed.type}/${parsed.id}`, verb === 'records' ? parsed : null)
    }
    return json(200, { received: lines.length })
  }

  #commit(session: string): Reply {
    const filesNeeded = this.#missing()
    if (filesNeeded.length > 0) return refuse(422, 'files_missing', { filesNeeded })
    for (const [key, record] of this.#drafts) {
      if (record === null) this.published.delete(key)
      else this.published.set(key, record)
    }
    this.commits++
    this.#pollsLeft = this.#options.commitPolls ?? 0
    this.sessions.set(session, this.#pollsLeft === 0 ? 'committed' : 'committing')
    if (this.#pollsLeft === 0) return json(201, this.#result())
    return json(202, { session_id: session, status: 'committing' })
  }

  #dryRun(): Reply {
    const filesNeeded = this.#missing()
    if (filesNeeded.length > 0) return refuse(422, 'files_missing', { filesNeeded })
    return json(200, {
      dry_run: true,
      ...this.#result(),
      recordCount: this.#drafts.size,
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
    return {
      semver: 'v1.0.0',
      hash: `private:${'0'.repeat(64)}`,
      recordCount: this.published.size,
      fileCount: this.files.size,
      changes: { added: this.published.size, updated: 0, removed: 0 },
    }
  }

  #missing(): string[] {
    return [...referenced(this.#drafts), ...this.#declared].filter((hash) => !this.files.has(hash))
  }

  #receiveFile(request: Request, hash: string): Reply {
    const actual = `sha256:${createHash('sha256').update(request.body).digest('hex')}`
    if (actual !== hash) return refuse(400, 'hash_mismatch')
    this.files.add(hash)
    return json(201, { hash, size: request.body.length, contentType: request.headers['content-type'] })
  }

  #streamRecords(request: Request): Reply {
    const left = this.#recordsAfter(request.query.get('after'))
    const body = left.map((record) => `${JSON.stringify(record)}\n`).join('')
    return { status: 200, body, headers: { 'x-record-count': String(left.length) } }
  }

  #pageOfRecords({ query }: Request): Reply {
    const records = this.#recordsAfter(query.get('after')).slice(0, Number(query.get('limit')))
    return json(200, { records, pagination: { hasMore: false, nextCursor: null } })
  }

  #recordsAfter(after: string | null): RecordLine[] {
    const all = [...this.published.values()]
    return after === null
      ? all
      : all.slice(all.findIndex((record) => cursorAfter(record.type, record.id) === after) + 1)
  }
}

function* referenced(drafts: Map<string, RecordLine | null>): Generator<string> {
  for (const record of drafts.values()) {
    const file = (record?.data as { $file?: string } | undefined)?.$file
    if (file !== undefined) yield file
  }
}
