import { expect, test } from 'vitest'
import { z } from 'zod'
import * as wire from './index.ts'

const refused = (shape: z.ZodType, value: unknown): boolean => !shape.safeParse(value).success

test('names are trimmed, 1 to 200 characters, without control characters', () => {
  expect(wire.Name.parse('  Cities  ')).toBe('Cities')
  expect(wire.Name.parse('🏙'.repeat(200))).toBe('🏙'.repeat(200))
  for (const name of ['', '   ', 'a\u0000b', 'a\nb', 'a\u007fb', '\ud800', '🏙'.repeat(201), 7]) {
    expect(refused(wire.Name, name), JSON.stringify(name)).toBe(true)
  }
})

test('labels have at most 100 characters', () => {
  expect(wire.Label.parse('x'.repeat(100))).toHaveLength(100)
  expect(refused(wire.Label, 'x'.repeat(101))).toBe(true)
})

test('bodies refuse unknown members and mistyped ones', () => {
  expect(refused(wire.CreateCollection, { slug: 'a', visibility: 'public' })).toBe(true)
  expect(refused(wire.CreateCollection, { slug: 'a', public: 'true' })).toBe(true)
  expect(refused(wire.UpdateCollection, { public: 1 })).toBe(true)
  expect(refused(wire.CreateFork, { view: 'full' })).toBe(true)
  expect(refused(wire.CreateKey, { label: 'a', scope: 'root' })).toBe(true)
  expect(refused(wire.CreateKey, { label: 'a', scope: 'read', collectionId: 'no-uuid' })).toBe(true)
  expect(refused(wire.CreateKey, { label: 'a', scope: 'read', expiresAt: 'tomorrow' })).toBe(true)
  expect(refused(wire.OpenPush, {})).toBe(true)
  expect(refused(wire.OpenPush, { base_version: null, files: ['sha256:AB'] })).toBe(true)
  expect(refused(wire.OpenPush, { base_version: null, strip_unknown_fields: 'yes' })).toBe(true)
})

test('a metadata patch is any JSON object, kept member for member', () => {
  const patch: unknown = JSON.parse('{"__proto__":1,"license":null,"10":[],"2":{}}')
  expect(JSON.stringify(wire.MetadataPatch.parse(patch))).toBe(JSON.stringify(patch))
  for (const body of [null, [], 'text', 7, undefined]) expect(refused(wire.MetadataPatch, body)).toBe(true)
})

test('error bodies keep the facts that come beside the sentence', () => {
  const body = { error: 'The slug is taken.', code: 'slug_taken', statusCode: 409, job_id: 'x' }
  expect(wire.ErrorBody.encode(body)).toEqual(body)
})

test('every shape can be written as JSON Schema, as OpenAPI needs it', () => {
  const shapes = Object.entries<unknown>(wire).flatMap(([name, shape]) =>
    shape instanceof z.ZodType ? [{ name, shape }] : [],
  )
  expect(shapes.length).toBeGreaterThan(40)
  for (const { name, shape } of shapes) {
    for (const io of ['input', 'output'] as const) {
      expect(z.toJSONSchema(shape, { io, unrepresentable: 'any' }), `${name} ${io}`).toBeTypeOf('object')
    }
  }
})
