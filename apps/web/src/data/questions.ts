/** Saved questions as pages show them: their addresses, and the query of a page as a question. */
import type { SavedQuestion } from '@ulmus/wire'
import type { FeedLink, Visit } from '../page.ts'
import { collectionPath, panelParts, questionParts, versionPath, withQuery } from '../paths.ts'
import type { VisitedCollection } from './collection.ts'

export type QuestionParts = Pick<SavedQuestion, 'sql' | 'type' | 'query' | 'view'>

/** True if statements of this visitor are run. */
export const mayRunSql = ({ registry: { tables }, caller }: Visit): boolean =>
  tables.isAvailable && (tables.sqlFor === 'public' || (tables.sqlFor === 'members' && caller !== undefined))

export const questionPath = (
  seen: VisitedCollection,
  { slug }: Pick<SavedQuestion, 'slug'>,
  ...below: string[]
) => collectionPath(seen, 'questions', slug, ...below)

export const questionFeedPath = (seen: VisitedCollection, question: Pick<SavedQuestion, 'slug'>): string =>
  seen.inView(questionPath(seen, question, 'changes.atom'))

/** Feed of other answers to a question that follows the latest version, in the view of the page. */
export const questionFeeds = (
  seen: VisitedCollection,
  question: Pick<SavedQuestion, 'slug' | 'version'>,
): readonly FeedLink[] =>
  question.version === 'latest'
    ? [{ format: 'Atom', path: questionFeedPath(seen, question), title: 'Answers' }]
    : []

/** The question of the page of records that has this URL. */
export function questionAt(type: string, { searchParams }: URL): QuestionParts {
  const query = new URLSearchParams()
  for (const name of questionParts)
    for (const value of searchParams.getAll(name)) if (value !== '') query.append(name, value)
  return { sql: null, type, query: String(query), view: formIn(searchParams) ?? 'table' }
}

const forms = ['table', 'chart', 'map'] as const

/** Form of the answer in a URL, whose `view` may also be the public one; undefined: the page chooses. */
export const formIn = (parameters: URLSearchParams): SavedQuestion['view'] | undefined =>
  forms.find((form) => parameters.getAll('view').includes(form))

/** Path of the page that asks the question, to explore from there. @param version undefined: the latest */
export function askingPath(
  seen: VisitedCollection,
  asked: QuestionParts,
  version: string | undefined,
): string {
  const place = { owner: seen.owner, slug: seen.slug, ...(version !== undefined && { version }) }
  if (asked.sql !== null) return seen.inView(withQuery(versionPath(place, 'sql'), { sql: asked.sql }))
  const path = `${versionPath(place, 'records', asked.type!)}?${asked.query}`
  const view = asked.view === 'table' ? undefined : asked.view
  return seen.inView(withQuery(path.replace(/\?$/, ''), { view }))
}

/** URL of the page that shows the answer, for the page of records: its query is the question. */
export function urlOfAnswer({ sql, query, view }: QuestionParts, url: URL): URL {
  const parameters = new URLSearchParams(query ?? '')
  if (view !== 'table') parameters.append('view', view)
  if (url.searchParams.getAll('view').includes('public')) parameters.append('view', 'public')
  // Readers choose the columns of a chart of a statement, which the question does not name.
  const axes = sql === null ? [] : ['x', 'y', 'by']
  for (const name of [...panelParts, ...axes, 'cite', 'saved'])
    for (const value of url.searchParams.getAll(name)) parameters.append(name, value)
  const answer = new URL(url)
  answer.search = String(parameters)
  return answer
}

/** Path of the form that saves a question about the version of the page. */
export const savingPath = (seen: VisitedCollection, asked: QuestionParts): string =>
  withQuery(collectionPath(seen, 'questions', 'new'), {
    sql: asked.sql ?? undefined,
    type: asked.type ?? undefined,
    query: asked.query ?? undefined,
    view: asked.view === 'table' ? undefined : asked.view,
    version: seen.version,
  })
