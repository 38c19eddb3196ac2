/** The thread that renders readmes, one after the other. Its first message says that it has begun. */
import { parentPort } from 'node:worker_threads'
import { type Readme, renderReadme } from './render.ts'

parentPort!.on('message', (readme: Readme) => {
  parentPort!.postMessage(renderReadme(readme))
})
parentPort!.postMessage('begun')
