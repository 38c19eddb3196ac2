/** The records of the page as a table, with their place among all. */
import { Pager, type Pages } from '../../../components/small.tsx'
import type { TableRecord } from '../../../data/records.ts'
import { recordsAPage } from '../../../data/records.ts'
import { counted, countText } from '../../../format.ts'
import type { Visit } from '../../../page.ts'
import type { RecordsAddress } from '../../../record-table/address.ts'
import { type PageColumn, repeatedId, type TableRow } from '../../../record-table/columns.ts'
import { FacetPanel } from '../../../record-table/profile.tsx'
import { Table } from '../../../record-table/table.tsx'
import { menuOf } from './column-menu.tsx'
import { areAwaited, type Extras } from './extras.ts'
import type { Meant } from './meant.ts'
import { NoRecords } from './no-records.tsx'
import type { Question } from './question.tsx'
import { ProfilesNote } from './tools.tsx'

/** Records on the page. */
export interface Found {
  readonly question: Question
  readonly records: readonly TableRecord[]
  /** Records on all pages. */
  readonly total: number
  readonly pages: Pages
  /** Path of the record whose id the words of the question are. */
  readonly named?: string | undefined
  /** If no record matches: filters that the visitor may mean. */
  readonly meant?: readonly Meant[] | undefined
}

interface ListProps {
  readonly address: RecordsAddress
  readonly found: Found
  /** False: this server answers no questions. */
  readonly canAsk: boolean
  readonly rows: readonly TableRow[]
  /** Number of all records of the type. */
  readonly count: number
  readonly id: string
  readonly all: readonly PageColumn[]
  readonly chosen: readonly PageColumn[]
  readonly extras: Extras
  readonly visit: Visit
}

export function RecordList({
  address,
  found,
  canAsk,
  rows,
  count,
  id,
  all,
  chosen,
  extras,
  visit,
}: ListProps) {
  const { question, total, pages } = found
  const { labels } = extras
  const isAwaited = areAwaited(extras.profiles)
  const facets = rows.length === 0 ? [] : extras.facets
  const hasPanel = facets.length > 0 || (isAwaited && address.facets.length > 0 && rows.length > 0)
  const profiles = typeof extras.profiles === 'string' || address.isFolded ? undefined : extras.profiles
  const isPart = address.query.q !== '' || address.query.filter.length > 0
  return (
    <div class={hasPanel ? 'records-page with-facets' : 'records-page'}>
      {hasPanel && <FacetPanel {...{ address, facets, labels }} />}
      <div>
        {rows.length === 0 ? (
          <NoRecords {...{ address, question, total, id }} meant={found.meant ?? []} />
        ) : (
          <Table
            {...{ seen: address.seen, type: address.type, records: rows, chosen, profiles, labels }}
            repeated={repeatedId(all, rows)}
            address={canAsk ? address : undefined}
            files={extras.files}
            profiled={isPart ? count : undefined}
            menu={canAsk ? menuOf(address, { grouped: extras.grouped, chosen }) : undefined}
            awaitsProfiles={isAwaited && !address.isFolded}
          />
        )}
        <div class="table-foot">
          <span class="quiet">
            {question.state === 'answered' ? placeText(found, address) : footText(found)}
          </span>
          {rows.length > 0 && (
            <ProfilesNote profiles={extras.profiles} isFolded={address.isFolded} url={visit.url} />
          )}
          <Pager {...pages} />
        </div>
      </div>
    </div>
  )
}

const footText = ({ records, total, pages: { prev, next } }: Found): string =>
  `${counted(total, 'record')}${prev === undefined && next === undefined ? '' : `, ${records.length} here`}`

/** `51–100 of 3,210 records, page 2 of 65` */
function placeText({ records, total }: Found, { query: { offset } }: RecordsAddress): string {
  if (records.length === 0) return ''
  const [page, pages] = [offset / recordsAPage + 1, Math.ceil(total / recordsAPage)]
  const place = pages > 1 && Number.isInteger(page) ? `, page ${countText(page)} of ${countText(pages)}` : ''
  return `${countText(offset + 1)}–${countText(offset + records.length)} of ${counted(total, 'record')}${place}`
}
