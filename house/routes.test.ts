import diagnostics from 'node:diagnostics_channel'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../apps/server/src/testing/serve.ts'

interface Operation {
  summary?: string
  tags?: string[]
  responses: Record<string, unknown>
}

/** Describes the others and not itself. */
const undescribed = ['GET /api/openapi.json']
/** Described beside the API, because a browser's session begins and ends with them. */
const signingIn = ['GET /auth/login', 'POST /auth/logout', 'POST /auth/device', 'POST /auth/device/token']

const routes = new Set<string>()
const operations = new Map<string, Operation>()
let server: TestServer

beforeAll(async () => {
  const learnRoutes = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', learn)
  diagnostics.subscribe('fastify.initialization', learnRoutes)
  server = await serveForTest({ folder: mkdtempSync(join(tmpdir(), 'ulmus-house-')) })
  diagnostics.unsubscribe('fastify.initialization', learnRoutes)
  const answer = await fetch(`${server.url}/api/openapi.json`)
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations.set(`${method.toUpperCase()} ${path.replace(/\{([^}]+)\}/g, ':$1')}`, operation)
    }
  }
}, 60_000)
afterAll(() => server?.close())

function learn({ method, url }: RouteOptions): void {
  for (const one of [method].flat()) {
    const route = `${one} ${url}`
    const isCall = one !== 'HEAD' && one !== 'OPTIONS'
    if (isCall && (url.startsWith('/api/') || signingIn.includes(route))) routes.add(route)
  }
}

test('every route of the API is in its description, and nothing else', () => {
  expect(routes.size, 'The server has no routes that could be compared.').toBeGreaterThan(10)
  const missing = [...routes].filter((route) => !operations.has(route) && !undescribed.includes(route))
  expect(missing, 'Give the route a `schema` without `hide: true`.').toEqual([])
  const invented = [...operations.keys()].filter((route) => !routes.has(route))
  expect(invented, 'Take the path out of the description: nothing answers there.').toEqual([])
})

test('every operation says what it does, where it belongs and what it answers', () => {
  const silent = [...operations].filter(
    ([, { summary, tags, responses }]) =>
      !summary || !tags?.length || !Object.keys(responses).some((status) => /^2|^302$/.test(status)),
  )
  const named = silent.map(([route]) => route)
  expect(
    named,
    'Give the route `summary`, `tags` and a `response` with its 2xx shape in its `schema`.',
  ).toEqual([])
})
