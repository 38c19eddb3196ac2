/** `…/sql`: questions in SQL about a version. The statement is in the URL, so that a result can be shared. */

import { fieldsMax, fieldsOf, type JsonObject, parseJson, tableColumns, tellingField } from '@ulmus/content'
import { type Building, giveWay, RegistryError, type SqlText, sqlNames } from '@ulmus/registry'
import type { SqlAnswer } from '@ulmus/wire'
import { pictureIslands } from '../../components/save-picture.tsx'
import {
  schemaIn,
  seeVersion,
  type VersionResponse,
  type VisitedCollection,
  versionOf,
} from '../../data/collection.ts'
import { readRecords } from '../../data/records.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../page.ts'
import { collectionPath, pathInVersion, signInPath, versionPath } from '../../paths.ts'
import { drawAnswer } from './sql-drawing.tsx'
import { type Example, examplesOf, type SqlTable, sampledTable } from './sql-examples.ts'
import { needsCaller, queryMax, runsSql, type SqlResponse, StatementForm, signInName } from './sql-form.tsx'
import { Result } from './sql-result.tsx'
import { Schema } from './sql-schema.tsx'

/** Rows of the page, and bytes of the answer that it reads. */
export const answerMax = { rows: 1_000, bytes: 1_048_576 }
/** Number of types whose schema is shown. */
const typesMax = 30
/** Interval while a table is being built. Each answer waits for it, too. Seconds. */
export const reloadSeconds = 2
/** Longer examples are omitted. Characters. */
const exampleMax = 500

/** Refusals that the page shows above its form. */
const refusals: ReadonlySet<string> = new Set([
  'invalid_sql',
  'query_too_costly',
  'busy',
  'unauthenticated',
  'sql_unavailable',
  'tables_unavailable',
])

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const statement = (visit.url.searchParams.get('sql') ?? '').trim()
  const signIn = signInFirst(visit)
  if (signIn !== undefined) return new Redirect(signIn, 302)
  const response = statement === '' ? {} : await ask(visit, seen, statement)
  const drawing = response.answer && (await drawAnswer(response.answer, statement, visit.url.searchParams))
  const tables = await tablesIn(version)
  const saved =
    needsCaller(visit) && seen.hasQuestions ? await visit.registry.questions.list(seen.who, seen) : []
  const examples = statement === '' ? await examplesFor(visit, seen, version, tables) : []
  return {
    title: `SQL · ${seen.owner}/${seen.slug}`,
    description: `Questions in SQL about ${seen.owner}/${seen.slug}.`,
    canonical: versionPath(seen, 'sql'),
    onPaper: pathInVersion(seen, version.semver, visit.url),
    // Crawlers must not collect statements.
    isPublic: seen.isPublic && statement === '',
    refused: response.refused,
    islands: drawing === undefined || drawing.form === 'table' ? [] : pictureIslands,
    ...(response.building !== undefined && { reloadSeconds }),
    body: (
      <CollectionPage seen={seen} tab="sql">
        <div class="ask">
          <StatementForm {...{ visit, seen, statement, response, tables, examples, saved }} />
          {response.answer !== undefined && drawing !== undefined && (
            <Result {...{ seen, version, statement, drawing, visit }} answer={response.answer} />
          )}
          <Schema
            tables={tables}
            types={Object.keys(version.schemas).length}
            isFolded={response.answer !== undefined}
          />
        </div>
      </CollectionPage>
    ),
  }
}

export const sql: Page = { show }

const ask = (visit: Visit, seen: VisitedCollection, sql: string): Promise<SqlResponse> =>
  readAnswer(() => {
    if (visit.url.search.length > queryMax)
      throw new RegistryError('invalid_sql', {
        say: {
          reason:
            'The statement is too long for the address of a page. Shorten it, or send it to the API with POST.',
        },
      })
    return visit.registry.tables.sql(seen.who, versionOf(seen), {
      sql,
      limit: answerMax.rows,
      bytesMax: answerMax.bytes,
      format: 'json',
    })
  })

/** Parses the answer to a statement. Refusals of the statement are a part of the page. */
export async function readAnswer(read: () => Promise<SqlText | Building>): Promise<SqlResponse> {
  try {
    const answer = await read()
    if ('building' in answer) return { building: answer }
    return { answer: parseJson(answer.pieces.join('')) as SqlAnswer }
  } catch (error) {
    if (!(error instanceof RegistryError) || !refusals.has(error.code)) throw error
    return { refused: error }
  }
}

/** Tables of the first types. Parses their schemas one by one, so that other requests get turns of the event loop. */
async function tablesIn(version: VersionResponse): Promise<SqlTable[]> {
  const types = Object.keys(version.schemas)
  const names = sqlNames(types)
  const tables: SqlTable[] = []
  for (const [index, type] of types.slice(0, typesMax).entries()) {
    const schema = schemaIn(version, type)!
    await giveWay()
    tables.push({
      type,
      name: names[index]!,
      records: version.typeCounts[type] ?? 0,
      isPrivate: schema['private'] === true,
      columns: tableColumns(schema as JsonObject),
      telling: tellingField(fieldsOf(schema, fieldsMax)),
    })
    await giveWay()
  }
  return tables
}

async function examplesFor(
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  tables: readonly SqlTable[],
): Promise<readonly Example[]> {
  if (!runsSql(visit)) return []
  const type = sampledTable(tables)?.type
  const schema = type === undefined ? undefined : schemaIn(version, type)
  const sample = type === undefined ? [] : (await readRecords(visit, seen, { type, schema })).records
  return examplesOf(tables, sample).filter(({ sql }) => sql.length <= exampleMax)
}

/** Path of the sign-in that returns to the statement of the form; undefined: not needed, or the statement is too long to be returned to. */
function signInFirst(visit: Visit): string | undefined {
  const url = new URL(visit.url)
  if (!url.searchParams.has(signInName) || !needsCaller(visit)) return undefined
  url.searchParams.delete(signInName)
  const path = signInPath(url)
  return new URL(path, url).searchParams.get('return_to') === url.pathname ? undefined : path
}
