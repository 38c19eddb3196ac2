import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { nothingAllowed, readAllowed } from './addresses.ts'
import { ask, type Outside, type Question } from './ask.ts'

const servers: Server[] = []
/** Connections that reached a server. */
let reached = 0
let certificate: { key: Buffer; cert: Buffer }

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-tls-'))
  const at = (name: string) => join(folder, name)
  const subject = ['-subj', '/CN=receiver.test', '-addext', 'subjectAltName=DNS:receiver.test']
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      ...subject,
      '-keyout',
      at('key'),
      '-out',
      at('cert'),
    ],
    { stdio: 'ignore' },
  )
  certificate = { key: readFileSync(at('key')), cert: readFileSync(at('cert')) }
  rmSync(folder, { recursive: true })
  setDefaultCACertificates([...getCACertificates(), certificate.cert.toString()])
})

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  reached = 0
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.on('connection', () => reached++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
const plain = (listener: RequestListener) => listen(createServer(listener))

const question: Question = { method: 'GET', milliseconds: 5_000, bytesMax: 1_000 }

/** Asks a server that the operator allowed. */
async function askPlain(listener: RequestListener, changed: Partial<Question> = {}) {
  const port = await plain(listener)
  const origin = `http://127.0.0.1:${port}`
  return ask(new URL(`${origin}/hook?x=1`), { ...question, ...changed }, { allowed: readAllowed(origin) })
}

const failed = (why: string) => expect.objectContaining({ kind: 'failed', why })

test('a request arrives whole, and its answer comes with status, headers, body and time', async () => {
  const answer = await askPlain(
    (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method, url, headers } = request
        const { connection, 'content-length': length, 'x-a': a } = headers
        response.writeHead(201, { 'x-b': 'c' })
        response.end(
          JSON.stringify({ method, url, connection, length, a, body: Buffer.concat(chunks).toString() }),
        )
      })
    },
    { method: 'POST', headers: { 'x-a': 'b' }, body: '{"grüße":1}' },
  )
  if (answer.kind !== 'answered') throw new Error(answer.why)
  expect(answer).toMatchObject({ status: 201, headers: { 'x-b': 'c' }, milliseconds: expect.any(Number) })
  expect(JSON.parse(answer.body.toString())).toEqual({
    method: 'POST',
    url: '/hook?x=1',
    connection: 'close',
    length: '13',
    a: 'b',
    body: '{"grüße":1}',
  })
})

test('a redirect is the answer, and is not followed', async () => {
  let requests = 0
  const answer = await askPlain((_, response) => {
    requests++
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end()
  })
  expect(answer).toMatchObject({ kind: 'answered', status: 302 })
  expect(requests).toBe(1)
})

test('a body that is compressed stays so', async () => {
  const bomb = gzipSync(Buffer.alloc(100_000))
  const answer = await askPlain((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  expect(answer).toMatchObject({ kind: 'answered', body: bomb })
})

test('a body over the limit is not read on', async () => {
  const sent = Promise.withResolvers<number>()
  const answer = await askPlain((_, response) => {
    let bytes = 0
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) bytes += 65_536
    }
    response.on('drain', write)
    response.on('close', () => sent.resolve(bytes))
    write()
  })
  expect(answer).toEqual(failed('too_large'))
  expect(await sent.promise).toBeLessThan(2 ** 24)
})

test('without a wish for a body none is read', async () => {
  const answer = await askPlain((_, response) => response.writeHead(200).write('x'.repeat(100_000)), {
    bytesMax: 0,
  })
  expect(answer).toMatchObject({ kind: 'answered', status: 200, body: Buffer.alloc(0) })
})

test.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  ['sends a byte a moment', (_, response) => void setInterval(() => response.write('x'), 50).unref()],
  [
    'sends early hints without end',
    (_, response) =>
      void setInterval(() => response.writeEarlyHints({ link: '</x>; rel=preload' }), 20).unref(),
  ],
])('a receiver that %s is left at the deadline', async (_, listener) => {
  const answer = await askPlain(listener, { milliseconds: 300 })
  expect(answer).toEqual(failed('timeout'))
  // Without the deadline, never.
  expect(answer.milliseconds).toBeLessThan(10_000)
})

test('a socket that is silent before TLS is left at the deadline', async () => {
  const port = await plain(() => undefined)
  const allowed = readAllowed(`https://receiver.test:${port}`)
  const silent = ask(
    new URL(`https://receiver.test:${port}/`),
    { ...question, milliseconds: 300 },
    { allowed, resolve: async () => ['127.0.0.1'] },
  )
  expect(await silent).toMatchObject({ kind: 'failed' })
})

test('a name with one private address is refused without a connection', async () => {
  const port = await plain((_, response) => response.end())
  for (const addresses of [
    ['127.0.0.1'],
    ['93.184.216.34', '127.0.0.1'],
    ['2606:2800:220:1::1', '::1'],
    ['::ffff:127.0.0.1'],
  ]) {
    const answer = await ask(new URL('https://rebinding.test/'), question, {
      allowed: nothingAllowed,
      resolve: async () => addresses,
    })
    expect(answer).toEqual(failed('refused_address'))
  }
  const literal = await ask(new URL(`http://127.0.0.1:${port}/`), question, { allowed: nothingAllowed })
  expect(literal).toEqual(failed('refused_address'))
  expect(reached).toBe(0)
})

test('a name is resolved once, and the connection goes to the address that was checked', async () => {
  let resolved = 0
  const port = await listen(createTlsServer(certificate, (_, response) => response.end('here')))
  const outside: Outside = {
    allowed: readAllowed(`https://receiver.test:${port}`),
    resolve: async () => (resolved++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']),
  }
  const answer = await ask(new URL(`https://receiver.test:${port}/`), question, outside)
  expect(answer).toMatchObject({ kind: 'answered', status: 200, body: Buffer.from('here') })
  expect(resolved).toBe(1)
  const second = await ask(new URL(`https://receiver.test:${port}/`), question, outside)
  expect(second).toEqual(failed('refused_address'))
})

test('a certificate of another name is refused, even where the environment would take any', async () => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    const port = await listen(createTlsServer(certificate, (_, response) => response.end('here')))
    const outside: Outside = {
      allowed: readAllowed(`https://other.test:${port}`),
      resolve: async () => ['127.0.0.1'],
    }
    expect(await ask(new URL(`https://other.test:${port}/`), question, outside)).toEqual(failed('tls'))
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
})

test('names that do not exist and inner ones are refused alike, and as late', async () => {
  const times: number[] = []
  for (const resolve of [
    async () => [],
    async () => ['10.0.0.7'],
    () => Promise.reject(new Error('NXDOMAIN')),
  ]) {
    const answer = await ask(new URL('https://inner.test/'), question, { allowed: nothingAllowed, resolve })
    expect(answer).toEqual(failed('refused_address'))
    times.push(answer.milliseconds)
  }
  for (const time of times) expect(time).toBeGreaterThanOrEqual(990)
})

test('failures have a reason each', async () => {
  const none = { allowed: nothingAllowed, resolve: async () => [] }
  expect(await ask(new URL('https://nowhere.test/'), question, none)).toEqual(failed('refused_address'))
  const throwing = { allowed: nothingAllowed, resolve: () => Promise.reject(new Error('SERVFAIL')) }
  expect(await ask(new URL('https://nowhere.test/'), question, throwing)).toEqual(failed('refused_address'))
  const gone = readAllowed('http://127.0.0.1:1')
  expect(await ask(new URL('http://127.0.0.1:1/'), question, { allowed: gone })).toEqual(failed('connection'))
  expect(await askPlain((request) => request.socket.destroy())).toEqual(failed('connection'))
  expect(await askPlain((request) => request.socket.end('SSH-2.0-x\r\n'))).toEqual(failed('malformed'))
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'
  expect(await askPlain((request) => request.socket.write(switching))).toEqual(failed('malformed'))
  const long = await askPlain((_, response) => response.writeHead(200, { 'x-a': 'b'.repeat(100_000) }).end())
  expect(long).toEqual(failed('malformed'))
})

test('with a proxy all requests go through it, names unresolved, and its refusal has a reason of its own', async () => {
  const port = await listen(createTlsServer(certificate, (_, response) => response.end('here')))
  const asked: string[] = []
  let refuse = false
  const proxy = createServer()
  proxy.on('connect', (request, socket: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization']}`)
    if (refuse) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    const to = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(to).pipe(socket)
    })
  })
  const at = await listen(proxy)
  const outside: Outside = {
    allowed: nothingAllowed,
    proxy: new URL(`http://me:pass@127.0.0.1:${at}`),
    resolve: () => Promise.reject(new Error('names are the proxy’s to resolve')),
  }
  expect(await ask(new URL('https://receiver.test/'), question, outside)).toMatchObject({
    kind: 'answered',
    body: Buffer.from('here'),
  })
  expect(asked).toEqual([`receiver.test:443 Basic ${Buffer.from('me:pass').toString('base64')}`])
  refuse = true
  expect(await ask(new URL('https://receiver.test/'), question, outside)).toEqual(failed('refused_address'))
  expect(await ask(new URL('https://10.0.0.1/'), question, outside)).toEqual(failed('refused_address'))
  expect(asked).toHaveLength(2)
  proxy.close()
  proxy.closeAllConnections()
  const closed = { ...outside, proxy: new URL('http://127.0.0.1:1') }
  expect(await ask(new URL('https://receiver.test/'), question, closed)).toEqual(failed('proxy'))
})
