/** Statements of a log about a collection, compared with the entries of the log and with the versions that the registry lists. */
import type { Client } from '@ulmus/client'
import { parseDigestLabel } from '@ulmus/content'
import {
  base64Of,
  bytesOfBase64,
  type Chain,
  commitmentOf,
  demandBytes,
  equalBytes,
  firstChain,
  fullCommitment,
  hexOf,
  LogError,
  leafHashOf,
  leafIn,
  nextChain,
  parseStatement,
  type Statement,
  slotIn,
} from '@ulmus/content/log'
import type { LogStatement, VersionItem } from '@ulmus/wire'
import type { Leaves } from './leaves.ts'

/** A statement that was not erased. */
type KeptStatement = Exclude<LogStatement, { erased: true }>

export interface CollectionReport {
  /** `owner/slug` */
  readonly collection: string
  readonly id: string
  /** Statements, erased ones included. */
  readonly statements: number
  readonly erased: number
  /** Listed versions that are older than the first one in the log. */
  readonly older: number
  /** Statements that are new since last time. */
  readonly fresh: readonly Statement[]
  /** Sentences about contradictions. */
  readonly findings: readonly string[]
}

/** More listed versions are taken for an endless list: a collection has fewer. */
const versionsMax = 1_000_000
/** Versions may be listed so long before the log has them. Milliseconds. */
const delayMax = 60_000

/**
 * The statements about a collection at the first `size` entries of the log.
 * @throws LogError unless they are in order, and for more than there are entries
 */
export async function listStatements(
  client: Client,
  collection: string,
  size: number,
): Promise<LogStatement[]> {
  const all: LogStatement[] = []
  let last = 0
  for (;;) {
    const page = await client.log.statements(collection, last)
    for (const { seq } of page) {
      if (!(Number.isSafeInteger(seq) && seq > last))
        throw new LogError(`The statements about ${collection} are not in order.`)
      last = seq
    }
    // Later statements have later entries, so a page without an older one is the last.
    const older = page.filter(({ index }) => index < size)
    if (older.length === 0) return all
    for (const one of older) all.push(one)
    if (all.length > size)
      throw new LogError(`There are more statements about ${collection} than the ${size} entries of the log.`)
  }
}

export const readStatement = ({ statement }: KeptStatement): Statement => parseStatement(statement)

/**
 * Compares the statements and versions of a collection with the log.
 * @param id of the collection
 * @param leaves read before, so that they are not newer
 */
export async function checkCollection(
  client: Client,
  collection: string,
  id: string,
  leaves: Leaves,
): Promise<CollectionReport> {
  const all = await listStatements(client, collection, leaves.size)
  const versions: VersionItem[] = []
  for await (const version of client.versions.listAll(collection))
    if (versions.push(version) > versionsMax)
      throw new LogError(`The registry lists more than ${versionsMax} versions of ${collection}.`)
  const shown = all.filter((one): one is KeptStatement => !('erased' in one))
  const stated = new Map<string, KeptStatement>()
  const findings = [...placeFindings(id, all, leaves)]
  for (const one of shown) {
    const { kind, semver } = readStatement(one)
    if (kind !== 'version' || semver === null) continue
    if (stated.has(semver)) findings.push(`The log has two statements that make ${semver}.`)
    stated.set(semver, one)
  }
  const { older, findings: more } = versionFindings(versions, stated, all.length - shown.length)
  const fresh = shown.filter(({ index }) => index >= leaves.before).map(readStatement)
  return {
    ...{ collection, id, statements: all.length, erased: all.length - shown.length, older, fresh },
    findings: [...findings, ...more].map((finding) => `${collection}: ${finding}`),
  }
}

/**
 * Every statement has its leaf, and every leaf about the collection its statement.
 * @throws LogError if a key of a slot does not lead to the end of its chain
 */
function* placeFindings(id: string, all: readonly LogStatement[], leaves: Leaves): Generator<string> {
  let chain: Chain = firstChain
  let next: string | null = null
  let before: string | null = null
  for (const [n, one] of all.entries()) {
    const seq = n + 1
    // Without it, nothing binds the keys of later ones.
    if (one.seq !== seq) return yield `Statement ${seq} is missing.`
    const slot = slotIn(chain, { collection: id, seq }, next)
    // Any other place, also a half one, could hold bytes that others are not shown as this statement.
    const index = leaves.find(slot)
    if (index === undefined || index !== one.index)
      yield `Entry ${one.index} of the log is not about statement ${seq}.`
    else yield* entryFindings(id, one, { chain, before, leaf: leaves.leaf(index) })
    before = index === undefined ? null : hexOf(leafHashOf(leaves.leaf(index)))
    if (seq === chain.last) chain = nextChain(chain, demandBytes(one.chain ?? '', 'The end of a chain'))
    next = one.next
  }
  const seq = all.length + 1
  const hidden = leaves.find(slotIn(chain, { collection: id, seq }, next))
  if (hidden !== undefined) yield `The registry does not show statement ${seq}, entry ${hidden} of the log.`
}

/** @param before hash of the leaf of the statement before, as `prev` has it */
function* entryFindings(
  id: string,
  one: LogStatement,
  { chain, before, leaf }: { chain: Chain; before: string | null; leaf: Uint8Array },
): Generator<string> {
  const { seq, key } = one
  const isErased = 'erased' in one
  const commitment = isErased ? one.commitment : commitmentIn(one)
  // The text of an erased one is not known. A leaf that begins a chain must show its end all the same.
  if (isErased && seq !== chain.last) return
  const opened = { key, chain: one.chain, commitment: commitment ?? '' }
  const isThere = equalBytes(leafIn(chain, { collection: id, seq }, opened), leaf)
  if (!isThere || !(isErased || readStatement(one).collection === id))
    yield `Statement ${seq} is not the one in the log.`
  else if (!isErased && readStatement(one).prev !== before)
    yield `Statement ${seq} does not follow the one before it.`
}

const commitmentIn = ({ statement, salt }: KeptStatement): string =>
  base64Of(commitmentOf(statement, demandBytes(salt, 'A salt')))

/** @param listed newest first */
function versionFindings(
  listed: readonly VersionItem[],
  stated: ReadonlyMap<string, KeptStatement>,
  erased: number,
): { older: number; findings: string[] } {
  const findings: string[] = []
  const semvers = new Set(listed.map(({ semver }) => semver))
  for (const semver of stated.keys())
    if (!semvers.has(semver)) findings.push(`The log has ${semver}, which the registry does not list.`)
  const first = listed.findLastIndex(({ semver }) => stated.has(semver))
  const missing: string[] = []
  for (const version of listed.slice(0, first + 1)) {
    const one = stated.get(version.semver)
    if (one !== undefined && !isDigestOf(one, version))
      findings.push(`The registry lists ${version.semver} with another digest than the log has.`)
    const age = Date.now() - Date.parse(version.createdAt)
    if (one === undefined && !(Math.abs(age) < delayMax)) missing.push(version.semver)
  }
  // An erased statement does not tell which version it was about.
  if (missing.length > erased)
    findings.push(`The registry lists ${missing.join(', ')}, about which the log has no statement.`)
  return { older: listed.length - first - 1, findings }
}

function isDigestOf(one: KeptStatement, version: VersionItem): boolean {
  const statement = readStatement(one)
  const own = parseDigestLabel(version.hash)
  if (own === undefined || parseDigestLabel(version.publicHash)?.hash !== statement.public) return false
  if (own.view === 'public') return own.hash === statement.public
  const salt = bytesOfBase64(one.fullSalt ?? '')
  return salt !== undefined && fullCommitment(salt, own.hash) === statement.full
}
