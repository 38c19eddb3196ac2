/** HTML of the documents in `docs/` and of the API reference, rendered once per process at the first request. Documents are searched in memory. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ReferencePage } from '../page.ts'
import { docPages } from './pages.ts'
import type { Unrendered } from './rendering.ts'
import { type DocSection, type Hit, searchSections, sectionsOf } from './search.ts'

let rendered: Promise<ReadonlyMap<string, string>> | undefined

/** HTML of a document, with this server's address in the examples; undefined: no such document. */
export async function documentHtml(name: string, origin: string): Promise<string | undefined> {
  rendered ??= render(docPages.map((page) => ({ name: page.name })))
  rendered.catch(() => {
    rendered = undefined
  })
  return (await rendered).get(name)?.replaceAll(exampleOrigin, origin)
}

const renderedReference = new WeakMap<ReferencePage, Promise<string>>()

/** HTML of a page of the API reference. */
export async function referenceHtml(page: ReferencePage): Promise<string> {
  let html = renderedReference.get(page)
  if (html === undefined) {
    const { name } = page
    html = render([{ name, reference: page.markdown() }]).then((texts) => texts.get(name)!)
    renderedReference.set(page, html)
    html.catch(() => renderedReference.delete(page))
  }
  return html
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

/** Renders documents in a thread, which then ends: some 0.5 s for all of `docs/`, and for the longest page of the API reference. */
async function render(documents: readonly Unrendered[]): Promise<ReadonlyMap<string, string>> {
  const thread = new Worker(new URL('./rendering.ts', import.meta.url), { workerData: documents })
  const [map] = (await once(thread, 'message')) as [ReadonlyMap<string, string>]
  return map
}
