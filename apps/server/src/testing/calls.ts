/** Calls of the API for tests, and the few steps that most of them begin with. */
import type { TestServer } from './serve.ts'

/** JSON of any shape: tests say what they expect of it by comparing. */
export interface Body {
  readonly [member: string]: Body
  readonly [index: number]: Body
}

export interface Answer {
  readonly status: number
  readonly body: Body
  readonly headers: Headers
}

export interface Calls {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** A body as it is, of any content type. */
  send(method: string, path: string, body: string, contentType: string): Promise<Answer>
}

/** Calls without credentials, or with a raw API key, or with a session cookie. Paths begin after `/api`. */
export function callsTo(server: TestServer, credential: { key?: string; cookie?: string } = {}): Calls {
  const credentials: Record<string, string> = {}
  if (credential.key !== undefined) credentials['authorization'] = `Bearer ${credential.key}`
  if (credential.cookie !== undefined) {
    credentials['cookie'] = credential.cookie
    credentials['sec-fetch-site'] = 'same-origin'
  }
  const call = async (method: string, path: string, init: RequestInit, more = {}): Promise<Answer> => {
    const headers = { ...credentials, ...more }
    const answer = await fetch(`${server.url}/api${path}`, { redirect: 'manual', ...init, method, headers })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: answer.status,
      body: (isJson ? JSON.parse(text) : text) as Body,
      headers: answer.headers,
    }
  }
  const json = (method: string) => (path: string, body?: unknown) =>
    body === undefined
      ? call(method, path, {})
      : call(method, path, { body: JSON.stringify(body) }, { 'content-type': 'application/json' })
  return {
    get: (path, headers) => call('GET', path, {}, headers),
    post: json('POST'),
    patch: json('PATCH'),
    delete: (path) => call('DELETE', path, {}),
    send: (method, path, body, contentType) => call(method, path, { body }, { 'content-type': contentType }),
  }
}

export interface Line {
  id: string
  type: string
  data: unknown
  private?: boolean
}

/** Pushes a version: `schemas` is the complete set, `lines` what is put. The commit's answer. */
export async function pushTo(
  calls: Calls,
  path: string,
  push: {
    base?: string | null
    schemas?: Record<string, unknown>
    lines?: Line[]
    metadata?: object
    message?: string
  },
): Promise<Body> {
  const { base = null, lines = [], ...rest } = push
  const opened = await calls.post(`${path}/pushes`, { base_version: base, ...withoutLines(rest) })
  if (opened.status !== 201) throw new Error(`No push was opened: ${JSON.stringify(opened.body)}`)
  const session = `${path}/pushes/${opened.body.session_id}`
  if (lines.length > 0) {
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    const sent = await calls.send('POST', `${session}/records`, text, 'application/x-ndjson')
    if (sent.status !== 200) throw new Error(`The records were refused: ${JSON.stringify(sent.body)}`)
  }
  const committed = await calls.post(`${session}/commit`)
  if (committed.status !== 201) throw new Error(`Nothing was committed: ${JSON.stringify(committed.body)}`)
  return committed.body
}

const withoutLines = ({
  schemas,
  metadata,
  message,
}: {
  schemas?: object
  metadata?: object
  message?: string
}) => ({
  schemas,
  metadata,
  message,
})

/** Makes an organization; `owner` is its owner, the users of `members` join with their roles. By the cookie of its owner. */
export async function addOrg(
  server: TestServer,
  owner: { cookie: string },
  slug: string,
  members: Record<string, 'member' | 'admin' | 'owner'> = {},
): Promise<void> {
  const calls = callsTo(server, owner)
  const made = await calls.post('/accounts', { slug, displayName: `The ${slug}` })
  if (made.status !== 201) throw new Error(`No organization was made: ${JSON.stringify(made.body)}`)
  for (const [user, role] of Object.entries(members)) {
    const body = JSON.stringify({ role })
    const put = await calls.send('PUT', `/accounts/${slug}/members/${user}`, body, 'application/json')
    if (put.status !== 200) throw new Error(`${user} did not join: ${JSON.stringify(put.body)}`)
  }
}
