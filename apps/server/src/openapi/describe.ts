/** The description of the API, made from the routes and the shapes that validate them. `reference.ts` serves it. */
import type { FastifyInstance, RouteOptions } from 'fastify'
import { introduction, tags } from './introduction.ts'
import { operationOf } from './operation.ts'
import { examplesIn } from './refusal-examples.ts'
import type { DescribedRoute } from './routes.ts'
import { modelsIn } from './shapes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** OpenAPI 3.1: every route that has a schema which is not hidden. */
    describedApi(): object
  }
}

/** Call it before routes are registered, so that it learns them. */
export function describeApi(app: FastifyInstance, about: { sessionCookie: string; version: string }): void {
  const routes: RouteOptions[] = []
  // Other hooks may add to its schema afterwards.
  app.addHook('onRoute', (route) => void routes.push(route))
  app.decorate('describedApi', () => documentOf(routes.flatMap(shown), about))
}

/** The methods of a route that are described, none if it is hidden. */
function shown({ method, url, schema, config = {} }: RouteOptions): DescribedRoute[] {
  if (schema === undefined || schema.hide === true) return []
  const methods = [method].flat().filter((one) => one !== 'HEAD' && one !== 'OPTIONS')
  return methods.map((one) => ({ method: one, url, schema, config }))
}

function documentOf(
  routes: readonly DescribedRoute[],
  { sessionCookie, version }: { sessionCookie: string; version: string },
): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.url.replace(/:([^/]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ulmus',
      version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags,
    paths,
    components: {
      schemas: modelsIn(paths),
      examples: examplesIn(paths),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description:
            'The cookie of a browser that signed in at `/auth/login`. Browsers send it by themselves.',
        },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, `ul_…`, from `POST /api/accounts/keys`. Without one the session counts, in a browser that [signed in](/auth/login?return_to=/docs/api).',
        },
      },
    },
  }
}
