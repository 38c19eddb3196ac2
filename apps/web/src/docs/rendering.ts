/** Thread that renders documents: parsing them would block the event loop too long. */
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { htmlOf, referenceHtmlOf } from './markdown.ts'
import { docPath } from './pages.ts'

/** A document of `docs/`, or with its Markdown a page of the API reference. */
export interface Unrendered {
  readonly name: string
  readonly reference?: string
}

const rendered = (workerData as readonly Unrendered[]).map(({ name, reference }): [string, string] => [
  name,
  reference === undefined ? htmlOf(readFileSync(docPath(`${name}.md`), 'utf8')) : referenceHtmlOf(reference),
])
parentPort?.postMessage(new Map(rendered))
