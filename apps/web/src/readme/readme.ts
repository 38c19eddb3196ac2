/**
 * Readmes of collections as HTML. Anybody may have written them: they are rendered in a process of their own (`process.ts`), which has
 * little time and memory, and what comes out has only elements and attributes of an allow-list (`render.ts`).
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
/** Readmes that are rendered or wait; whoever comes when there are more reads plain text. */
const waitingMax = 20
/** Rendered readmes that are kept. Characters. */
const keptCharactersMax = 8_000_000

/** One process, which renders one readme after the other. It begins with the first. */
class Renderer {
  #program: ChildProcess | undefined
  #answer: (html: string | undefined) => void = () => {}
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** Whether so many wait already that the next would wait too long. */
  get isFull(): boolean {
    return this.#waiting >= waitingMax
  }

  /** Undefined: it took too much time or memory, or its HTML is too long. Never rejects. */
  async render(readme: Readme): Promise<string | undefined> {
    this.#waiting++
    const html = this.#last.then(() => this.#inProcess(readme))
    this.#last = html
    try {
      return await html
    } finally {
      this.#waiting--
    }
  }

  #inProcess(readme: Readme): Promise<string | undefined> {
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
    const end = () => {
      if (this.#program !== program) return
      this.#program = undefined
      program.kill('SIGKILL')
      this.#answer(undefined)
    }
    program.on('message', (html: string | null) => this.#answer(html ?? undefined))
    // It could not begin, or what was sent did not reach it.
    program.on('error', end).on('exit', end)
    program.unref()
    program.channel?.unref()
    return program
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
  const html = isLong ? undefined : await renderer.render({ markdown: readme, owner, slug, readmeImages })
  const shown = html ?? asPlainText(readme)
  kept.set(key, shown)
  return shown
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const asPlainText = (text: string): string => {
  const shown = text.slice(0, readmeCharactersMax).toWellFormed()
  return `<pre class="plain-text">${shown.replace(/[&<>]/g, (sign) => signs[sign]!)}</pre>`
}
