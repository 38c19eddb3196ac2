/** The description of the API, made from the shapes that validate it. `reference.ts` serves it. */
import swagger, { type SwaggerTransform } from '@fastify/swagger'
import type { Entrance } from '@ulmus/registry'
import { ErrorBody } from '@ulmus/wire'
import type { FastifyInstance } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'

const description = `Ulmus is a registry for versioned collections of records.

Credentials: an API key as \`Authorization: Bearer ul_…\`, or the session cookie of a signed-in browser. Scopes nest: admin ⊃ write ⊃
read. Every refusal has one shape: a sentence, a stable \`code\` and the status. What a caller may not see is answered as what does
not exist. Every GET has an \`ETag\` and answers \`If-None-Match\` with 304.`

const tags = [
  { name: 'accounts', description: 'Users and organizations.' },
  { name: 'members', description: 'Members of organizations and their roles.' },
  { name: 'keys', description: 'API keys of the signed-in account.' },
  { name: 'collections', description: 'Collections of records.' },
  { name: 'metadata', description: 'Metadata of the latest version.' },
  { name: 'forks', description: 'Copies of collections into organizations.' },
  { name: 'versions', description: 'Versions and what is in them.' },
  { name: 'records', description: 'Records of a version.' },
  { name: 'files', description: 'Files that records refer to.' },
  { name: 'pushes', description: 'Delta pushes: a version from what changed.' },
  { name: 'snapshots', description: 'Snapshot pushes: a version from everything there is.' },
]

/** The shapes of errors that any call may be answered with, by status. */
const always = {
  429: 'Too many requests.',
  500: 'What is stored is damaged (`object_corrupt`), or there is a defect (`internal`).',
  503: 'The database or the object store is away.',
}

const transformShapes = createJsonSchemaTransform({ zodToJsonConfig: { unrepresentable: 'any' } })

/** Adds to what a route says of itself what all share: who may call it, and how it refuses. */
const describeRoute: SwaggerTransform = (document) => {
  const config = document.route.config ?? {}
  const entrance = config.entrance
  const schema = document.schema
  if (schema === undefined || schema.hide === true) return { schema: { hide: true }, url: document.url }
  const methods = [document.route.method].flat()
  const response = {
    ...refusals(entrance, document.schema, methods),
    ...(schema.response as object | undefined),
  }
  const described = { security: securityOf(entrance), ...schema, response }
  return transformShapes({ ...document, schema: described } as Parameters<typeof transformShapes>[0])
}

function securityOf(entrance: Entrance | undefined): Record<string, string[]>[] {
  const either: Record<string, string[]>[] = [{ apiKey: [] }, { session: [] }]
  return entrance?.scope === undefined ? [{}, ...either] : either
}

function refusals(
  entrance: Entrance | undefined,
  schema: object,
  methods: readonly string[],
): Record<string, unknown> {
  const sentences: Record<string, string> = { ...always, 401: 'The API key is not valid.' }
  if ('body' in schema || 'querystring' in schema)
    sentences[400] = 'The request is not valid; `issues` says where.'
  if (entrance?.scope !== undefined) {
    sentences[401] = 'No credential, or one that is not valid.'
    sentences[403] = 'The credential may not do this.'
  }
  if ('params' in schema) sentences[404] = 'There is no such thing, or the caller may not see it.'
  const isWrite = methods.some((method) => method !== 'GET' && method !== 'HEAD')
  if (isWrite) sentences[409] = 'It clashes with the present state; `code` says how.'
  if (isWrite && !methods.includes('DELETE')) {
    sentences[413] = 'The body is over its limit, which the sentence names.'
    sentences[415] = 'The content type or encoding is not one that this call takes.'
    sentences[507] = 'There is no room left to store it (`storage_full`).'
    sentences[422] = 'Well-formed and not acceptable; `code` says why.'
  }
  const shape = (text: string) => ({
    description: text,
    content: { 'application/json': { schema: ErrorBody } },
  })
  return Object.fromEntries(Object.entries(sentences).map(([status, text]) => [status, shape(text)]))
}

/** Call it before routes are registered, so that it learns them. */
export async function describeApi(
  app: FastifyInstance,
  options: { sessionCookie: string; version: string },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Ulmus',
        version: options.version,
        description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags,
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `ul_…`.' },
          session: { type: 'apiKey', in: 'cookie', name: options.sessionCookie },
        },
      },
    },
    transform: describeRoute,
    transformObject: createJsonSchemaTransformObject({ zodToJsonConfig: { unrepresentable: 'any' } }),
  })
}
