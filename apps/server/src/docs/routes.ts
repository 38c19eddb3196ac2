/** The documentation as Markdown files for programs, and the verifier `verify.py` as a download. */
import { readFile } from 'node:fs/promises'
import { docFiles, docPages, docPath, exampleOrigin } from '@ulmus/web'
import type { FastifyPluginAsync } from 'fastify'
import { KeptAnswer } from '../plugins/kept.ts'

export interface DocsOptions {
  /** Public address of this server, as `https://registry.example`, for examples. */
  readonly origin: () => string
}

const options = { compress: false, config: { credentials: false }, schema: { hide: true } } as const
const markdown = docPages.map(({ name }) => [`${name}.md`, 'text/markdown; charset=utf-8'] as const)

/** `/docs/<name>.md`, `/docs/verify.py`. */
export const docRoutes: FastifyPluginAsync<DocsOptions> = async (app, { origin }) => {
  const kept = new Map<string, KeptAnswer>()
  for (const [file, type] of [...markdown, ...Object.entries(docFiles)]) {
    app.get(`/docs/${file}`, options, async (request, reply) => {
      let answer = kept.get(file)
      if (answer === undefined) {
        const text = await readFile(docPath(file), 'utf8')
        answer = new KeptAnswer(type, text.replaceAll(exampleOrigin, origin()))
        kept.set(file, answer)
      }
      return answer.send(request, reply)
    })
  }
  for (const path of ['/docs', '/docs/api'])
    app.get(`${path}/`, options, async (_request, reply) => reply.redirect(path, 301))
}
