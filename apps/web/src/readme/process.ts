/**
 * The process that renders readmes, one after the other. It is not the server's, since V8 ends the whole process when one allocation finds
 * no room in the heap. It keeps the time itself, so that it does not go on for long when its server was killed. A readme that takes too much
 * ends it, and with it what it had allocated.
 */
import { Script } from 'node:vm'
import { type Readme, renderReadme } from './render.ts'

/** Rendering may take so long. Milliseconds. */
const renderMillisecondsMax = 2_000
/** Short Markdown may be long HTML, which a page could not show. Characters. */
const htmlCharactersMax = 600_000

/** Only a script's time limit ends what takes too long within one turn of the event loop, regular expressions among it. */
const script = new Script('renderReadme()')

process.on('message', (readme: Readme) => {
  Object.assign(globalThis, { renderReadme: () => renderReadme(readme) })
  const html: string = script.runInThisContext({ timeout: renderMillisecondsMax })
  process.send!(html.length > htmlCharactersMax ? null : html)
})
