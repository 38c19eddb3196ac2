/** Programs written for a kept release work with the present API: docs/releases.md. */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { releaseFolders } from '@ulmus/registry/testing/releases'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiDescription, brokenPromises } from '../testing/api-promise.ts'
import { readPacked } from '../testing/releases/kept.ts'
import { serveForTest } from '../testing/serve.ts'
import { testClient } from '../testing/test-client.ts'

let present: ApiDescription
let end: () => Promise<void>

beforeAll(async () => {
  const { settings, dispose } = await databases[1]!.settings()
  const server = await serveForTest(settings)
  end = async () => {
    await server.close()
    await dispose()
  }
  present = (await testClient(server.url).get('/openapi.json')).json
})
afterAll(() => end?.())

test.each(releaseFolders().map((release) => [basename(release), release] as const))(
  'the API keeps what it was in %s',
  (_, release) => {
    const file = join(release, 'openapi.json.zst')
    expect(existsSync(file)).toBe(true)
    expect(
      brokenPromises(readPacked<ApiDescription>(file), present),
      'Programs of others rely on this: keep it, and add the new beside it.',
    ).toEqual([])
  },
)

describe('the comparison', () => {
  // biome-ignore lint/suspicious/noExplicitAny: tests change any part of the description.
  type Parts = Record<string, any>
  type Change = (description: { paths: Parts; components: { schemas: Parts } }) => unknown
  /** Faults of the present API after a change. */
  const after = (change: Change): string[] => {
    const changed = structuredClone(present) as never
    change(changed)
    return brokenPromises(present, changed)
  }
  const fork = '/api/collections/{owner}/{slug}/fork'

  test('allows what it was, and additions', () => {
    expect(after(() => undefined)).toEqual([])
    expect(
      after(({ paths, components: { schemas } }) => {
        paths['/api/later'] = { get: { responses: { 200: { description: 'new' } } } }
        schemas['Fork'].properties.later = { type: 'string' }
        schemas['Fork'].required.push('later')
        schemas['CreateFork'].properties.later = { type: 'string' }
        paths[fork].post.parameters.push({ in: 'query', name: 'later', schema: { type: 'string' } })
      }),
    ).toEqual([])
  })

  test.each<[string, Change, string]>([
    ['a removed path', ({ paths }) => delete paths[fork], `POST ${fork} is gone`],
    ['a removed method', ({ paths }) => delete paths[fork].post, `POST ${fork} is gone`],
    [
      'a removed answer',
      ({ paths }) => delete paths[fork].post.responses[201],
      `POST ${fork}: the answer 201 is gone`,
    ],
    [
      'a removed field of an answer',
      ({ components: { schemas } }) => delete schemas['Fork'].properties.slug,
      `POST ${fork}: 201.slug is gone`,
    ],
    [
      'a field that an answer may lack',
      ({ components: { schemas } }) => schemas['Fork'].required.splice(0),
      `POST ${fork}: 201.slug is no longer always there`,
    ],
    [
      'another type in an answer',
      ({ components: { schemas } }) => (schemas['Fork'].properties.slug = { type: ['string', 'null'] }),
      `POST ${fork}: 201.slug has another type`,
    ],
    [
      'a removed field of a request',
      ({ components: { schemas } }) => delete schemas['CreateFork'].properties.targetOrg,
      `POST ${fork}: body.targetOrg is gone`,
    ],
    [
      'a newly required field',
      ({ components: { schemas } }) => {
        schemas['CreateFork'].properties.later = { type: 'string' }
        schemas['CreateFork'].required = [...(schemas['CreateFork'].required ?? []), 'later']
      },
      `POST ${fork}: body.later is newly required`,
    ],
    [
      'a newly required parameter',
      ({ paths }) => paths[fork].post.parameters.push({ in: 'query', name: 'later', required: true }),
      `POST ${fork}: the parameter later is newly required`,
    ],
    [
      'a removed parameter',
      ({ paths }) => paths[fork].post.parameters.pop(),
      `POST ${fork}: the parameter slug is gone`,
    ],
    [
      'a narrowed list of values',
      ({ components: { schemas } }) => schemas['Scope'].enum.pop(),
      'POST /api/accounts/keys: body.scope no longer knows "admin"',
    ],
    [
      'a narrower limit',
      ({ components: { schemas } }) => (schemas['CreateKey'].properties.label.maxLength = 50),
      'POST /api/accounts/keys: body.label has a narrower maxLength',
    ],
    [
      'a value that may no longer be null',
      ({ components: { schemas } }) => (schemas['CreateKey'].properties.expiresAt = { type: 'string' }),
      'POST /api/accounts/keys: body.expiresAt has other alternatives',
    ],
  ])('finds %s', (_, change, fault) => {
    expect(after(change)).toContain(fault)
  })
})
