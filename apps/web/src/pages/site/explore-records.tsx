/** Records that have the words of a search, in the tables of public collections. No large table is built for it. */
import { fieldsMax, fieldsOf, tellingField } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import { LRUCache } from 'lru-cache'
import { Part } from '../../components/part.tsx'
import { Name } from '../../components/small.tsx'
import { publicly, schemaIn, seeVersion, type VersionResponse } from '../../data/collection.ts'
import { leniently, soon } from '../../data/profiles.ts'
import { nameOf, orderedSort } from '../../data/records.ts'
import { counted, countText } from '../../format.ts'
import { jsonBytes, readJson, type Visit } from '../../page.ts'
import { collectionPath, recordPath, versionPath, withQuery } from '../../paths.ts'

/** Latest collections that are looked at, and types of each: each look-up takes some 2 ms. */
const collectionsMax = 10
const typesMax = 2
/** Tables that are asked at once: each question reads a whole table. */
const tablesMax = 6
const recordsOfTable = 3
/** Matches that are looked at: a name that is the words comes first. */
const lookedAt = 20
/** Larger records are named by their id. Bytes. */
const namedBytesMax = 65_536
/** Longer names are cut. Characters. */
const nameMax = 80
/** Of a text that has the words. Characters. */
const wordsBefore = 20

interface TableAddress {
  readonly owner: string
  readonly slug: string
  readonly type: string
}

interface HitRecord {
  readonly id: string
  readonly name: string | undefined
  /** Where the words are, if not in the name or the id. */
  readonly found: { readonly field: string; readonly text: string } | undefined
}

/** A table with records that match. */
interface TableHits extends TableAddress {
  readonly total: number
  readonly records: readonly HitRecord[]
}

export interface RecordHits {
  /** Number of tables that were asked, of those whose answers follow, and of others that are built now or wait for it. */
  readonly asked: number
  readonly late: number
  readonly awaited: number
  readonly hits: readonly TableHits[]
}

/**
 * Answers by table, version and words. A page that an answer came too late for asks again, and a large table would be late each time.
 * Keys have the digest of the public view, which is looked up for each page: content that was withdrawn or erased is not found here.
 */
const kept = new LRUCache<string, Promise<TableHits | 'late'>>({ max: 200, ttl: 60_000 })

/** Asks the tables of the latest public collections, for at most 0.7 s. Every visitor gets the answers of the public view. */
export async function searchRecords(given: Visit, words: string): Promise<RecordHits> {
  const visit = { ...given, who: publicly(given.who) }
  const { tables, awaited } = await tablesToAsk(visit)
  const answers = await Promise.all(tables.map((table) => askTable(visit, table, words)))
  const hits = answers.filter((answer) => typeof answer === 'object' && answer.total > 0) as TableHits[]
  const late = answers.filter((answer) => answer === 'late').length
  return { asked: tables.length, late, awaited, hits }
}

/** Tables that were built, or are small, and the number of those that are being built. */
async function tablesToAsk({ registry, who }: Visit) {
  const tables: TableAddress[] = []
  let awaited = 0
  const { items } = await registry.collections.browse({ limit: collectionsMax })
  for (const { ownerSlug: owner, slug, types, fork } of items) {
    if (fork) continue
    for (const type of types.slice(0, typesMax)) {
      const path = { owner, slug, v: 'latest', type }
      if (await leniently(() => registry.tables.answersSoon(who, path))) tables.push({ owner, slug, type })
      else if (await leniently(() => registry.tables.isBuilding(who, path))) awaited++
      if (tables.length === tablesMax) return { tables, awaited }
    }
  }
  return { tables, awaited }
}

/** `late`: the answer follows. Undefined: the table refuses the question. */
async function askTable(
  visit: Visit,
  table: TableAddress,
  q: string,
): Promise<TableHits | 'late' | undefined> {
  try {
    const { owner, slug, type } = table
    const url = new URL(versionPath(table), visit.url)
    const { version } = await seeVersion({ ...visit, url, params: { owner, slug } })
    if (version === null) return undefined
    const key = JSON.stringify([version.publicHash, owner, slug, type, q])
    let answer = kept.get(key)
    if (answer === undefined) {
      const forget = () => kept.delete(key)
      answer = readHits(visit, version, table, q)
      kept.set(key, answer)
      answer.then((hits) => hits === 'late' && forget(), forget)
    }
    return (await soon(answer)) ?? 'late'
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error
    return error.code === 'busy' ? 'late' : undefined
  }
}

async function readHits(
  visit: Visit,
  version: VersionResponse,
  { owner, slug, type }: TableAddress,
  q: string,
): Promise<TableHits | 'late'> {
  const path = { owner, slug, v: version.semver, type }
  const question = { q, sort: orderedSort({ q }, false), limit: lookedAt }
  const answer = await countedApart(visit, () => visit.registry.tables.rows(visit.who, path, question))
  if ('building' in answer) return 'late'
  const schema = answer.rows.length === 0 ? undefined : schemaIn(version, type)
  const telling = schema && tellingField(fieldsOf(schema, fieldsMax))
  const rows = answer.rows.map(({ id, data: bytes }) => {
    const data = jsonBytes(bytes) > namedBytesMax ? {} : readJson<object>(bytes)
    return { id, data, name: nameOf({ data }, telling)?.slice(0, 2 * nameMax) }
  })
  const nearest = rows.toSorted((a, b) => distance(a.name, q) - distance(b.name, q)).slice(0, recordsOfTable)
  const records = nearest.map(({ id, data, name }): HitRecord => {
    const isNamed = [name, id].some((text) => text?.toLowerCase().includes(q.toLowerCase()))
    return { id, name, found: isNamed ? undefined : placeOf(data, q) }
  })
  return { owner, slug, type, total: answer.total, records }
}

/** The first text of a record that has the words, from a little before them. */
function placeOf(data: object, words: string): HitRecord['found'] {
  for (const [field, value] of Object.entries(data)) {
    if (typeof value !== 'string') continue
    const at = value.toLowerCase().indexOf(words.toLowerCase())
    if (at < 0) continue
    const from = Math.max(0, at - wordsBefore)
    return { field, text: `${from > 0 ? '…' : ''}${value.slice(from, at + words.length + nameMax)}` }
  }
  return undefined
}

/** 0: the name is the words; 1: it begins with them; 2: another. */
function distance(name: string | undefined, words: string): number {
  const [text, sought] = [name, words].map((one) => one?.trim().toLowerCase())
  if (text === sought) return 0
  return text?.startsWith(sought!) === true ? 1 : 2
}

/** Counts what `read` reads until it has ended: the budget of the visit itself ends once its page was sent. @throws busy */
function countedApart<T>({ registry, who }: Visit, read: () => Promise<T>): Promise<T> {
  const ended = Promise.withResolvers<void>()
  return registry.answers.whole(who, ended.promise, read).finally(ended.resolve)
}

/** Search of the tables above the list, as a part of the page that follows if a table takes longer. */
export const FoundRecords = ({ found, words }: { found: RecordHits; words: string }) => (
  <Part name="records">
    {found.hits.length > 0 || isSearching(found) ? (
      <Hits found={found} words={words} />
    ) : (
      <p class="quiet">{noneText(found)}</p>
    )}
  </Part>
)

export const isSearching = ({ late, awaited }: RecordHits): boolean => late + awaited > 0

/** The searched tables, since others may have such records too. */
const noneText = ({ asked }: RecordHits): string =>
  asked === 0
    ? 'No table of a public collection is ready to be searched.'
    : `No record has these words in the ${asked === 1 ? 'table' : counted(asked, 'table')} of the latest collections.`

const Hits = ({ found: { asked, late, awaited, hits }, words }: { found: RecordHits; words: string }) => (
  <section class="found-records" aria-label="Records">
    <h2>Records with “{words}”</h2>
    <p class="quiet">
      {late > 0 && (
        <>
          Searching {counted(late, late === asked ? 'table' : 'more table')}…{' '}
          <noscript>Load the page again to see the rest. </noscript>
        </>
      )}
      {awaited > 0 &&
        `${counted(awaited, 'table is', 'tables are')} being prepared after ${awaited === 1 ? 'a push' : 'pushes'}, and will be searched then. `}
      {asked > late && `Searched: ${counted(asked - late, 'table')} of the latest collections. `}
      Search a single collection on its page of records.
    </p>
    <ul class="versions">
      {hits.map(({ owner, slug, type, total, records }) => (
        <li key={`${owner}/${slug}/${type}`}>
          <div>
            {records.map(({ id, name, found }) => (
              <p key={id}>
                <a href={recordPath({ owner, slug }, type, id)}>
                  <Name of={name ?? id} most={nameMax} />
                </a>{' '}
                {name !== undefined && (
                  <code class="quiet">
                    <Name of={id} most={nameMax} />
                  </code>
                )}{' '}
                {found !== undefined && (
                  <span class="quiet">
                    <Name of={found.field} most={nameMax} />: <Name of={found.text} most={nameMax} />
                  </span>
                )}
              </p>
            ))}
            <p class="facts">
              <span>
                <Name of={type} most={60} /> in{' '}
                <a href={collectionPath({ owner, slug })}>
                  {owner}/{slug}
                </a>
              </span>
              {total > records.length && (
                <a
                  href={withQuery(versionPath({ owner, slug }, 'records', type), { q: words })}
                  rel="nofollow"
                >
                  all {countText(total)}
                </a>
              )}
            </p>
          </div>
        </li>
      ))}
    </ul>
  </section>
)
