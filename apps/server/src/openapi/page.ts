/** Serves the API description: `/api/openapi.json` for programs, and Markdown for the pages of the API reference. */
import type { ReferencePage } from '@ulmus/web'
import type { FastifyInstance } from 'fastify'
import { KeptAnswer } from '../plugins/kept.ts'
import { type Described, describeApi } from './describe.ts'
import type { ApiDescription } from './reference/description.ts'
import { referencePages } from './reference/pages.ts'

/** The API description of a server. Made at the first use and kept. */
export class ApiReference {
  readonly #about: Described
  #api: ApiDescription | undefined
  #pages: readonly ReferencePage[] | undefined

  constructor(about: Described) {
    this.#about = about
  }

  description(): ApiDescription {
    this.#api ??= describeApi(this.#about) as ApiDescription
    return this.#api
  }

  pages(): readonly ReferencePage[] {
    this.#pages ??= referencePages(this.description())
    return this.#pages
  }
}

/** `/api/openapi.json` */
export async function showApi(app: FastifyInstance, reference: ApiReference): Promise<void> {
  let kept: KeptAnswer | undefined
  const described = () =>
    (kept ??= new KeptAnswer(
      'application/json; charset=utf-8',
      `${JSON.stringify(reference.description())}\n`,
    ))
  // Build the description at start: at the first request it would block all others.
  app.addHook('onListen', async () => void described())
  app.get('/api/openapi.json', { compress: false, schema: { hide: true } }, async (request, reply) =>
    described().send(request, reply),
  )
}
