/**
 * Sends a request to an address that a user gave. Nothing else may open a connection to such an address (house/outside.test.ts).
 * No redirect is followed, nothing is decompressed, and the address is checked when it is connected to.
 */
import { lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { type RequestOptions, request as tlsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { UrlRule } from '@ulmus/wire/refusals'
import { type Allowed, hostOf, isLiteral, isThisMachine, mayReach } from './addresses.ts'
import { AskError, type AskFailure } from './failure.ts'
import { tunnel } from './tunnel.ts'

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}
export type AskOutcome = (
  | ({ readonly kind: 'answered' } & Answered)
  | { readonly kind: 'failed'; readonly why: AskFailure }
) & { readonly milliseconds: number }

export interface Outside {
  readonly allowed: Allowed
  /** Proxy that all requests go through, and that must refuse addresses itself: names are not resolved here. */
  readonly proxy?: URL | undefined
  /** For tests: the addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

export interface Question {
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Over all: name, connection, TLS, headers and body. */
  readonly milliseconds: number
  /** Ends it before. */
  readonly signal?: AbortSignal
  /** Of the answer's body; with a longer one there is no answer. 0: the body is not read, and the answer's is empty. */
  readonly bytesMax: number
}

const urlLengthMax = 2_048

/** The rule that `text` breaks, or the URL. Names are resolved when they are asked, not here. */
export function checkUrl(text: string, { allowed }: Pick<Outside, 'allowed'>): URL | UrlRule {
  if (!URL.canParse(text)) return 'not_a_url'
  const url = new URL(text)
  if (url.href.length > urlLengthMax) return 'too_long'
  const named = allowed.origins.has(url.origin)
  if (url.protocol !== 'https:' && !(named && url.protocol === 'http:')) return 'scheme'
  if (url.username !== '' || url.password !== '') return 'user_info'
  if (text.includes('#')) return 'fragment'
  if (url.port !== '' && !named) return 'port'
  const host = hostOf(url)
  if (!named && isThisMachine(host)) return 'address'
  if (isLiteral(host) && !mayReach(host, allowed, named)) return 'address'
  return url
}

/** Asks once. Never throws, whatever happens on the other side. */
export async function ask(url: URL, question: Question, outside: Outside): Promise<AskOutcome> {
  const began = performance.now()
  const since = () => Math.round(performance.now() - began)
  if (!(checkUrl(url.href, outside) instanceof URL))
    return { kind: 'failed', why: 'refused_address', milliseconds: 0 }
  const timeout = AbortSignal.timeout(question.milliseconds)
  const signal = question.signal === undefined ? timeout : AbortSignal.any([timeout, question.signal])
  try {
    return { kind: 'answered', ...(await exchange(url, question, outside, signal)), milliseconds: since() }
  } catch (error) {
    return { kind: 'failed', why: signal.aborted ? 'timeout' : reasonOf(error), milliseconds: since() }
  }
}

async function exchange(
  url: URL,
  question: Question,
  outside: Outside,
  signal: AbortSignal,
): Promise<Answered> {
  const socket = outside.proxy === undefined ? undefined : await tunnel(outside.proxy, url, signal)
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const sent = (url.protocol === 'http:' ? plainRequest : tlsRequest)(url, {
    // A fresh connection each time: `agent: false` makes one, and so does `createConnection` without an agent.
    ...(socket === undefined
      ? { agent: false, lookup: checkedLookup(url, outside) }
      : { createConnection: () => socket }),
    method: question.method,
    headers: {
      'accept-encoding': 'identity',
      'user-agent': 'Ulmus',
      ...question.headers,
      ...(question.body !== undefined && { 'content-length': String(Buffer.byteLength(question.body)) }),
    },
    // Whatever the environment says: NODE_TLS_REJECT_UNAUTHORIZED=0 is for other connections.
    rejectUnauthorized: true,
    signal,
  } satisfies RequestOptions)
  sent.on('error', reject)
  // Node ends a request that is answered by 101 without an error, and later aborts do nothing.
  sent.on('upgrade', (_, upgraded) => {
    upgraded.destroy()
    reject(new AskError('malformed'))
  })
  signal.addEventListener('abort', () => reject(new AskError('timeout')), { once: true })
  sent.on('response', (answer) => {
    const of = (body: Buffer): Answered => ({ status: answer.statusCode ?? 0, headers: answer.headers, body })
    if (question.bytesMax === 0) {
      resolve(of(Buffer.alloc(0)))
      sent.destroy()
      return
    }
    const chunks: Buffer[] = []
    let bytes = 0
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > question.bytesMax) sent.destroy(new AskError('too_large'))
    })
    answer.on('error', reject)
    answer.on('end', () => resolve(of(Buffer.concat(chunks))))
  })
  sent.end(question.body)
  return promise.finally(() => sent.destroy())
}

/** A name without an address, or with an inner one, is refused after this time at least: users must not learn which names exist. */
const refusalMilliseconds = 1_000

/** Resolves a name and refuses it if one address may not be reached: another answer of the same name could be used a moment later. */
function checkedLookup(url: URL, { allowed, resolve }: Outside): LookupFunction {
  const named = allowed.origins.has(url.origin)
  const find = resolve ?? (named ? addressesOfSystem : addressesByDns)
  return (host, _, done) => {
    const ready = setTimeout(refusalMilliseconds, undefined, { ref: false })
    const refuse = () => ready.then(() => done(new AskError('refused_address'), []))
    find(host).then((addresses) => {
      const isReachable = addresses.every((address) => mayReach(address, allowed, named))
      if (addresses.length === 0 || !isReachable) refuse()
      else
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
    }, refuse)
  }
}

/** With /etc/hosts, as an operator expects of names that he allowed. */
const addressesOfSystem = (host: string): Promise<string[]> =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) => {
      if (error) reject(error)
      else resolve(found.map(({ address }) => address))
    })
  })

/** Without the system's resolver, which holds one of Node's four threads for as long as a stranger's DNS server is silent. */
async function addressesByDns(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

function reasonOf(error: unknown): AskFailure {
  if (error instanceof AskError) return error.why
  const { code, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] }
  // Of several addresses that were tried in turn.
  if (errors !== undefined && errors.length > 0) return reasonOf(errors[0])
  if (code === undefined) return 'connection'
  if (/^HPE_/.test(code)) return 'malformed'
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return 'tls'
  return 'connection'
}
