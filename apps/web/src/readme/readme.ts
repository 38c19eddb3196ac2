/**
 * Renders readmes of collections as HTML. Anybody may have written them, so a process of its own (`process.ts`) renders them within a limit of
 * time and of memory. The HTML has only elements and attributes of an allow-list (`render.ts`).
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import type { CollectionName } from '../paths.ts'
import type { Readme } from './render.ts'

/** A longer readme is shown as plain text, up to here. Characters. */
const readmeCharactersMax = 200_000
/** What the process may hold in JavaScript's heap. It ends when it needs more; the next readme begins another. */
const heapMebibytes = 256
/** At most so many readmes are being rendered or wait for it. While there are so many, other readmes are shown as plain text. */
const waitingMax = 20
/** Rendered readmes that are kept. Characters. */
const keptCharactersMax = 8_000_000

type Rendered = string | null | undefined

/** One process, which renders one readme after the other. It begins with the first. */
class Renderer {
  #program: ChildProcess | undefined
  #answer: (html: Rendered) => void = () => {}
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** Whether so many wait already that the next would wait too long. */
  get isFull(): boolean {
    return this.#waiting >= waitingMax
  }

  /** Never rejects. Null: it takes too much time or memory, or its HTML is too long. Undefined: it could not be rendered now. */
  async render(readme: Readme): Promise<Rendered> {
    this.#waiting++
    const html = this.#last.then(() => this.#inProcess(readme)).catch(() => this.#drop())
    this.#last = html
    try {
      return await html
    } finally {
      this.#waiting--
    }
  }

  /** @throws what hinders a process to begin or to be spoken to, such as want of memory or of file descriptors */
  #inProcess(readme: Readme): Promise<Rendered> {
    return new Promise((answer) => {
      this.#answer = answer
      this.#program ??= this.#begin()
      this.#program.send(readme)
    })
  }

  /** A program that knows nothing of the server's settings, and keeps no server from ending. */
  #begin(): ChildProcess {
    const program = fork(fileURLToPath(new URL('./process.ts', import.meta.url)), {
      execArgv: [`--max-old-space-size=${heapMebibytes}`],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const end = (html: Rendered) => {
      if (this.#program !== program) return
      this.#drop()
      this.#answer(html)
    }
    program.on('message', (html: string | null) => {
      // An answer that arrives after the process was dropped must not be taken for the answer to the next readme.
      if (this.#program === program) this.#answer(html)
    })
    program.on('error', () => end(undefined))
    // V8 aborts the process (SIGABRT) when the readme fills the heap. Other signals come from outside and do not depend on the readme.
    program.on('exit', (_, signal) => end(signal === null || signal === 'SIGABRT' ? null : undefined))
    program.unref()
    program.channel?.unref()
    return program
  }

  #drop(): undefined {
    this.#program?.kill('SIGKILL')
    this.#program = undefined
  }
}

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
  const html = isLong ? null : await renderer.render({ markdown: readme, owner, slug, readmeImages })
  const shown = html ?? asPlainText(readme)
  if (html !== undefined) kept.set(key, shown)
  return shown
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const asPlainText = (text: string): string => {
  const shown = text.slice(0, readmeCharactersMax).toWellFormed()
  return `<pre class="plain-text">${shown.replace(/[&<>]/g, (sign) => signs[sign]!)}</pre>`
}
