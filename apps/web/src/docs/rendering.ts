/** The thread that renders the documents: to parse them takes longer than a request may hold the event loop. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { docIndex, docPage } from './layout.ts'
import { htmlOf } from './markdown.ts'
import { docPages, docsFolder } from './pages.ts'

/** HTML of every document by its name; '' is the list of all. */
export type RenderedDocs = ReadonlyMap<string, string>

const rendered = new Map([['', docPage(undefined, docIndex())]])
for (const page of docPages) {
  const markdown = readFileSync(join(docsFolder, `${page.name}.md`), 'utf8')
  rendered.set(page.name, docPage(page, htmlOf(markdown)))
}
parentPort?.postMessage(rendered satisfies RenderedDocs)
