/** Learns path parameters and values of body members from answers, for later requests. New routes need no change here. */
import type { DescribedCall } from '../contract.ts'
import type { Random } from './random.ts'

export type Place = Readonly<Record<string, string>>

/** Number of values kept of each kind; the oldest are evicted. */
const keptMax = 60
/** Number of values kept from before the last reset of the world. */
const agedMax = 6
/** Number of items learnt from one list. */
const itemsMax = 5

/** Members of answers whose value is used for a parameter of another name. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  v: ['semver', 'hash', 'latestVersion'],
  from: ['semver', 'baseSemver'],
  since: ['semver'],
  base_version: ['semver', 'currentVersion'],
  collectionId: ['id'],
  user: ['slug'],
  owner: ['ownerSlug'],
  targetOrg: [],
  after: ['nextCursor'],
  cursor: ['nextCursor'],
  files: ['needed_files'],
}

export function placesOf(calls: readonly DescribedCall[]) {
  /** By path prefix that ends in a parameter. */
  const places = new Map<string, Place[]>()
  /** By member name. */
  const seen = new Map<string, unknown[]>()
  const prefixes = new Set(calls.flatMap(({ path }) => prefixesOf(path)))

  function keep<T>(in_: Map<string, T[]>, name: string, value: T): void {
    const list = in_.get(name) ?? []
    list.push(value)
    if (list.length > keptMax) list.shift()
    in_.set(name, list)
  }

  function learnFacts(call: DescribedCall, used: Place, facts: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(facts)) keep(seen, name, value)
    const texts = Object.fromEntries(
      Object.entries(facts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
    for (const prefix of prefixes) {
      const names = namesIn(prefix)
      const last = names.at(-1)!
      const isBelow = prefix === `${call.path}/{${last}}`
      // A bare `id` or a single slug may belong to any kind.
      const value =
        (last === 'id' || names.length === 1) && !isBelow
          ? undefined
          : (texts[last] ?? firstOf(texts, otherNames[last] ?? (isBelow ? idNames(texts) : [])))
      const others = names.slice(0, -1).map((name) => [name, texts[name] ?? used[name]] as const)
      if (value === undefined || others.some(([, other]) => other === undefined)) continue
      keep(places, prefix, { ...Object.fromEntries(others), [last]: value } as Place)
    }
  }

  return {
    /** Learns from a success. @param used path parameters of its request */
    learn(call: DescribedCall, used: Place, body: unknown): void {
      if (call.method !== 'DELETE') for (const prefix of prefixesOf(call.path)) keep(places, prefix, used)
      for (const facts of objectsIn(body)) learnFacts(call, used, facts)
    },
    /** Learns from the body of a success, or from a conflict. */
    learnSent(body: unknown): void {
      for (const facts of objectsIn(body))
        for (const [name, value] of Object.entries(facts)) keep(seen, name, value)
    },
    /** Forgets most entries, so that newer ones prevail. */
    age(): void {
      for (const lists of [places, seen])
        for (const list of lists.values()) list.splice(0, list.length - agedMax)
    },
    /** Values for the parameters of a path, mostly recent ones; for an unknown path those of its longest known prefix. */
    find(path: string, random: Random): Place {
      for (const prefix of prefixesOf(path).reverse()) {
        const list = places.get(prefix)
        if (list !== undefined) return random.chance(0.7) ? random.pick(list.slice(-8)) : random.pick(list)
      }
      return {}
    },
    /** A value of an earlier member of this name. */
    known(name: string, random: Random): unknown {
      const lists = [name, ...(otherNames[name] ?? [])].flatMap((one) => seen.get(one) ?? [])
      return lists.length === 0 ? undefined : random.pick(lists.slice(-keptMax))
    },
  }
}

const namesIn = (path: string): string[] => Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name]) => name!)

/** `/a/{b}` and `/a/{b}/c/{d}` for `/a/{b}/c/{d}/e`. */
function prefixesOf(path: string): string[] {
  const parts = path.split('/')
  return parts.flatMap((part, n) => (part.startsWith('{') ? [parts.slice(0, n + 1).join('/')] : []))
}

const idNames = (facts: object): string[] => Object.keys(facts).filter((name) => /(?:^|_)id$/.test(name))

const firstOf = (texts: Readonly<Record<string, string>>, names: readonly string[]): string | undefined =>
  names.map((name) => texts[name]).find((value) => value !== undefined)

/** Objects in a body: the body itself, the items of a list, and the items of its member lists. */
function objectsIn(body: unknown): Record<string, unknown>[] {
  if (Array.isArray(body)) return body.slice(0, itemsMax).flatMap((item) => (isObject(item) ? [item] : []))
  if (!isObject(body)) return []
  const inner = Object.values(body).flatMap((value) => (Array.isArray(value) ? objectsIn(value) : []))
  return [body, ...inner]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
