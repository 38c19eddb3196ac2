/**
 * Grants of collaborators on one collection. An acknowledged change is permanent until the next one; an unacknowledged one may have
 * happened or not, and the first list read decides.
 */

export const grants = ['read', 'write', 'admin'] as const
export type Grant = (typeof grants)[number]

/** Statuses of answers to a collaborator. */
export interface AccessStatuses {
  /** Of the collection's details. */
  readonly read: number
  /** Of the opening of a push. */
  readonly push: number
}

export class Grants {
  /** Possible grants by user; null: possibly none. A single entry is certain, and the first is the one before an open change. */
  readonly #possible = new Map<string, readonly (Grant | null)[]>()

  get isSure(): boolean {
    return [...this.#possible.values()].every(({ length }) => length === 1)
  }

  /** Certain if `isSure`. */
  of(user: string): Grant | null {
    return this.#possibleOf(user)[0]!
  }

  /** Users with at least this grant. Certain if `isSure`. */
  usersWith(least: Grant): string[] {
    return [...this.#possible.keys()].filter((user) => rankOf(this.of(user)) >= rankOf(least))
  }

  /** Records that a change was sent. @param grant null: the removal */
  request(user: string, grant: Grant | null): void {
    this.#possible.set(user, [this.of(user), grant])
  }

  /** Records the outcome of the last change. @param happened true if it was done */
  changed(user: string, happened: boolean): void {
    this.#possible.set(user, [happened ? this.#possibleOf(user).at(-1)! : this.of(user)])
  }

  /** Compares the server's list with the possible grants, and adopts it. @param found grants by user @returns violations */
  settle(where: string, found: ReadonlyMap<string, Grant>): string[] {
    const wrong: string[] = []
    for (const user of new Set([...this.#possible.keys(), ...found.keys()])) {
      const possible = this.#possibleOf(user)
      const grant = found.get(user) ?? null
      if (!possible.includes(grant))
        wrong.push(`${where} gives ${user} ${nameOf(grant)}, not ${possible.map(nameOf).join(' or ')}`)
      this.#possible.set(user, [grant])
    }
    return wrong
  }

  #possibleOf(user: string): readonly (Grant | null)[] {
    return this.#possible.get(user) ?? [null]
  }
}

/** Differences between the answers to a user outside the owner and those that its grant implies. */
export function compareAccess(
  where: string,
  { grant, isPublic }: { grant: Grant | null; isPublic: boolean },
  found: AccessStatuses,
): string[] {
  const isVisible = isPublic || grant !== null
  const push = !isVisible ? 404 : rankOf(grant) >= rankOf('write') ? 201 : 403
  const expected: AccessStatuses = { read: isVisible ? 200 : 404, push }
  return (['read', 'push'] as const)
    .filter((act) => found[act] !== expected[act])
    .map((act) => `${where} with ${nameOf(grant)}: a ${act} is answered ${found[act]}, not ${expected[act]}`)
}

const rankOf = (grant: Grant | null): number => (grant === null ? -1 : grants.indexOf(grant))
const nameOf = (grant: Grant | null): string => (grant === null ? 'no grant' : `the grant ${grant}`)
