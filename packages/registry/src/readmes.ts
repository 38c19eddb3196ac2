/**
 * Cache of rendered readmes, shared by all servers through the database. The web interface renders them. It is notified when a
 * version with a readme lands, so that the first page need not wait.
 */
import { type Database, findRenderedReadme, keepRenderedReadme } from '@ulmus/storage'

/** A readme of a landed version, or of a page. */
export interface LandedReadme {
  readonly markdown: string
  /** Slug of the account that owns the collection: owners take turns. */
  readonly owner: string
}

interface Stores {
  readonly database: Database
  now(): Date
}

/** The cache. `apps/server` sets `onLanded` to the renderer at its start. */
export class Readmes {
  readonly #context: Stores
  /** Must not throw. Default: renders nothing ahead. */
  onLanded: (readme: LandedReadme) => void = () => {}

  constructor(context: Stores) {
    this.#context = context
  }

  /** Has the readmes of both views of a version rendered ahead. */
  landed(owner: string, ...readmes: readonly unknown[]): void {
    for (const markdown of new Set(readmes))
      if (typeof markdown === 'string') this.onLanded({ markdown, owner })
  }

  /** @returns HTML; null: rendering is too costly. Undefined: not cached */
  async find(hash: string): Promise<string | null | undefined> {
    const found = await findRenderedReadme(this.#context.database, hash, this.#context.now())
    if (found?.isStale) void this.keep(hash, found.html)
    return found?.html
  }

  /** Never rejects: a full disk or a lost database only leaves a gap in the cache. */
  async keep(hash: string, html: string | null): Promise<void> {
    const { database, now } = this.#context
    await database
      .transactOnce((tx) => keepRenderedReadme(tx, { hash, html, now: now() }))
      .catch(() => undefined)
  }
}
