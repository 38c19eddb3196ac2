/** Records that have the words of a search, in the tables of public collections that are there already. Nothing is built for it. */
import { fieldsMax, fieldsOf, tellingField } from '@ulmus/content'
import { Fragment } from 'preact'
import { Name } from '../../components/small.tsx'
import { publicly, schemaIn, seeVersion } from '../../data/collection.ts'
import { leniently, soon } from '../../data/profiles.ts'
import { nameOf } from '../../data/records.ts'
import { counted, countText } from '../../format.ts'
import { jsonBytes, readJson, type Visit } from '../../page.ts'
import { collectionPath, recordPath, versionPath, withQuery } from '../../paths.ts'

/** Latest collections that are looked at, and types of each: each look-up takes some 2 ms. */
const collectionsMax = 10
const typesMax = 2
/** Tables that are asked at once: each question reads a whole table. */
const tablesMax = 6
const recordsOfTable = 3
/** Larger records are named by their id. Bytes. */
const namedBytesMax = 65_536

interface TableAddress {
  readonly owner: string
  readonly slug: string
  readonly type: string
}

/** A table with records that match. */
interface TableHits extends TableAddress {
  readonly total: number
  readonly records: readonly { readonly id: string; readonly name: string | undefined }[]
}

export interface RecordHits {
  /** Number of tables that were asked, and of those that answered in time. */
  readonly asked: number
  readonly answered: number
  readonly hits: readonly TableHits[]
}

/** Asks the tables of the latest public collections, for at most 0.7 s. Every visitor gets the answers of the public view. */
export async function searchRecords(given: Visit, words: string): Promise<RecordHits> {
  const visit = { ...given, who: publicly(given.who) }
  const tables = await builtTables(visit)
  const answers = await Promise.all(tables.map((table) => askTable(visit, table, words)))
  const answered = answers.filter((answer) => answer !== undefined)
  const hits = answered.filter(({ total }) => total > 0)
  return { asked: tables.length, answered: answered.length, hits }
}

/** Tables whose statistics are known have been built. */
async function builtTables({ registry, who }: Visit): Promise<TableAddress[]> {
  const built: TableAddress[] = []
  const { items } = await registry.collections.browse({ limit: collectionsMax })
  for (const { ownerSlug: owner, slug, types, fork } of items) {
    if (fork) continue
    for (const type of types.slice(0, typesMax)) {
      const known = await leniently(() =>
        registry.tables.knownStatistics(who, { owner, slug, v: 'latest', type }),
      )
      if (known !== undefined) built.push({ owner, slug, type })
      if (built.length === tablesMax) return built
    }
  }
  return built
}

/** Undefined: the table did not answer in time. */
async function askTable(
  visit: Visit,
  { owner, slug, type }: TableAddress,
  q: string,
): Promise<TableHits | undefined> {
  return leniently(async () => {
    const path = { owner, slug, v: 'latest', type }
    const answer = await soon(visit.registry.tables.rows(visit.who, path, { q, limit: recordsOfTable }))
    if (answer === undefined || 'building' in answer) return undefined
    const telling = answer.rows.length === 0 ? undefined : await tellingFieldOf(visit, path)
    const records = answer.rows.map(({ id, data }) => ({
      id,
      name: jsonBytes(data) > namedBytesMax ? undefined : nameOf({ data: readJson<unknown>(data) }, telling),
    }))
    return { owner, slug, type, total: answer.total, records }
  })
}

async function tellingFieldOf(visit: Visit, { owner, slug, type }: TableAddress) {
  const url = new URL(versionPath({ owner, slug }), visit.url)
  const { version } = await seeVersion({ ...visit, url, params: { owner, slug } })
  const schema = version === null ? undefined : schemaIn(version, type)
  return schema && tellingField(fieldsOf(schema, fieldsMax))
}

/** The searched tables, since others may have such records too. */
function placeText({ asked, answered, hits }: RecordHits): string {
  if (asked === 0) return 'No table of a public collection is ready to be searched.'
  const late =
    asked === answered ? '' : ` ${asked - answered} more did not answer in time: load the page again.`
  const none = hits.length === 0 && answered > 0 ? 'None. ' : ''
  return `${none}Searched: ${counted(answered, 'table')} of the latest collections.${late}`
}

export const FoundRecords = ({ found, words }: { found: RecordHits; words: string }) => (
  <section class="found-records" aria-label="Records">
    <h2>Records with “{words}”</h2>
    <p class="quiet">{placeText(found)} Search a single collection on its page of records.</p>
    <ul class="versions">
      {found.hits.map(({ owner, slug, type, total, records }) => (
        <li key={`${owner}/${slug}/${type}`}>
          <div>
            <p>
              {records.map(({ id, name }, index) => (
                <Fragment key={id}>
                  {index > 0 && ', '}
                  <a href={recordPath({ owner, slug }, type, id)}>
                    <Name of={name ?? id} most={80} />
                  </a>
                </Fragment>
              ))}
            </p>
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
