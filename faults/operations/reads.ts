/** Reads, compared with the model. Unanswered reads are ignored. */
import { type CollectionModel, compareContent, type KnownVersion, type Told } from '../model.ts'
import { bodyOf, type Fate } from '../requests.ts'
import type { Turn } from '../turn.ts'

export const readVersion = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  readWhole(turn, collection, turn.random.pick(collection.versions))

/** Checks a complete version: its digest, records, counts and metadata. */
export async function readWhole(
  turn: Turn,
  collection: CollectionModel,
  version: KnownVersion,
): Promise<Fate> {
  const where = `${collection.path} ${version.semver}`
  const at = `${collection.path}/versions/${version.semver}`
  const { reason } = version.marks
  if (reason !== undefined) return readWithdrawn(turn, { where, at, reason })
  const about = await turn.ask('GET', at)
  const fate = turn.requests.fateOf(`reading ${where}`, about, [200])
  if (fate !== 'done') return fate
  const stream = await turn.ask('GET', `${at}/records.ndjson`)
  const streamed = turn.requests.fateOf(`reading the records of ${where}`, stream, [200])
  if (streamed !== 'done') return streamed
  const { hash, recordCount, metadata, deprecated } = bodyOf(about) as unknown as Told & {
    recordCount: number
    metadata: Record<string, never>
    deprecated?: { message: string }
  }
  const wrong = compareContent(where, version.content, { lines: stream.text, recordCount, metadata })
  if (hash !== version.hash) wrong.push(`${where} has another digest: ${hash}, not ${version.hash}`)
  const warning = deprecated?.message ?? null
  if (warning !== version.marks.warning)
    wrong.push(`${where} warns of ${warning}, not of ${version.marks.warning}`)
  for (const sentence of wrong) turn.report.violation(sentence)
  return wrong.length === 0 ? 'done' : 'wrong'
}

/** Expects 410 with the reason. */
async function readWithdrawn(
  turn: Turn,
  { where, at, reason }: { where: string; at: string; reason: string },
): Promise<Fate> {
  for (const path of [at, `${at}/records.ndjson`]) {
    const answer = await turn.ask('GET', path)
    const fate = turn.requests.fateOf(`reading ${where}, which is withdrawn,`, answer, [410])
    if (fate !== 'done') {
      if (answer.status === 200) turn.report.violation(`${where} is withdrawn, and can be read`)
      return fate
    }
    const told = bodyOf(answer)
    if (told['reason'] !== reason)
      turn.report.violation(`${where} is withdrawn for "${told['reason']}", not for "${reason}"`)
  }
  return 'done'
}

export async function readDetail(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const answer = await turn.ask('GET', collection.path)
  const fate = turn.requests.fateOf(`reading ${collection.path}`, answer, [200])
  if (fate !== 'done') return fate
  const { name, latestVersion } = bodyOf(answer) as { name: string; latestVersion: { semver: string } | null }
  const semver = collection.head?.semver ?? null
  if ((latestVersion?.semver ?? null) !== semver)
    turn.report.violation(
      `${collection.path} says that ${latestVersion?.semver} is its latest, not ${semver}`,
    )
  if (name !== collection.names[0])
    turn.report.violation(`${collection.path} is named ${name}, not ${collection.names[0]}`)
  return 'done'
}

/** All versions, oldest first; undefined: the list could not be read. */
export async function listVersions(turn: Turn, collection: CollectionModel): Promise<Told[] | undefined> {
  const told: Told[] = []
  for (let more = true; more; ) {
    const answer = await turn.ask('GET', `${collection.path}/versions?limit=100&offset=${told.length}`)
    if (turn.requests.fateOf(`listing ${collection.path}`, answer, [200]) !== 'done') return undefined
    const page = JSON.parse(answer.text) as (Pick<Told, 'semver' | 'hash'> & {
      withdrawn?: { reason: string }
      deprecated?: { message: string }
    })[]
    for (const { semver, hash, withdrawn, deprecated } of page) {
      const marks = { withdrawn: withdrawn?.reason ?? null, deprecated: deprecated?.message ?? null }
      told.push({ semver, hash, marks })
    }
    more = page.length === 100
  }
  return told.reverse()
}

export async function readVersions(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const told = await listVersions(turn, collection)
  if (told === undefined) return 'open'
  const wrong = await collection.reconcile(told)
  for (const sentence of wrong) turn.report.violation(sentence)
  return wrong.length === 0 ? 'done' : 'wrong'
}

/** Checks the added, updated and removed records of a diff. */
export async function readDifference(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const [from, to] = [turn.random.pick(collection.standing), collection.head!]
  const where = `the difference from ${from.semver} to ${to.semver} of ${collection.path}`
  const path = `${collection.path}/versions/${to.semver}/diff?from=${from.semver}`
  const counts = { added: 0, updated: 0, removed: 0 }
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
    const answer = await turn.ask('GET', `${path}&limit=2000${cursor && `&cursor=${cursor}`}`)
    const fate = turn.requests.fateOf(where, answer, [200])
    if (fate !== 'done') return fate
    const page = bodyOf(answer) as unknown as Record<keyof typeof counts, unknown[]> & {
      pagination: { nextCursor?: string | null }
    }
    for (const kind of ['added', 'updated', 'removed'] as const) counts[kind] += page[kind].length
    cursor = page.pagination.nextCursor
  }
  const expected = countsBetween(from, to)
  if (JSON.stringify(counts) === JSON.stringify(expected)) return 'done'
  turn.report.violation(`${where} tells of ${JSON.stringify(counts)}, not ${JSON.stringify(expected)}`)
  return 'wrong'
}

function countsBetween(from: KnownVersion, to: KnownVersion) {
  const counts = { added: 0, updated: 0, removed: 0 }
  for (const [key, data] of to.content.records) {
    const before = from.content.records.get(key)
    if (before === undefined) counts.added++
    else if (JSON.stringify(before) !== JSON.stringify(data)) counts.updated++
  }
  for (const key of from.content.records.keys()) if (!to.content.records.has(key)) counts.removed++
  return counts
}

export async function readFile(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const [hash, text] = turn.random.pick([...collection.uploads])
  return readUpload(turn, collection, hash, text)
}

export async function readUpload(
  turn: Turn,
  collection: CollectionModel,
  hash: string,
  text: string,
): Promise<Fate> {
  const answer = await turn.ask('GET', `${collection.path}/files/${hash}`)
  const fate = turn.requests.fateOf(`reading ${hash} of ${collection.path}`, answer, [200])
  if (fate === 'done' && answer.text !== text)
    turn.report.violation(`${collection.path} has other bytes under ${hash}`)
  return fate
}
