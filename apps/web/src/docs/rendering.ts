/** Thread that renders the documents: parsing them would block the event loop too long. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { htmlOf } from './markdown.ts'
import { docPages, docsFolder } from './pages.ts'

const rendered = docPages.map(({ name }): [string, string] => [
  name,
  htmlOf(readFileSync(join(docsFolder, `${name}.md`), 'utf8')),
])
parentPort?.postMessage(new Map(rendered))
