/**
 * Model of one collection, by acknowledged (2xx) requests. An unacknowledged request may have happened or not: the model adopts the
 * first state that it finds, which must not change afterwards.
 */
import {
  canonicalize,
  compareSemver,
  hashBytes,
  type Json,
  type JsonObject,
  parseSemver,
  recordOf,
  type VersionParts,
  versionDigest,
} from '@ulmus/content'
import { Grants } from './grants.ts'
import { Marks, type ToldMarks } from './marks.ts'

/** Schemas by type, the same in every collection. */
export const schemas = {
  A: { properties: { n: { type: 'integer' }, text: { type: 'string' } } },
  B: { properties: { n: { type: 'integer' } } },
}
export type RecordType = keyof typeof schemas

/** Content of a version, immutable. Records by `<type> <id>`. */
export interface Content {
  readonly records: ReadonlyMap<string, Json>
  readonly metadata: JsonObject
  /** Texts by `sha256:<hex>`. */
  readonly files: ReadonlyMap<string, string>
}

export interface KnownVersion {
  readonly semver: string
  readonly hash: string
  readonly content: Content
  /** Withdrawal and deprecation. */
  readonly marks: Marks
}

/** A version as the server reports it. `marks`: as in lists; absent in answers to writes, which do not contain them. */
export interface Told {
  readonly semver: string
  readonly hash: string
  readonly marks?: ToldMarks
}

/** A request that makes a version, from its sending until its outcome is known. */
export interface Change {
  /** Description for people, such as `a push`. */
  readonly what: string
  /** Result on a base version; undefined: cannot be applied to it. */
  readonly apply: (head: KnownVersion | undefined) => Content | undefined
  /** The version in its acknowledgement. */
  acknowledged?: Told
  /** Path of its state: a push session or a job. */
  at?: string
  /** True: another worker changed the collection at the same time, so a conflict is allowed. */
  mayConflict?: boolean
}

export const emptyContent: Content = { records: new Map(), metadata: {}, files: new Map() }

/** Merges like a metadata update: null removes a member. */
export function mergeMetadata(metadata: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...metadata, ...patch }).filter(([, value]) => value !== null))
}

/** Expected digest of a version with this content, computed only by the content package. content-model §5, §7. */
export function digestOf({ records, metadata, files }: Content): Promise<string> {
  const parts: VersionParts = {
    records: Array.from(records, ([key, data]) => {
      const [type, id] = splitKey(key)
      return recordOf(id, type, data)
    }),
    files: Array.from(files, ([hash, text]) => ({ hash, size: Buffer.byteLength(text) })),
    metadata,
    schemas,
  }
  return versionDigest('private', parts)
}

export const keyOf = (type: string, id: string): string => `${type} ${id}`
export function splitKey(key: string): [type: string, id: string] {
  const cut = key.indexOf(' ')
  return [key.slice(0, cut), key.slice(cut + 1)]
}

/** `sha256:<hex>`, as in paths and bodies. */
export const fileHashOf = (text: string): string => `sha256:${hashBytes(Buffer.from(text))}`

/** One collection. */
export class CollectionModel {
  /** Slugs of possible owners: one, or the old and the new owner of an open transfer. */
  owners: string[]
  /** Slugs of former owners. Their addresses redirect to the collection. */
  readonly formerOwners = new Set<string>()
  readonly slug: string
  /** `unsure`: its creation or deletion was requested, but not answered. */
  existence: 'absent' | 'present' | 'unsure' = 'absent'
  /** Known versions, oldest first. */
  readonly versions: KnownVersion[] = []
  /** Requests whose outcome is not known yet. */
  pending: Change[] = []
  /** Push sessions that were opened but not committed. */
  leftOpen: string[] = []
  /** Acknowledged uploads: texts by hash. */
  readonly uploads = new Map<string, string>()
  /** Possible names: one, or the old and the requested one. */
  names: string[]
  /** True: everybody reads the public view. Certain once the collection exists, since no worker changes it. */
  isPublic = false
  readonly grants = new Grants()
  /** True for forks: their creation also makes their first version. */
  readonly isFork: boolean

  constructor(owner: string, slug: string, options: { name?: string; isFork?: boolean } = {}) {
    this.owners = [owner]
    this.slug = slug
    this.names = [options.name ?? slug]
    this.isFork = options.isFork === true
  }

  /** Owner; during an open transfer the old one. */
  get owner(): string {
    return this.owners[0]!
  }

  get path(): string {
    return this.pathUnder(this.owner)
  }

  pathUnder(owner: string): string {
    return `/api/collections/${owner}/${this.slug}`
  }

  /** Records that this account certainly owns it. */
  isOf(owner: string): void {
    this.formerOwners.add(this.owner)
    this.formerOwners.delete(owner)
    this.owners = [owner]
  }

  /** Versions that are certainly not withdrawn, oldest first. */
  get standing(): readonly KnownVersion[] {
    return this.versions.filter(({ marks }) => marks.stands)
  }

  /** The newest version that is not withdrawn. */
  get head(): KnownVersion | undefined {
    return this.standing.at(-1)
  }

  /** True if its state is certain. */
  get isSure(): boolean {
    return (
      this.existence !== 'unsure' &&
      this.pending.length === 0 &&
      this.names.length === 1 &&
      this.owners.length === 1 &&
      this.grants.isSure &&
      this.versions.every(({ marks }) => marks.isSure)
    )
  }

  /** Records an acknowledgement, and settles it if no other request is open. @returns violations */
  async acknowledge(change: Change, told: Told): Promise<string[]> {
    change.acknowledged = told
    return this.settleAcknowledged()
  }

  /** Adopts acknowledged requests, unless the outcome of another request is open. @returns violations */
  async settleAcknowledged(): Promise<string[]> {
    const told = this.pending.flatMap(({ acknowledged }) => acknowledged ?? [])
    if (told.length === 0 || told.length < this.pending.length) return []
    const known = this.versions.map(({ semver, hash }) => ({ semver, hash }))
    return this.reconcile([...known, ...told])
  }

  /** Removes a request that was refused, or certainly did not reach a server. */
  drop(change: Change): void {
    this.pending = this.pending.filter((one) => one !== change)
  }

  /**
   * Compares the server's versions with the model, and adopts the outcomes of unanswered requests.
   * @param told every version, oldest first @returns violations, one sentence each
   */
  async reconcile(told: readonly Told[]): Promise<string[]> {
    const wrong = [...this.#lost(told), ...this.#disordered(told)]
    if (wrong.length > 0) return wrong
    for (const { semver, hash, marks } of told.slice(this.versions.length)) {
      const content = await this.#explain(semver, hash)
      if (content === undefined) {
        wrong.push(`${this.path} has ${semver} (${hash}), which no worker requested${this.#tellPending()}`)
        break
      }
      const known = { semver, hash, content, marks: new Marks() }
      this.versions.push(known)
      if (marks !== undefined) wrong.push(...known.marks.settle(`${this.path} ${semver}`, marks))
    }
    for (const { what, acknowledged } of this.pending) {
      if (acknowledged !== undefined && wrong.length === 0)
        wrong.push(`${this.path} lost ${acknowledged.semver}: ${what} was acknowledged`)
    }
    if (this.isFork && this.existence === 'present' && told.length === 0)
      wrong.push(`${this.path} is a fork without a version`)
    this.pending = []
    for (const { marks } of this.versions) marks.wasOvertaken = false
    return wrong
  }

  /** Version numbers must increase, also after withdrawn versions. */
  #disordered(told: readonly Told[]): string[] {
    return told.slice(1).flatMap(({ semver }, index) => {
      const before = told[index]!.semver
      const isHigher = compareSemver(parseSemver(semver)!, parseSemver(before)!) > 0
      return isHigher ? [] : [`${this.path} has ${semver} after ${before}, which is not lower`]
    })
  }

  /** Known versions that are missing or differ. */
  #lost(told: readonly Told[]): string[] {
    return this.versions.flatMap(({ semver, hash, marks }, index) => {
      const found = told[index]
      if (found?.semver === semver && found.hash === hash)
        return found.marks === undefined ? [] : marks.settle(`${this.path} ${semver}`, found.marks)
      const elsewhere = told.find((one) => one.semver === semver)
      if (elsewhere === undefined) return [`${this.path} lost ${semver}`]
      if (elsewhere.hash !== hash)
        return [`${this.path} has another digest of ${semver}: ${elsewhere.hash}, not ${hash}`]
      return [`${this.path} has ${semver} out of order`]
    })
  }

  /** Finds the pending request that made a version. Returns the version's content, and closes the request. */
  async #explain(semver: string, hash: string): Promise<Content | undefined> {
    for (const change of this.pending) {
      if (change.acknowledged !== undefined && change.acknowledged.semver !== semver) continue
      for (const base of this.#bases()) {
        const content = change.apply(base)
        if (content === undefined || (await digestOf(content)) !== hash) continue
        this.drop(change)
        return content
      }
    }
    return undefined
  }

  /** Possible bases of a change: the head, and a head withdrawn at the same time. */
  #bases(): (KnownVersion | undefined)[] {
    return [this.head, ...this.versions.filter(({ marks }) => marks.wasOvertaken)]
  }

  #tellPending(): string {
    if (this.pending.length === 0) return ''
    const open = this.pending.map(({ what, acknowledged }) =>
      acknowledged === undefined ? what : `${what}, acknowledged as ${acknowledged.semver}`,
    )
    return `, as it was; open were: ${open.join('; ')}`
  }
}

/** Differences between a version and its expected content. */
export function compareContent(
  where: string,
  expected: Content,
  read: { lines: string; recordCount: number; metadata: JsonObject },
): string[] {
  const wrong: string[] = []
  const found = new Map<string, Json>()
  for (const line of read.lines.split('\n')) {
    if (line === '') continue
    const { id, type, data, hash } = JSON.parse(line) as {
      id: string
      type: string
      data: Json
      hash: string
    }
    if (hash !== recordOf(id, type, data).hash)
      wrong.push(`${where}: the hash of ${type} ${id} is not its own`)
    found.set(keyOf(type, id), data)
  }
  for (const [key, data] of expected.records) {
    const other = found.get(key)
    if (other === undefined) wrong.push(`${where} lacks the record ${key}`)
    else if (canonicalize(other) !== canonicalize(data)) wrong.push(`${where} has another record ${key}`)
  }
  for (const key of found.keys())
    if (!expected.records.has(key)) wrong.push(`${where} has the record ${key}, which it should not`)
  if (read.recordCount !== expected.records.size)
    wrong.push(`${where} says it has ${read.recordCount} records; it should be ${expected.records.size}`)
  if (canonicalize(read.metadata) !== canonicalize(expected.metadata))
    wrong.push(`${where} has other metadata: ${canonicalize(read.metadata)}`)
  return wrong.length > 5 ? [...wrong.slice(0, 5), `${where}: and ${wrong.length - 5} more`] : wrong
}
