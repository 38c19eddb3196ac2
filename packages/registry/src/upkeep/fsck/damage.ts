/** Damage found by fsck, reported at once. */

/** A damaged thing and the reason, for operators. */
export interface Damage {
  /** The damaged thing: `body object <hash>`, `pack <name>`, `version v1.2.0 of <collection id>`, `file sha256:<hash>`. */
  what: string
  why: string
}

/** Collects damage; reports only the first of each object, since others mostly follow from it. */
export class Damages {
  readonly #reported = new Set<string>()
  readonly #tell: (damage: Damage) => void

  constructor(tell: (damage: Damage) => void) {
    this.#tell = tell
  }

  get count(): number {
    return this.#reported.size
  }

  has(what: string): boolean {
    return this.#reported.has(what)
  }

  /** Allows damage to these objects to be reported again. */
  forget(damages: readonly Damage[]): void {
    for (const { what } of damages) this.#reported.delete(what)
  }

  add(what: string, why: string | Error): void {
    if (this.#reported.has(what)) return
    this.#reported.add(what)
    this.#tell({ what, why: why instanceof Error ? reasonOf(why) : why })
  }
}

/** The message, followed by those of its causes. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} ${reasonOf(error.cause)}` : error.message
}
