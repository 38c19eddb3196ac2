/** HTML of the documents in `docs/`, rendered once per process at the first request, and searched in memory. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { docPages } from './pages.ts'
import { type DocSection, type Hit, searchSections, sectionsOf } from './search.ts'

let rendered: Promise<ReadonlyMap<string, string>> | undefined

/** HTML of a document, with this server's address in the examples; undefined: no such document. */
export async function documentHtml(name: string, origin: string): Promise<string | undefined> {
  rendered ??= render()
  rendered.catch(() => {
    rendered = undefined
  })
  return (await rendered).get(name)?.replaceAll(exampleOrigin, origin)
}

let sections: readonly DocSection[] | undefined

/** Sections of all documents that contain every word of a query, best first. */
export async function searchDocuments(query: string, origin: string): Promise<Hit[]> {
  if (sections === undefined) {
    const found: DocSection[] = []
    for (const { name, title } of docPages)
      found.push(...sectionsOf(name, title, (await documentHtml(name, origin)) ?? ''))
    sections = found
  }
  return searchSections(sections, query)
}

/** Address in the examples of `docs/`. */
export const exampleOrigin = 'http://127.0.0.1:4000'

/** Renders all documents once in a thread, which then ends: some 0.5 s. */
async function render(): Promise<ReadonlyMap<string, string>> {
  const thread = new Worker(new URL('./rendering.ts', import.meta.url))
  const [map] = (await once(thread, 'message')) as [ReadonlyMap<string, string>]
  return map
}
