/** Builds the API description from the table of operations and their validating shapes. `page.ts` serves it. */
import { type Operation, operations } from '@ulmus/wire'
import { introduction, tags } from './introduction.ts'
import { operationOf } from './operation.ts'
import { examplesIn } from './refusal-examples.ts'
import { modelsIn } from './shapes.ts'

export interface Described {
  /** Name of the cookie that browsers send. */
  readonly sessionCookie: string
  readonly version: string
}

/** OpenAPI 3.1 */
export function describeApi({ sessionCookie, version }: Described): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const [method = '', url = ''] = name.split(' ')
    const path = url.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf({ ...operation, method, url }) }
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
