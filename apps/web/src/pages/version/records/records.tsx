/** `…/records/:type`: records of a type as a table. */

import { idBytesMax, type PlainSchema } from '@ulmus/content'
import { giveWay, RegistryError, sqlNames } from '@ulmus/registry'
import { Refusal } from '../../../components/form.tsx'
import { isCited } from '../../../components/result-citation.tsx'
import { pictureIslands } from '../../../components/save-picture.tsx'
import { Pager, type Pages } from '../../../components/small.tsx'
import { schemaIn, seeVersion, type VersionResponse } from '../../../data/collection.ts'
import {
  type Matches,
  readMatches,
  readRecords,
  recordsAPage,
  type TableRecord,
} from '../../../data/records.ts'
import { counted, countText, shownName } from '../../../format.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../../page.ts'
import { apiVersionPath, collectionPath, recordPath, versionPath, withQuery } from '../../../paths.ts'
import {
  downloadsOf,
  isQuery,
  noQuery,
  parsedQuery,
  pathTo,
  type RecordsAddress,
  readAddress,
} from '../../../record-table/address.ts'
import {
  chosenColumns,
  type PageColumn,
  pageColumns,
  repeatedId,
  type TableRow,
  tableRows,
} from '../../../record-table/columns.ts'
import { FacetPanel } from '../../../record-table/profile.tsx'
import { Table } from '../../../record-table/table.tsx'
import { completeQuery } from '../../../record-table/typed-filters.ts'
import { type ChartView, readChart } from './chart-plan.ts'
import { ChartOfRecords } from './chart-view.tsx'
import { CiteRecords } from './cite.tsx'
import { menuOf } from './column-menu.tsx'
import { type Extras, noExtras, profilesOf, readExtras } from './extras.ts'
import { type MapView, readMap } from './map-plan.ts'
import { MapOfRecords } from './map-view.tsx'
import { NoRecords, noType } from './no-records.tsx'
import { BuildingNote, Present, type Question, QuestionForm } from './question.tsx'
import { ProfilesNote, Tools, Types } from './tools.tsx'

/** Interval while a table is being built. Each answer waits for it, too. Seconds. */
const reloadSeconds = 2

/** Records on the page. */
interface Found {
  readonly question: Question
  readonly records: readonly TableRecord[]
  /** Records on all pages. */
  readonly total: number
  readonly pages: Pages
  /** Path of the record whose id the words of the question are. */
  readonly named?: string | undefined
}

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const types = Object.keys(version.schemas)
  const parameters = visit.url.searchParams
  // Accept the API's form of the address too, with the type in the query.
  const type = visit.params['type'] ?? (parameters.get('type') || types[0])
  const schema = type === undefined ? undefined : schemaIn(version, type)
  if (type === undefined || schema === undefined) return noType(seen, types, type)
  await giveWay()
  const address = readAddress(seen, type, schema, parameters)
  const found = await findRecords(visit, address, schema)
  const { question, records } = found
  if (question.state === 'draft') return new Redirect(pathTo(address, question.query), 302)
  const id = parameters.get('id') ?? ''
  if (id !== '' && records.length === 1) return new Redirect(seen.inView(recordPath(seen, type, id)), 302)
  // Nothing but the record has these words, or nothing at all.
  const { q, filter } = address.query
  if (found.named !== undefined && filter.length === 0 && records.every((record) => record.id === q))
    return new Redirect(found.named, 302)
  await giveWay()
  const profiles = address.map ? 'none' : await profilesOf(visit, address, question)
  const known = typeof profiles === 'string' ? undefined : profiles
  await giveWay()
  const all = pageColumns(schema, address.columns, records, known)
  const chosen = chosenColumns(all, address.named, address.columns, records)
  const rows = await tableRows(records, chosen)
  const extras = address.map
    ? noExtras
    : await readExtras(visit, version, { address, question, records: rows, all, chosen, profiles })
  const { grouped } = extras
  const isAnswered = question.state === 'none' || question.state === 'answered'
  const canDraw = isAnswered && visit.registry.tables.isAvailable
  const chart =
    address.chart && canDraw
      ? await readChart(visit, address, address.chart, { all, grouped, version })
      : undefined
  const map = address.map && canDraw ? await readMap(visit, address, address.map, { all, schema }) : undefined
  const plan = chart?.plan ?? map?.plan
  const isBuilding = question.state === 'building' || (plan !== undefined && 'building' in plan)
  const isLoading = isBuilding || extras.profiles === 'computing'
  return {
    title: `${shownName(type)} · ${seen.owner}/${seen.slug}`,
    description: `Records of type ${shownName(type)} in ${seen.owner}/${seen.slug}.`,
    canonical: versionPath(seen, 'records', type),
    isPublic: seen.isPublic,
    json:
      question.state === 'none'
        ? withQuery(apiVersionPath(seen, 'records'), { type, after: parameters.get('after') ?? '' })
        : downloadsOf(address).json,
    refused: question.state === 'refused' ? question.error : undefined,
    islands: plan === undefined ? [] : pictureIslands,
    ...(isLoading && { reloadSeconds }),
    body: (
      <CollectionPage seen={seen} tab="records" type={type}>
        <Content
          {...{ address, version, found, rows, id, all, chosen, extras, chart, map, visit }}
          count={version.typeCounts[type] ?? 0}
          canAsk={visit.registry.tables.isAvailable}
          sqlName={sqlNames(types)[types.indexOf(type)]!}
        />
      </CollectionPage>
    ),
  }
}

export const records: Page = { show }

/** Refusals that the page shows beside its form. */
const refusals: ReadonlySet<string> = new Set([
  'unknown_field',
  'invalid_request',
  'busy',
  'query_too_costly',
  'tables_unavailable',
])

const none = { records: [], total: 0, pages: {} }

async function findRecords(visit: Visit, address: RecordsAddress, schema: PlainSchema): Promise<Found> {
  const query = completeQuery(address)
  if (address.draft !== undefined && parsedQuery(query, address.columns) !== undefined)
    return { ...none, question: { state: 'draft', query } }
  if (visit.url.searchParams.get('id') || !isQuery(query))
    return { ...(await findAll(visit, address, schema)), question: { state: 'none' } }
  try {
    const matches = await readMatches(visit, address.seen, { type: address.type, schema, query })
    if ('building' in matches) return { ...none, question: { state: 'building', progress: matches } }
    return { ...answered(address, matches), named: await namedBy(visit, address) }
  } catch (error) {
    if (!(error instanceof RegistryError) || !refusals.has(error.code)) throw error
    return { ...none, question: { state: 'refused', error } }
  }
}

async function findAll(visit: Visit, address: RecordsAddress, schema: PlainSchema) {
  const [id, after] = ['id', 'after'].map((name) => visit.url.searchParams.get(name) || undefined)
  const ask = { type: address.type, schema, ...(id && { id }), ...(after && { after }) }
  const { records, total, nextCursor } = await readRecords(visit, address.seen, ask)
  const first = pathTo(address, noQuery)
  const next = nextCursor === null ? undefined : withQuery(first, { after: nextCursor })
  return { records, total, pages: { prev: after && first, next } }
}

/** Path of the record whose id the visitor typed. */
async function namedBy(visit: Visit, { seen, type, query }: RecordsAddress): Promise<string | undefined> {
  const id = query.q
  if (id === '' || query.offset > 0 || Buffer.byteLength(id) > idBytesMax) return undefined
  const { records } = await readRecords(visit, seen, { type, id, schema: undefined })
  return records.length === 0 ? undefined : seen.inView(recordPath(seen, type, id))
}

function answered(address: RecordsAddress, { records, total, next }: Matches): Found {
  const { offset } = address.query
  const pages = {
    ...(offset > 0 && {
      first: pathTo(address),
      prev: pathTo(address, { offset: Math.max(0, offset - recordsAPage) }),
    }),
    ...(next !== null && { next: pathTo(address, { offset: next }) }),
  }
  return { records, total, pages, question: { state: 'answered' } }
}

interface ContentProps {
  readonly address: RecordsAddress
  readonly version: VersionResponse
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
  /** Undefined: the page shows the table, or the other one. */
  readonly chart: ChartView | undefined
  readonly map: MapView | undefined
  /** Name of the type in SQL. */
  readonly sqlName: string
  readonly visit: Visit
}

function Content(props: ContentProps) {
  const { address, found, canAsk, id, count, extras, visit } = props
  const { question, total, named } = found
  const refused = question.state === 'refused' ? question.error : undefined
  const facets = extras.facets.length > 0 ? 'open' : extras.grouped.length > 0 ? 'closed' : 'none'
  return (
    <>
      <div class="tools record-tools">
        <Types seen={address.seen} version={props.version} type={address.type} />
        <QuestionForm {...{ address, canAsk, id, refused }} />
        <Tools {...props} {...{ question, facets, visit }} />
      </div>
      {refused !== undefined && (
        <div id="question-refusal">
          <Refusal error={refused} />
        </div>
      )}
      {isQuery(address.query) && (
        <Present
          {...{ address, named, count }}
          all={props.all}
          total={question.state === 'answered' ? total : undefined}
        />
      )}
      {question.state === 'building' && <BuildingNote {...question.progress} />}
      {isCited(visit) && (
        <CiteRecords
          {...{ address, question, total, count, visit }}
          version={props.version}
          all={props.all}
        />
      )}
      {props.chart !== undefined ? (
        <ChartOfRecords {...props.chart} address={address} all={props.all} />
      ) : props.map !== undefined ? (
        <MapOfRecords {...props.map} address={address} />
      ) : (
        // Rows that do not answer the question would be taken for its answer.
        (question.state === 'none' || question.state === 'answered') && <Records {...props} />
      )}
    </>
  )
}

function Records({ address, found, canAsk, rows, count, id, all, chosen, extras, visit }: ContentProps) {
  const { question, total, pages } = found
  const { labels } = extras
  const facets = rows.length === 0 ? [] : extras.facets
  const profiles = typeof extras.profiles === 'string' || address.isFolded ? undefined : extras.profiles
  const isPart = address.query.q !== '' || address.query.filter.length > 0
  return (
    <div class={facets.length > 0 ? 'records-page with-facets' : 'records-page'}>
      <div>
        {rows.length === 0 ? (
          <NoRecords {...{ address, question, total, id }} />
        ) : (
          <Table
            {...{ seen: address.seen, type: address.type, records: rows, chosen, profiles, labels }}
            repeated={repeatedId(all, rows)}
            address={canAsk ? address : undefined}
            profiled={isPart ? count : undefined}
            menu={canAsk ? menuOf(address, extras.grouped) : undefined}
          />
        )}
        <div class="table-foot">
          <span class="quiet">
            {question.state === 'answered' ? placeText(found, address) : footText(found)}
          </span>
          <ProfilesNote profiles={extras.profiles} isFolded={address.isFolded} url={visit.url} />
          <Pager {...pages} />
        </div>
      </div>
      {facets.length > 0 && <FacetPanel {...{ address, facets, labels }} />}
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
