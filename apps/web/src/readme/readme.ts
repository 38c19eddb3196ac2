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
/** Short Markdown may be long HTML: what is longer is shown as plain text as well. Characters. */
const htmlCharactersMax = 600_000
/** Parsing may take so long. Milliseconds. */
const renderMillisecondsMax = 2_000
/**
 * What its thread may hold in JavaScript's heap. V8 may end the whole process, not the thread alone, when one large allocation finds no room,
 * so time must run out first: of sixteen costly texts of this length the worst took 438 MiB until then (nested lists, 2026-11-25).
 */
const heapMebibytes = 1_024
/** Readmes that wait for the thread; whoever comes when there are more reads plain text. */
const waitingMax = 20
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

  /** Whether so many wait already that the next would wait too long. */
  get isFull(): boolean {
    return this.#queue.length >= waitingMax
  }

  /** Undefined: it took too long or too much memory. */
  render(readme: Readme): Promise<string | undefined> {
    return new Promise((done) => {
      this.#queue.push({ readme, done })
      void this.#renderNext()
    })
  }

  /** Never rejects: a readme that cannot be rendered is shown as it is. */
  async #renderNext(): Promise<void> {
    const next = this.#isBusy ? undefined : this.#queue.shift()
    if (next === undefined) return
    this.#isBusy = true
    const html = await this.#inThread(next.readme).catch(() => undefined)
    this.#isBusy = false
    next.done(html)
    void this.#renderNext()
  }

  async #inThread(readme: Readme): Promise<string | undefined> {
    this.#thread ??= begin()
    const begun = this.#thread
    try {
      return await answerOf(await begun, readme)
    } catch (error) {
      this.#thread = undefined
      void begun.then((thread) => thread.terminate()).catch(() => {})
      throw error
    }
  }
}

/** Resolves when the thread has loaded what it needs, which takes a second on a busy machine. It keeps no process from ending. */
async function begin(): Promise<Worker> {
  const resourceLimits = { maxOldGenerationSizeMb: heapMebibytes }
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits })
  // It may fail when nobody waits for it any more. Unheard, the event would end the process.
  thread.on('error', () => {})
  await new Promise<void>((resolve, reject) => thread.once('message', resolve).once('error', reject))
  thread.unref()
  return thread
}

/** @throws Error when it takes too long, and what the thread fails with */
const answerOf = (thread: Worker, readme: Readme): Promise<string> =>
  new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer)
      thread.off('message', answer).off('error', fail)
    }
    const answer = (html: string) => {
      settle()
      resolve(html)
    }
    const fail = (error: Error) => {
      settle()
      reject(error)
    }
    const timer = setTimeout(() => fail(new Error('It took too long.')), renderMillisecondsMax)
    thread.once('message', answer).once('error', fail)
    thread.postMessage(readme)
  })

const renderer = new Renderer()
const kept = new LRUCache<string, string>({
  maxSize: keptCharactersMax,
  sizeCalculation: (html, key) => html.length + key.length,
})

/**
 * HTML of a readme; undefined where there is none.
 * @param readme `metadata.readme`, which may be anything
 * @param options.readmeImages whether pictures of other sites are shown; else they are links. Default: false
 */
export async function readmeOf(
  readme: unknown,
  { owner, slug }: CollectionName,
  { readmeImages = false }: { readonly readmeImages?: boolean } = {},
): Promise<string | undefined> {
  if (typeof readme !== 'string' || readme.trim() === '') return undefined
  const key = `${owner}/${slug}\n${readmeImages}\n${readme}`
  const known = kept.get(key)
  if (known !== undefined) return known
  if (renderer.isFull) return asPlainText(readme)
  const isLong = readme.length > readmeCharactersMax
  const html = isLong ? undefined : await renderer.render({ markdown: readme, owner, slug, readmeImages })
  const shown = html === undefined || html.length > htmlCharactersMax ? asPlainText(readme) : html
  kept.set(key, shown)
  return shown
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const asPlainText = (text: string): string => {
  const shown = text.slice(0, readmeCharactersMax).toWellFormed()
  return `<pre class="plain-text">${shown.replace(/[&<>]/g, (sign) => signs[sign]!)}</pre>`
}
