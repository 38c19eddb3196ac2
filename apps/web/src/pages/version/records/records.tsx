/** `…/records/:type`: records of a type as a table. */

import type { PlainSchema } from '@ulmus/content'
import { type Building, giveWay, RegistryError, sqlNames } from '@ulmus/registry'
import { Refusal } from '../../../components/form.tsx'
import { Empty, Name, Pager, type Pages } from '../../../components/small.tsx'
import { type SeenCollection, schemaIn, seeVersion } from '../../../data/collection.ts'
import { readMatches, readRecords, recordsAPage, type TableRecord } from '../../../data/records.ts'
import { counted, countText, cutName, shownName } from '../../../format.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../../page.ts'
import { apiVersionPath, collectionPath, recordPath, versionPath, withQuery } from '../../../paths.ts'
import { chosenColumns, type PageColumn, pageColumns } from './columns.ts'
import { type Extras, readExtras } from './extras.ts'
import { FacetPanel } from './facets.tsx'
import { BuildingNote, Present, QuestionForm } from './question.tsx'
import { Table } from './table.tsx'
import { Tools } from './tools.tsx'
import { Types } from './types.tsx'
import {
  type Asked,
  completeQuestion,
  downloadsOf,
  isQuestion,
  noQuestion,
  parsedQuestion,
  pathTo,
  readAsked,
} from './url.ts'

/** Interval while a table is being built. Each answer waits for it, too. Seconds. */
const reloadSeconds = 2

/** Records on the page. */
interface Found {
  readonly records: readonly TableRecord[]
  /** Records on all pages. */
  readonly total: number
  readonly pages: Pages
  /** Progress of the table that answers the question; the records are the first ones of all. */
  readonly building?: Building
  readonly refused?: RegistryError
}

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const types = Object.keys(version.schemas)
  const query = visit.url.searchParams
  // Accept the API's form of the address too, with the type in the query.
  const type = visit.params['type'] ?? (query.get('type') || types[0])
  const schema = type === undefined ? undefined : schemaIn(version, type)
  if (type === undefined || schema === undefined) return noType(seen, types, type)
  await giveWay()
  const asked = readAsked(seen, type, schema, query)
  const question = completeQuestion(asked)
  // A form that was sent: keep its filter in the address as the API writes it.
  if (asked.draft !== undefined && parsedQuestion(question, asked.columns) !== undefined)
    return new Redirect(pathTo(asked, question), 302)
  const id = query.get('id') ?? ''
  const isAsked = id === '' && isQuestion(question)
  const found = await (isAsked ? findMatches : findAll)(visit, { ...asked, question }, schema)
  if (id !== '' && found.records.length === 1)
    return new Redirect(seen.inView(recordPath(seen, type, id)), 302)
  await giveWay()
  const all = pageColumns(schema, asked.columns, found.records)
  const chosen = chosenColumns(all, asked.shown, asked.columns)
  const isRequested = query.has('profiles')
  const extras = await readExtras(visit, version, {
    asked: { ...asked, question },
    records: found.records,
    isSettled: found.building === undefined && found.refused === undefined,
    all,
    chosen,
    isRequested: isRequested || visit.caller !== undefined,
  })
  const after = query.get('after') ?? ''
  const view = { asked, isAsked, found, id, all, chosen, extras }
  const isPending = isRequested && extras.profiles === 'later'
  return {
    title: `${shownName(type)} · ${seen.owner}/${seen.slug}`,
    description: `Records of type ${shownName(type)} in ${seen.owner}/${seen.slug}.`,
    canonical: versionPath(seen, 'records', type),
    isPublic: seen.isPublic,
    json: isAsked ? downloadsOf(asked).json : withQuery(apiVersionPath(seen, 'records'), { type, after }),
    refused: found.refused,
    ...((found.building !== undefined || isPending) && { reloadSeconds }),
    body: (
      <CollectionPage seen={seen} tab="records" type={type}>
        <Types seen={seen} version={version} type={type} />
        <Content
          {...{ ...view, isPending }}
          count={version.typeCounts[type] ?? 0}
          canAsk={visit.registry.tables.isAvailable}
          sqlName={sqlNames(types)[types.indexOf(type)]!}
          visit={visit}
        />
      </CollectionPage>
    ),
  }
}

export const records: Page = { show }

/** All records by id, or the one that `?id=` names. */
async function findAll(visit: Visit, asked: Asked, schema: PlainSchema): Promise<Found> {
  const [id, after] = ['id', 'after'].map((name) => visit.url.searchParams.get(name) || undefined)
  const ask = { type: asked.type, schema, ...(id && { id }), ...(after && { after }) }
  const { records, total, nextCursor } = await readRecords(visit, asked.seen, ask)
  const first = pathTo(asked, noQuestion)
  const next = nextCursor === null ? undefined : withQuery(first, { after: nextCursor })
  return { records, total, pages: { prev: after && first, next } }
}

/** Refusals that the page shows beside its form. */
const refusals: ReadonlySet<string> = new Set([
  'unknown_field',
  'invalid_request',
  'busy',
  'query_too_costly',
  'tables_unavailable',
])

async function findMatches(visit: Visit, asked: Asked, schema: PlainSchema): Promise<Found> {
  const { seen, type, question } = asked
  try {
    const matches = await readMatches(visit, seen, { type, schema, question })
    if ('building' in matches)
      return { ...(await findAll(visit, asked, schema)), pages: {}, building: matches }
    const { records, total, next } = matches
    const pages = {
      ...(question.offset > 0 && {
        first: pathTo(asked),
        prev: pathTo(asked, { offset: Math.max(0, question.offset - recordsAPage) }),
      }),
      ...(next !== null && { next: pathTo(asked, { offset: next }) }),
    }
    return { records, total, pages }
  } catch (error) {
    if (!(error instanceof RegistryError) || !refusals.has(error.code)) throw error
    return { records: [], total: 0, pages: {}, refused: error }
  }
}

interface ContentProps {
  readonly asked: Asked
  /** True: the page answers a question. */
  readonly isAsked: boolean
  /** False: this server answers none. */
  readonly canAsk: boolean
  readonly found: Found
  /** Number of all records of the type. */
  readonly count: number
  readonly id: string
  readonly all: readonly PageColumn[]
  readonly chosen: readonly PageColumn[]
  readonly extras: Extras
  /** True: the visitor asked for profiles, which are being computed. */
  readonly isPending: boolean
  /** Name of the type in SQL. */
  readonly sqlName: string
  readonly visit: Visit
}

function Content({ asked, isAsked, canAsk, found, count, id, all, chosen, extras, ...more }: ContentProps) {
  const { seen, type } = asked
  const { records, total, pages, building, refused } = found
  const isAnswered = isAsked && building === undefined && refused === undefined
  const { labels } = extras
  const facets = records.length === 0 ? [] : extras.facets
  const profiles = typeof extras.profiles === 'string' ? undefined : extras.profiles
  const isPart = asked.question.q !== '' || asked.question.filter.length > 0
  return (
    <>
      {canAsk && <QuestionForm asked={asked} refused={refused} />}
      {refused !== undefined && (
        <div id="question-refusal">
          <Refusal error={refused} />
        </div>
      )}
      {isQuestion(asked.question) && (
        <Present asked={asked} total={isAnswered ? total : undefined} all={count} />
      )}
      {building !== undefined && <BuildingNote {...building} />}
      {refused === undefined && (
        <div class={facets.length > 0 ? 'records-page with-facets' : 'records-page'}>
          <div>
            <Tools
              {...{ asked, isAsked, canAsk, all, chosen, id }}
              sqlName={more.sqlName}
              origin={more.visit.origin}
            />
            {records.length === 0 ? (
              <NoRecords {...{ asked, total, id, isAsked }} />
            ) : (
              <Table
                {...{ seen, type, records, chosen, profiles, labels, asked: canAsk ? asked : undefined }}
                profiled={isPart ? count : undefined}
              />
            )}
            <div class="table-foot">
              <span class="quiet">{isAnswered ? placeText(found, asked) : footText(found)}</span>
              <ProfilesNote profiles={extras.profiles} isPending={more.isPending} url={more.visit.url} />
              <Pager {...pages} />
            </div>
          </div>
          {facets.length > 0 && <FacetPanel {...{ asked, facets, labels }} />}
        </div>
      )}
    </>
  )
}

interface ProfilesNoteProps extends Pick<Extras, 'profiles'> {
  readonly isPending: boolean
  readonly url: URL
}

/** Link that computes profiles, or a note that this is under way. */
function ProfilesNote({ profiles, isPending, url }: ProfilesNoteProps) {
  if (isPending)
    return (
      <span class="quiet" role="status">
        Column profiles are being computed…
      </span>
    )
  if (profiles !== 'later' && profiles !== 'on_request') return null
  const query = new URLSearchParams(url.searchParams)
  query.set('profiles', '1')
  return (
    <a href={`${url.pathname}?${query}`} rel="nofollow">
      Show column profiles
    </a>
  )
}

const footText = ({ records, total, pages: { prev, next } }: Found): string =>
  `${counted(total, 'record')}${prev === undefined && next === undefined ? '' : `, ${records.length} here`}`

/** `51–100 of 3,210 records, page 2 of 65` */
function placeText({ records, total }: Found, { question: { offset } }: Asked): string {
  if (records.length === 0) return ''
  const [page, pages] = [offset / recordsAPage + 1, Math.ceil(total / recordsAPage)]
  const place = pages > 1 && Number.isInteger(page) ? `, page ${countText(page)} of ${countText(pages)}` : ''
  return `${countText(offset + 1)}–${countText(offset + records.length)} of ${counted(total, 'record')}${place}`
}

type NoRecordsProps = Pick<ContentProps, 'asked' | 'id' | 'isAsked'> & { total: number }

function NoRecords({ asked, total, id, isAsked }: NoRecordsProps) {
  if (id !== '')
    return (
      <p class="note" role="status">
        There is no <Name of={asked.type} /> with the id <code>{cutName(id, 200)}</code>.{' '}
        <a href={pathTo(asked, noQuestion)}>Show all</a>
      </p>
    )
  if (!isAsked) return <Empty title="There are no records of this type." />
  return (
    <Empty title={total === 0 ? 'No record matches.' : 'The result has fewer records.'}>
      <p>
        {total > 0 && <a href={pathTo(asked)}>Show the first ones</a>}{' '}
        <a href={pathTo(asked, noQuestion)}>Show all records</a>
      </p>
    </Empty>
  )
}

function noType(seen: SeenCollection, types: readonly string[], type: string | undefined) {
  return {
    title: `Records · ${seen.owner}/${seen.slug}`,
    refused:
      type === undefined
        ? undefined
        : new RegistryError('type_not_found', { say: { type, types: types.join(', ') } }),
    body: (
      <CollectionPage seen={seen} tab="records">
        <Empty title={type === undefined ? 'This version has no types.' : 'This version has no such type.'}>
          <p>
            {types.map((name) => (
              <a key={name} class="choice" href={seen.inView(versionPath(seen, 'records', name))}>
                <Name of={name} />
              </a>
            ))}
          </p>
        </Empty>
      </CollectionPage>
    ),
  }
}
