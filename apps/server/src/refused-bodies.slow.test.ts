/** Requests that are refused in the middle of their bodies: the refusal arrives, and the connection answers the next request or ends. */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { databases } from '@ulmus/storage/testing'
import { type Operation, operations } from '@ulmus/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, setStage } from './testing/stage.ts'
import { testClient } from './testing/test-client.ts'

const operator = { issuer: 'urn:ulmus:development', subject: 'root' }
/** More than a JSON body may have, and than one read returns. Bytes. */
const bodyBytes = 1024 ** 2
/** Time for an answer, and then for the answer to the next request or the end. Milliseconds. */
const patience = 10_000

let stage: Stage
let session: string
const keys: Record<string, string> = {}
beforeAll(async () => {
  stage = await setStage(databases[0]!, {
    quotaBytes: 500_000,
    fileBytesMax: 3_000_000,
    operators: [operator],
  })
  const { cookie } = await stage.server.signIn('ada')
  for (const scope of ['read', 'admin'] as const) keys[scope] = await stage.server.keyFor(cookie, scope)
  const { path } = await stage.newCollection()
  session = (await stage.opened(path, { opening: { schemas: { A: {} } } })).split('/').at(-1)!
})
afterAll(() => stage.end())

interface Request {
  readonly method: string
  readonly target: string
  readonly headers: Record<string, string>
  readonly isChunked: boolean
}

const filler = Buffer.alloc(bodyBytes, 0x61)

/** Writes a request, or its first half, without reading. */
async function send(socket: Socket, { method, target, headers, isChunked }: Request, isHalf = false) {
  const sent = {
    host: 'a',
    ...headers,
    ...(isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bodyBytes }),
  }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const pieces = isChunked ? [`${bodyBytes.toString(16)}\r\n`, filler, '\r\n0\r\n\r\n'] : [filler]
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
  // Pieces, so that the refusal happens while the client still sends.
  for (let at = 0; at < bytes.length / (isHalf ? 2 : 1) && socket.writable; at += 131_072)
    if (!socket.write(bytes.subarray(at, at + 131_072)))
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
}

async function connected(): Promise<Socket> {
  const { hostname, port } = new URL(stage.server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket.pause()
}

type Answer = number | 'closed' | 'nothing'
/** Answers to a next request. 400: the client announced that it sends none. */
const ends: readonly Answer[] = [200, 400, 'closed']

/** Sends a request whole before it reads, and then another one on the same connection. */
async function answersTo(request: Request): Promise<[refusal: Answer, next: Answer]> {
  const socket = await connected()
  await send(socket, request)
  const answers = readStatuses(socket)
  const refusal = (await answers.next()).value!
  socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n')
  const next = (await answers.next()).value!
  socket.destroy()
  return [refusal, next]
}

/** Statuses of the answers on a connection; then `closed`, or `nothing` if neither comes in time. */
async function* readStatuses(socket: Socket): AsyncGenerator<Answer> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.resume()
  for (let until = Date.now() + patience; ; ) {
    const [line = '', status] = /HTTP\/1\.1 (\d{3}) /.exec(text) ?? []
    if (line !== '') {
      text = text.slice(text.indexOf(line) + line.length)
      if (status === '100') continue
      until = Date.now() + patience
      yield Number(status)
    } else if (socket.closed) yield 'closed'
    else if (Date.now() > until) yield 'nothing'
    else await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** All operations with bodies, with paths of what exists. */
const requests = Object.entries(operations as Record<string, Operation>)
  .filter(([, { body }]) => body !== undefined)
  .flatMap(([name, operation]) => [false, true].map((isChunked) => ({ name, operation, isChunked })))
type Subject = (typeof requests)[number]

function requestOf(
  { name, operation: { body }, isChunked }: Subject,
  more: Record<string, string>,
  slug = 'collection-1',
): Request {
  const [method = '', path = ''] = name.split(' ')
  const target = path
    .replace(':owner', 'ada')
    .replace(':hash', `sha256%3A${hash('sha256', filler)}`)
    .replace(/^(\/api\/(?:accounts|orgs)\/):slug/, '$1ada')
    .replace(':slug', slug)
    .replace('/:v/', '/latest/')
    .replace(':id', session)
    .replace(/:\w+/g, 'x')
  const type = 'content' in body! ? Object.keys(body.content)[0]! : 'application/json'
  return { method, target, isChunked, headers: { 'content-type': type, ...more } }
}

const key = (scope: string) => ({ authorization: `Bearer ${keys[scope]}` })
const admin = () => key('admin')
/** Requests by the reason of their refusal, and the statuses that some of them must get. */
const refusals: Record<string, [request: (subject: Subject) => Request, ...statuses: number[]]> = {
  'too large, without sense, or beyond the quota': [(one) => requestOf(one, admin()), 413, 422, 404],
  'no credential': [(one) => requestOf(one, {}), 401],
  'a key with too little scope': [(one) => requestOf(one, key('read')), 403],
  'another content type': [(one) => requestOf(one, { ...admin(), 'content-type': 'a' }), 415],
  'an absent collection': [(one) => requestOf(one, admin(), 'absent'), 404],
  'Expect: 100-continue': [(one) => requestOf(one, { ...admin(), expect: '100-continue' }), 413],
  'Connection: close': [(one) => requestOf(one, { ...admin(), connection: 'close' }), 413],
  'a body that cannot be decompressed': [
    (one) => requestOf(one, { ...admin(), 'content-encoding': 'gzip' }),
    400,
    415,
  ],
}

/** Runs the work for all operations, four at a time. */
async function forAll(work: (subject: Subject) => Promise<void>) {
  const left = [...requests]
  const take = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next)
  }
  await Promise.all([take(), take(), take(), take()])
}

test.each(Object.entries(refusals))('%s', { timeout: 300_000 }, async (_, [request, ...statuses]) => {
  const faults: string[] = []
  const found = new Map<Answer, string[]>()
  await forAll(async (subject) => {
    const [refusal, next] = await answersTo(request(subject))
    if (!(Number(refusal) >= 400 && Number(refusal) < 500) || !ends.includes(next))
      faults.push(`${subject.name}, ${subject.isChunked ? 'chunked' : 'with a length'}: ${refusal}, ${next}`)
    found.set(refusal, [...(found.get(refusal) ?? []), subject.name])
  })
  expect(faults).toEqual([])
  expect([...found.keys()]).toEqual(expect.arrayContaining(statuses))
})

test('a file beyond the quota', async () => {
  const upload = requests.find(({ operation }) => operation.id === 'uploadFile')!
  expect(await answersTo(requestOf(upload, admin()))).toEqual([413, 200])
})

test('a client that leaves in the middle', { timeout: 300_000 }, async () => {
  await forAll(async (subject) => {
    for (const more of [{ 'content-encoding': 'identity' }, { 'content-encoding': 'gzip' }]) {
      const socket = await connected()
      await send(socket, requestOf(subject, { ...admin(), ...more }), true)
      socket.destroy()
    }
  })
  expect((await testClient(stage.server.url, undefined, '').get('/healthz')).status).toBe(200)
})
