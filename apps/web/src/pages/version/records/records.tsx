/** `…/records/:type`: records of a type as a table. */

import { idBytesMax, numberOrder, type PlainSchema } from '@ulmus/content'
import { giveWay, RegistryError, sqlNames } from '@ulmus/registry'
import { Refusal } from '../../../components/form.tsx'
import { Part } from '../../../components/part.tsx'
import { isCited } from '../../../components/result-citation.tsx'
import { pictureIslands } from '../../../components/save-picture.tsx'
import { schemaIn, seeVersion, type VersionResponse } from '../../../data/collection.ts'
import { areNumbered, readFirstNumbers } from '../../../data/numbered.ts'
import { type Matches, orderedSort, readMatches, readRecords, recordsAPage } from '../../../data/records.ts'
import { shownName } from '../../../format.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../../page.ts'
import {
  apiVersionPath,
  collectionPath,
  pathInVersion,
  recordPath,
  versionPath,
  withQuery,
} from '../../../paths.ts'
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
  type TableRow,
  tableRows,
} from '../../../record-table/columns.ts'
import { completeQuery, withTypedNumbers } from '../../../record-table/typed-filters.ts'
import { type ChartView, readChart } from './chart-plan.ts'
import { ChartOfRecords } from './chart-view.tsx'
import { CiteRecords } from './cite.tsx'
import { areAwaited, type Extras, noExtras, profilesOf, readExtras } from './extras.ts'
import { type Found, RecordList } from './list.tsx'
import { type MapView, readMap } from './map-plan.ts'
import { MapOfRecords } from './map-view.tsx'
import { fieldsMeant, readMeant } from './meant.ts'
import { NoRecords, noType } from './no-records.tsx'
import { Present } from './present.tsx'
import { BuildingNote, QuestionForm } from './question.tsx'
import { Tools, Types } from './tools.tsx'

/** Interval while a table is being built. Each answer waits for it, too. Seconds. */
const reloadSeconds = 2

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
  const isNumbered = await areNumbered(visit, seen, type)
  await giveWay()
  const address = withTypedNumbers(readAddress(seen, type, { schema, isNumbered }, parameters))
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
    onPaper: pathInVersion(seen, version.semver, visit.url),
    isPublic: seen.isPublic,
    json:
      question.state === 'none'
        ? withQuery(apiVersionPath(seen, 'records'), { type, after: parameters.get('after') ?? '' })
        : downloadsOf(address).json,
    refused: question.state === 'refused' ? question.error : undefined,
    islands: plan === undefined ? [] : pictureIslands,
    ...(isLoading ? { reloadSeconds } : extras.isPartial && { isPartial: true }),
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
  const isListed = query.sort === undefined && !isQuery(query)
  if (visit.url.searchParams.get('id') || isListed)
    return { ...(await findAll(visit, address, schema)), question: { state: 'none' } }
  try {
    const ordered = { ...query, sort: orderedSort(query, address.isNumbered) }
    const matches = await readMatches(visit, address.seen, { type: address.type, schema, query: ordered })
    if ('building' in matches) return { ...none, question: { state: 'building', progress: matches } }
    const meant =
      matches.total > 0 ? [] : [...fieldsMeant(address), ...(await readMeant(visit, address.seen, address))]
    return { ...answered(address, matches), named: await namedBy(visit, address), meant }
  } catch (error) {
    if (!(error instanceof RegistryError) || !refusals.has(error.code)) throw error
    return { ...none, question: { state: 'refused', error }, meant: fieldsMeant(address) }
  }
}

async function findAll(visit: Visit, address: RecordsAddress, schema: PlainSchema) {
  const [id, after] = ['id', 'after'].map((name) => visit.url.searchParams.get(name) || undefined)
  const ask = { type: address.type, schema }
  if (address.isNumbered && id === undefined && after === undefined) {
    const numbers = await readFirstNumbers(visit, address.seen, ask)
    if (numbers !== undefined) return listed(address, numbers)
  }
  const { records, total, nextCursor } = await readRecords(visit, address.seen, {
    ...ask,
    ...(id && { id }),
    ...(after && { after }),
  })
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

const answered = (address: RecordsAddress, matches: Matches): Found => ({
  ...listed(address, matches),
  question: { state: 'answered' },
})

function listed(address: RecordsAddress, { records, total, next }: Matches) {
  const { offset } = address.query
  // The next pages of numbers have their order in the address, so that no page repeats or omits a record.
  const sort = address.isNumbered && !isQuery(address.query) ? numberOrder : address.query.sort
  const pages = {
    ...(offset > 0 && {
      first: pathTo(address, { sort }),
      prev: pathTo(address, { sort, offset: Math.max(0, offset - recordsAPage) }),
    }),
    ...(next !== null && { next: pathTo(address, { sort, offset: next }) }),
  }
  return { records, total, pages }
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
  const { address, found, canAsk, id, count, visit } = props
  const { question, total, named } = found
  const refused = question.state === 'refused' ? question.error : undefined
  return (
    <>
      <div class="tools record-tools">
        <Types seen={address.seen} version={props.version} type={address.type} />
        <QuestionForm {...{ address, canAsk, id, refused }} count={props.count} />
        <Tools {...props} {...{ question, visit }} total={found.total} facets={facetsState(props)} />
      </div>
      {refused !== undefined && (
        <div id="question-refusal">
          <Refusal error={refused} />
        </div>
      )}
      <Part name="present">
        {isQuery(address.query) && (
          <Present
            {...{ address, named, count }}
            all={props.all}
            labels={props.extras.labels}
            total={question.state === 'answered' ? total : undefined}
          />
        )}
      </Part>
      <Part name="cite">
        {isCited(visit) && (
          <CiteRecords
            {...{ address, question, total, count, visit }}
            version={props.version}
            all={props.all}
          />
        )}
      </Part>
      <Part name="answer">
        {question.state === 'building' && <BuildingNote {...question.progress} />}
        {refused !== undefined && (
          <NoRecords {...{ address, question, total, id }} meant={found.meant ?? []} />
        )}
        {props.chart !== undefined ? (
          <ChartOfRecords {...props.chart} address={address} all={props.all} />
        ) : props.map !== undefined ? (
          <MapOfRecords {...props.map} address={address} />
        ) : (
          // Rows that do not answer the question would be taken for its answer.
          (question.state === 'none' || question.state === 'answered') && <RecordList {...props} />
        )}
      </Part>
    </>
  )
}

function facetsState({ address, extras }: Pick<ContentProps, 'address' | 'extras'>) {
  if (extras.facets.length > 0) return 'open'
  if (extras.grouped.length > 0) return 'closed'
  if (!areAwaited(extras.profiles)) return 'none'
  return address.facets.length > 0 ? 'open' : 'awaited'
}
