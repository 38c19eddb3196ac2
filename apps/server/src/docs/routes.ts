/** `/docs`: what this registry is and how it is used, for whoever has only its address. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FastifyPluginAsync } from 'fastify'
import { KeptAnswer } from '../plugins/kept.ts'
import { docsPolicy } from './layout.ts'
import { docFiles, docPages, docsFolder } from './pages.ts'
import type { RenderedDocs } from './rendering.ts'

export interface DocsOptions {
  /** Where readers reach this server, as `https://registry.example`: examples name it. */
  readonly origin: () => string
}

const options = { compress: false, config: { credentials: false }, schema: { hide: true } } as const

/** `/docs`, `/docs/<name>`, the same texts as `/docs/<name>.md` for programs that read prose, and the files beside them. */
export const docRoutes: FastifyPluginAsync<DocsOptions> = async (app, { origin }) => {
  let made: Promise<ReadonlyMap<string, KeptAnswer>> | undefined
  const answers = (): NonNullable<typeof made> => {
    made ??= makeAnswers(origin())
    made.catch(() => {
      made = undefined
    })
    return made
  }
  const names = ['', ...docPages.flatMap(({ name }) => [name, `${name}.md`]), ...Object.keys(docFiles)]
  for (const name of names) {
    app.get(name === '' ? '/docs' : `/docs/${name}`, options, async (request, reply) => {
      const answer = (await answers()).get(name)!
      return answer.send(request, reply.header('Content-Security-Policy', docsPolicy))
    })
  }
  app.get('/docs/', options, async (_request, reply) => reply.redirect('/docs', 301))
}

async function makeAnswers(origin: string): Promise<ReadonlyMap<string, KeptAnswer>> {
  const answers = new Map<string, KeptAnswer>()
  for (const [name, html] of await render())
    answers.set(name, new KeptAnswer('text/html; charset=utf-8', html.replaceAll(exampleOrigin, origin)))
  const files = {
    ...docFiles,
    ...Object.fromEntries(docPages.map(({ name }) => [`${name}.md`, markdownType])),
  }
  for (const [file, type] of Object.entries(files)) {
    const text = await readFile(join(docsFolder, file), 'utf8')
    answers.set(file, new KeptAnswer(type, text.replaceAll(exampleOrigin, origin)))
  }
  return answers
}

/** In the files of `docs/`. */
const exampleOrigin = 'http://127.0.0.1:4000'

const markdownType = 'text/markdown; charset=utf-8'

/** Renders all documents once, in a thread that ends with it: some 0.5 s. */
async function render(): Promise<RenderedDocs> {
  const thread = new Worker(new URL('./rendering.ts', import.meta.url))
  const [rendered] = (await once(thread, 'message')) as [RenderedDocs]
  return rendered
}
