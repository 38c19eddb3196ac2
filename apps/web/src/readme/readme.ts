/**
 * Readmes of collections as HTML. Anybody may have written them: they are parsed in a thread of their own, which is ended when one
 * takes too long, and what comes out has only elements and attributes of an allow-list (`render.ts`).
 */
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { CollectionName } from '../paths.ts'
import type { Readme } from './render.ts'

/** A longer readme is shown as plain text, up to here. Characters. */
const readmeCharactersMax = 200_000
/** Parsing may take so long. Milliseconds. */
const renderMillisecondsMax = 2_000
/** Rendered readmes that are kept. Characters. */
const keptCharactersMax = 8_000_000

interface Waiting {
  readonly readme: Readme
  done(html: string | undefined): void
}

/** One thread, which renders one readme after the other. It begins with the first. */
class Renderer {
  readonly #queue: Waiting[] = []
  #thread: Promise<Worker> | undefined
  #isBusy = false

  /** Undefined: it took too long. */
  render(readme: Readme): Promise<string | undefined> {
    return new Promise((done) => {
      this.#queue.push({ readme, done })
      void this.#renderNext()
    })
  }

  async #renderNext(): Promise<void> {
    const next = this.#isBusy ? undefined : this.#queue.shift()
    if (next === undefined) return
    this.#isBusy = true
    this.#thread ??= begin()
    const thread = await this.#thread
    const html = await answerOf(thread, next.readme)
    if (html === undefined) {
      this.#thread = undefined
      void thread.terminate()
    }
    this.#isBusy = false
    next.done(html)
    void this.#renderNext()
  }
}

/** Resolves when the thread has loaded what it needs, which takes a second on a busy machine. It keeps no process from ending. */
async function begin(): Promise<Worker> {
  const thread = new Worker(new URL('./thread.ts', import.meta.url))
  await new Promise<void>((resolve, reject) => thread.once('message', resolve).once('error', reject))
  thread.unref()
  return thread
}

/** Undefined: it took too long, or ended the thread. */
const answerOf = (thread: Worker, readme: Readme): Promise<string | undefined> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => end(undefined), renderMillisecondsMax)
    const end = (html: string | undefined) => {
      clearTimeout(timer)
      thread.off('message', end).off('error', fail)
      resolve(html)
    }
    const fail = () => end(undefined)
    thread.once('message', end).once('error', fail)
    thread.postMessage(readme)
  })

const renderer = new Renderer()
const kept = new LRUCache<string, string>({
  maxSize: keptCharactersMax,
  sizeCalculation: (html, key) => html.length + key.length,
})

/** HTML of a readme; undefined where there is none. @param readme `metadata.readme`, which may be anything */
export async function readmeOf(
  readme: unknown,
  { owner, slug }: CollectionName,
): Promise<string | undefined> {
  if (typeof readme !== 'string' || readme.trim() === '') return undefined
  const key = `${owner}/${slug}\n${readme}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const isLong = readme.length > readmeCharactersMax
  const html = isLong ? undefined : await renderer.render({ markdown: readme, owner, slug })
  const shown = html ?? asPlainText(readme)
  kept.set(key, shown)
  return shown
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const asPlainText = (text: string): string => {
  const shown = text.slice(0, readmeCharactersMax).toWellFormed()
  return `<pre class="plain-text">${shown.replace(/[&<>]/g, (sign) => signs[sign]!)}</pre>`
}
