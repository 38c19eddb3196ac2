/** As much of a registry as a push and a stream of records need, in memory, for the faulty server to serve. */
import { createHash } from 'node:crypto'
import type { DeleteLine, RecordLine } from '@ulmus/wire'
import { cursorAfter } from '../cursor.ts'
import type { Reply, Request } from './faulty-server.ts'

export interface SessionKeeper {
  handle(request: Request): Reply
  /** What was committed, by `type/id`. */
  readonly published: Map<string, RecordLine>
  /** Sizes of the batches received, in lines. */
  readonly batches: number[]
  readonly files: Set<string>
  /** Sessions by their state. */
  readonly sessions: Map<string, 'open' | 'committing' | 'committed' | 'cancelled'>
  /** Times a version was made. */
  commits: number
}

export interface KeeperOptions {
  readonly batchBytes?: number
  readonly batchLines?: number
  /** Polls that a commit takes; 0: it is answered at once. */
  readonly commitPolls?: number
}

const json = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) })
const refuse = (statusCode: number, code: string, facts: object = {}): Reply =>
  json(statusCode, { error: `Refused: ${code}.`, code, statusCode, ...facts })

export function keepSessions(options: KeeperOptions = {}): SessionKeeper {
  const drafts = new Map<string, RecordLine | null>()
  const keeper: SessionKeeper = {
    handle,
    published: new Map(),
    batches: [],
    files: new Set(),
    sessions: new Map(),
    commits: 0,
  }
  let declared: string[] = []
  let pollsLeft = 0
  const result = () => ({
    semver: 'v1.0.0',
    hash: `private:${'0'.repeat(64)}`,
    recordCount: keeper.published.size,
    fileCount: keeper.files.size,
    changes: { added: keeper.published.size, updated: 0, removed: 0 },
  })
  const missing = () => [...referenced(drafts), ...declared].filter((hash) => !keeper.files.has(hash))

  function handle(request: Request): Reply {
    const [, , , , , noun, session = '', verb] = request.path.split('/')
    if (noun === 'pushes' && session === '') return open(request)
    if (noun === 'pushes') return onSession(request, session, verb)
    if (noun === 'files') return receiveFile(request, decodeURIComponent(session))
    if (noun === 'versions' && verb === 'records.ndjson') return streamRecords(request)
    if (noun === 'versions') return json(200, { semver: 'v1.0.0' })
    return refuse(404, 'route_not_found')
  }

  function open(request: Request): Reply {
    declared = JSON.parse(request.body.toString()).files ?? []
    const session = `session-${keeper.sessions.size + 1}`
    keeper.sessions.set(session, 'open')
    drafts.clear()
    const limits = {
      batch_bytes: options.batchBytes ?? 1_000_000,
      batch_lines: options.batchLines ?? 10_000,
      session_idle_seconds: 60,
      file_bytes: 1_000_000,
    }
    return json(201, {
      session_id: session,
      base_version: null,
      needed_files: missing(),
      expires_at: '',
      limits,
    })
  }

  function onSession(request: Request, session: string, verb: string | undefined): Reply {
    const status = keeper.sessions.get(session)
    if (status === undefined) return refuse(404, 'push_not_found')
    if (verb === undefined && request.method === 'GET') return state(session)
    if (verb === undefined) {
      if (status === 'open') keeper.sessions.set(session, 'cancelled')
      return { status: 204 }
    }
    if (status === 'committed' && verb === 'commit') return json(201, result())
    if (status !== 'open') return refuse(409, 'push_not_open')
    return verb === 'commit' ? commit(session) : receive(request, verb)
  }

  function receive(request: Request, verb: string): Reply {
    const lines = request.body
      .toString()
      .split('\n')
      .filter((line) => line !== '')
    const bad = lines.findIndex((line) => line.includes('"id":""'))
    if (bad >= 0) {
      const validationErrors = [{ line: bad + 1, id: '', type: 'T', code: 'bad_id' }]
      return refuse(422, 'schema_violation', { validationErrors, totalErrors: 1 })
    }
    keeper.batches.push(lines.length)
    for (const line of lines) {
      const parsed = JSON.parse(line) as RecordLine & DeleteLine
      drafts.set(`${parsed.type}/${parsed.id}`, verb === 'records' ? parsed : null)
    }
    return json(200, { received: lines.length })
  }

  function commit(session: string): Reply {
    if (missing().length > 0) return refuse(422, 'files_missing', { filesNeeded: missing() })
    for (const [key, record] of drafts)
      record === null ? keeper.published.delete(key) : keeper.published.set(key, record)
    keeper.commits++
    pollsLeft = options.commitPolls ?? 0
    keeper.sessions.set(session, pollsLeft === 0 ? 'committed' : 'committing')
    return pollsLeft === 0 ? json(201, result()) : json(202, { session_id: session, status: 'committing' })
  }

  function state(session: string): Reply {
    if (keeper.sessions.get(session) === 'committing' && --pollsLeft <= 0)
      keeper.sessions.set(session, 'committed')
    const status = keeper.sessions.get(session)
    return json(200, {
      session_id: session,
      status,
      result: status === 'committed' ? result() : null,
      error: null,
    })
  }

  function receiveFile(request: Request, hash: string): Reply {
    const actual = `sha256:${createHash('sha256').update(request.body).digest('hex')}`
    if (actual !== hash) return refuse(400, 'hash_mismatch')
    keeper.files.add(hash)
    return json(201, { hash, size: request.body.length, contentType: request.headers['content-type'] })
  }

  function streamRecords(request: Request): Reply {
    const all = [...keeper.published.values()]
    const after = request.query.get('after')
    const from =
      after === null ? 0 : all.findIndex((record) => cursorAfter(record.type, record.id) === after) + 1
    const body = all
      .slice(from)
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('')
    return { status: 200, body, headers: { 'x-record-count': String(all.length - from) } }
  }
  return keeper
}

function* referenced(drafts: Map<string, RecordLine | null>): Generator<string> {
  for (const record of drafts.values()) {
    const file = (record?.data as { $file?: string } | undefined)?.$file
    if (file !== undefined) yield file
  }
}
