/** Compares answers with what was asked for: a cache, a mirror or a registry may answer another question. docs/client.md. */
import { resourceText } from '@ulmus/content'
import { UlmusError } from './errors.ts'

/** Version of a path, or of an export's query. */
const versionSlot = /^(\/api\/collections\/[^/]+\/[^/]+\/(?:versions\/|export\?version=))([^/?]+)(?=[/?]|$)/

/** Ends of paths, and the members of their answers that repeat the groups. */
const repeated: readonly [RegExp, ...string[]][] = [
  [/^\/api\/collections\/([^/]+)\/([^/]+)$/, 'ownerSlug', 'slug'],
  [/^\/api\/accounts\/([^/]+)$/, 'slug'],
  [/\/versions\/([^/]+)(?:\/manifest)?$/, 'semver'],
  [/\/versions\/([^/]+)\/diff$/, 'to'],
  [/\/records\/([^/]+)\/([^/]+)$/, 'type', 'id'],
  [/\/files\/([^/]+)$/, 'hash'],
  [/\/jobs\/([^/]+)$/, 'job_id'],
  [/\/(?:pushes|negotiate)\/([^/]+)$/, 'session_id'],
  [/\/questions\/([^/]+)$/, 'slug'],
  [/\/(?:publishers|webhooks|deliveries)\/([^/]+)$/, 'id'],
]

/** Semver or digest of the version that an answer is about. */
export const versionOf = (headers: Headers): string | undefined =>
  versionSlot.exec(headers.get('x-resource') ?? '')?.[2]

/** @param asked path and query @throws UlmusError `wrong_answer` unless the header `X-Resource` names it */
export function demandSubject(asked: string, { headers, status }: Response): void {
  if (!asked.startsWith('/api/')) return
  const said = headers.get('x-resource')
  const [path, query] = asked.split(/\?(.*)/s, 2)
  const wanted = resourceText(path!, query)
  const found = versionOf(headers)
  const fixed = wanted.replace(versionSlot, (whole, before: string, v: string) => {
    if (v === 'latest') return found?.startsWith('v') ? before + found : whole
    return /^\d/.test(v) ? `${before}v${v}` : whole
  })
  if (said !== fixed || fixed.includes('/versions/latest')) throw wrong(wanted, said, status)
}

/** @throws UlmusError `wrong_answer` if the body names another subject than its header. */
export function demandMembers(method: string, { headers, status }: Response, body: unknown): void {
  const said = headers.get('x-resource')?.split('?')[0] ?? ''
  if (!(method === 'GET' || method === 'PUT') || Array.isArray(body)) return
  const values = body as Readonly<Record<string, unknown>> | undefined
  for (const [pattern, ...members] of repeated) {
    const groups = pattern.exec(said)?.slice(1) ?? []
    for (const [n, group] of groups.entries()) {
      if (group === 'me') continue
      // A version that was named by its digest.
      const isDigest = members[n] === 'semver' && group.includes('%3A')
      const names = isDigest ? ['hash', 'publicHash'] : [members[n]!]
      const found = names.map((name) => values?.[name])
      if (group.includes('%3A') && members[n] === 'to') continue
      if (!found.some((value) => typeof value === 'string' && nameIn(value) === group))
        throw wrong(said, `${names[0]} ${JSON.stringify(found[0])}`, status)
    }
  }
}

const nameIn = (value: string): string => resourceText(encodeURIComponent(value))

/** @throws UlmusError `wrong_answer` unless both are the same; `undefined`: any was asked for */
export function demandSame(what: string, asked: string | undefined, found: string): void {
  if (asked !== undefined && asked !== found)
    throw wrong(`${what} ${JSON.stringify(asked)}`, JSON.stringify(found), 200)
}

/** Error for lists whose pages never end. */
export const endless = (cursor: string): UlmusError =>
  new UlmusError(`The list does not end: its next page is ${cursor} again, or it has more pages than any.`, {
    status: 200,
    code: 'wrong_answer',
  })

const wrong = (asked: string, said: string | null, status: number): UlmusError =>
  new UlmusError(
    `Asked for ${asked}, but the answer is about ${said ?? 'something that it does not name'}. A cache or proxy on the way may have mixed up two answers, or the server is not an Ulmus registry of this version.`,
    { status, code: 'wrong_answer' },
  )
