/** Quality of the API description: required and forbidden properties of every operation, parameter and model. */
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiDocument, type Contract, contractOf, exampleOf } from '../testing/contract.ts'
import { serveForTest } from '../testing/serve.ts'
import { testClient } from '../testing/test-client.ts'

let document: ApiDocument
let contract: Contract
let end: () => Promise<void>

beforeAll(async () => {
  const { settings, dispose } = await databases[0]!.settings()
  const server = await serveForTest(settings)
  end = async () => {
    await server.close()
    await dispose()
  }
  document = (await testClient(server.url).get('/openapi.json')).json
  contract = contractOf(document)
})
afterAll(() => end?.())

const named = () =>
  contract.calls.map((call) => ({ ...call, name: `${call.method} ${call.path}`, ...call.operation }))

test('every operation has a unique name and two to six sentences', () => {
  const terse = named().filter(({ description }) => {
    const sentences = description.split(/\. (?=[A-Z`])/).length
    return sentences < 2 || sentences > 6
  })
  expect(terse.map(({ name }) => name)).toEqual([])
  const ids = named().map(({ operationId }) => operationId)
  expect(ids.filter((id, index) => id === undefined || ids.indexOf(id) !== index)).toEqual([])
})

test('every parameter and every body has an example, which its schema accepts', () => {
  const faults = named().flatMap(({ name, method, path, parameters = [], requestBody }) => {
    const ofParameters = parameters.flatMap((one, index) => {
      const place = ['paths', path, method.toLowerCase(), 'parameters', `${index}`, 'schema']
      const example = exampleOf(one)
      if (example === undefined || !one.description) return [`${name}: ${one.name} has no example or no word`]
      return contract.schemas.faults(place, example).map((fault) => `${name}: ${one.name} ${fault}`)
    })
    const ofBodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, media]) =>
      mediaFaults(
        ['paths', path, method.toLowerCase(), 'requestBody', 'content', type],
        media.example,
        media,
      ),
    )
    return [...ofParameters, ...ofBodies.map((fault) => `${name}: body ${fault}`)]
  })
  expect(faults).toEqual([])
})

test('every success has a description and an example, which its schema accepts', () => {
  const faults = named().flatMap(({ name, method, path, responses }) =>
    Object.entries(responses).flatMap(([status, { description, content = {} }]) => {
      if (!description || /default response/i.test(description)) return [`${name} ${status}: no description`]
      if (!status.startsWith('2')) return []
      const place = ['paths', path, method.toLowerCase(), 'responses', status, 'content']
      return Object.entries(content).flatMap(([type, media]) =>
        mediaFaults([...place, type], media.example, media).map((fault) => `${name} ${status}: ${fault}`),
      )
    }),
  )
  expect(faults).toEqual([])
})

function mediaFaults(
  place: string[],
  example: unknown,
  { schema }: { schema: { contentSchema?: object } },
): string[] {
  if (example === undefined) return ['has no example']
  const own = contract.schemas.faults([...place, 'schema'], example)
  if (schema.contentSchema === undefined) return own
  const lines = String(example).trimEnd().split('\n')
  return lines.flatMap((line) =>
    contract.schemas.faults([...place, 'schema', 'contentSchema'], JSON.parse(line)),
  )
}

test('bodies of lines and of bytes have their content types', () => {
  const types = (id: string) => Object.keys(contract.call(id).operation.requestBody!.content)
  for (const id of ['pushRecords', 'pushDeletes', 'sendManifest', 'sendSnapshotRecords'])
    expect(types(id), id).toEqual(['application/x-ndjson'])
  expect(types('uploadFile')).toEqual(['application/octet-stream', '*/*'])
  const answered = (id: string) => Object.keys(contract.call(id).operation.responses['200']!.content!)
  expect(answered('streamRecords')).toEqual(['application/x-ndjson'])
  expect(answered('exportVersion')).toEqual(['application/gzip'])
  expect(answered('downloadFile')).toEqual(['*/*'])
})

test('each model is there once, is used, and says what it is', () => {
  const models = Object.keys(document.components.schemas)
  expect(models.filter((name) => /Input|Output/.test(name))).toEqual([])
  const silent = Object.entries(document.components.schemas).filter(([, model]) => !('description' in model))
  expect(silent.map(([name]) => name)).toEqual([])
  const text = JSON.stringify(document)
  const referred = new Set(
    Array.from(text.matchAll(/"#\/components\/schemas\/([^"]+)"/g), ([, name]) => name),
  )
  expect([...referred].sort()).toEqual([...models].sort())
  const written = models.map((name) => JSON.stringify(document.components.schemas[name]))
  const twins = models.filter((_, index) => written.indexOf(written[index]!) !== index)
  expect(twins).toEqual([])
})

test('bounds are bounds', () => {
  expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER))
})

test('every refusal names its codes, each with a word', () => {
  const faults = named().flatMap(({ name, responses }) =>
    Object.entries(responses).flatMap(([status, { description, 'x-codes': codes }]) => {
      if (Number(status) < 308) return []
      const untold = (codes ?? []).filter((code) => !description.includes(`\`${code}\`: `))
      return codes?.length || untold.length > 0 ? [] : [`${name} ${status}`]
    }),
  )
  expect(faults).toEqual([])
})

test('every code has an example, which has the shape of all refusals', () => {
  const codes = new Set(
    named().flatMap(({ responses }) => Object.values(responses).flatMap((answer) => answer['x-codes'] ?? [])),
  )
  codes.delete('moved')
  const { examples } = document.components
  expect(Object.keys(examples).sort()).toEqual([...codes].sort())
  for (const [code, { value }] of Object.entries(examples)) {
    expect(contract.schemas.faults(['components', 'schemas', 'Error'], value), code).toEqual([])
    expect(value['error'], code).not.toMatch(/undefined|null/)
    expect(value['code']).toBe(code)
  }
})

test('the steps of a push are described in order', () => {
  const told = (tag: string) => document.tags.find(({ name }) => name === tag)!.description
  expect(told('pushes')).toMatch(/1\. \*\*Open[\s\S]*2\. \*\*Send[\s\S]*3\. \*\*Commit/)
  expect(told('snapshots')).toMatch(/1\. \*\*Negotiate[\s\S]*2\. \*\*Send[\s\S]*3\. \*\*Commit/)
  const steps = {
    openPush: 'Step 1',
    pushRecords: 'Step 2',
    pushDeletes: 'Step 2',
    commitPush: 'Step 3',
    openSnapshot: 'Step 1',
    sendManifest: 'Step 1',
    sendSnapshotRecords: 'Step 2',
    commitSnapshot: 'Step 3',
  }
  for (const [id, step] of Object.entries(steps)) {
    expect(contract.call(id).operation.description, id).toContain(step)
    expect(contract.call(id).operation.description, id).toMatch(/\b[Nn]ext\b|commit/)
  }
})
