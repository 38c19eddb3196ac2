import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routesOf } from '../testing/routes.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'

interface Operation {
  summary?: string
  tags?: string[]
  responses: Record<string, unknown>
}

/** The description itself is not described. */
const undescribed = ['GET /api/openapi.json']
/** Described in addition to the API: they begin and end browser sessions, or issue keys. */
const signingIn = [
  'GET /auth/login',
  'POST /auth/logout',
  'POST /auth/device',
  'POST /auth/device/token',
  'POST /auth/exchange',
]

let routes: ReadonlySet<string>
const operations = new Map<string, Operation>()
let server: TestServer

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-house-'))
  const started = await routesOf(() => serveForTest({ folder }))
  server = started.made
  const isDescribed = (route: string) => route.includes(' /api/') || signingIn.includes(route)
  routes = new Set([...started.routes].filter(isDescribed))
  const answer = await fetch(`${server.url}/api/openapi.json`)
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations.set(`${method.toUpperCase()} ${path.replace(/\{([^}]+)\}/g, ':$1')}`, operation)
    }
  }
})
afterAll(() => server?.close())

test('every route of the API is in its description, and nothing else', () => {
  expect(routes.size, 'The server has no routes that could be compared.').toBeGreaterThan(10)
  const missing = [...routes].filter((route) => !operations.has(route) && !undescribed.includes(route))
  expect(missing, 'Declare the operation in packages/wire/src/operations, and `serve` it.').toEqual([])
  const invented = [...operations.keys()].filter((route) => !routes.has(route))
  expect(invented, '`serve` the operation, or take it out of packages/wire/src/operations.').toEqual([])
})

test('every operation says what it does, where it belongs and what it answers', () => {
  const silent = [...operations].filter(
    ([, { summary, tags, responses }]) =>
      !summary || !tags?.length || !Object.keys(responses).some((status) => /^2|^302$/.test(status)),
  )
  const named = silent.map(([route]) => route)
  expect(named, 'Give the operation a `summary`, a `tag` and a 2xx shape in `answers`.').toEqual([])
})
