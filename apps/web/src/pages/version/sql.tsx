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
import { formIn } from '../../data/questions.ts'
import { readRecords } from '../../data/records.ts'
import { cutText, shownMarks, withoutUnseen } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../page.ts'
import { collectionPath, signInPath, versionPath, withQuery } from '../../paths.ts'
import { BuildingNote } from './records/question.tsx'
import { drawAnswer } from './sql-drawing.tsx'
import { type Example, examplesOf, type SqlTable, sampledTable } from './sql-examples.ts'
import { Result } from './sql-result.tsx'
import { Schema } from './sql-schema.tsx'

/** Rows of the page, and bytes of the answer that it reads. */
export const answerMax = { rows: 1_000, bytes: 1_048_576 }
/** Length of a query in the URL: with its cookies, a request may have 16 KiB (docs/limits.md). Characters. */
const queryMax = 8_000
/** Number of types whose schema is shown. */
const typesMax = 30
/** Interval while a table is being built. Each answer waits for it, too. Seconds. */
export const reloadSeconds = 2
/** Lines of the text field. */
const lines = { least: 5, most: 20 }
/** Longer reasons are cut: they may quote the statement. Characters. */
const reasonMax = 2_000
/** Names of tables and columns that are completed, their characters, and those of one. */
const completedMax = { names: 1_000, characters: 20_000, each: 100 }
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

export interface SqlResponse {
  readonly answer?: SqlAnswer
  /** Progress of a table that the statement names. */
  readonly building?: Building
  readonly refused?: RegistryError
}

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const statement = (visit.url.searchParams.get('sql') ?? '').trim()
  const response = statement === '' ? {} : await ask(visit, seen, statement)
  const drawing = response.answer && (await drawAnswer(response.answer, visit.url.searchParams))
  const tables = await tablesIn(version)
  const examples = statement === '' ? await examplesFor(visit, seen, version, tables) : []
  return {
    title: `SQL · ${seen.owner}/${seen.slug}`,
    description: `Questions in SQL about ${seen.owner}/${seen.slug}.`,
    canonical: versionPath(seen, 'sql'),
    // Crawlers must not collect statements.
    isPublic: seen.isPublic && statement === '',
    refused: response.refused,
    islands: drawing === undefined ? [] : pictureIslands,
    ...(response.building !== undefined && { reloadSeconds }),
    body: (
      <CollectionPage seen={seen} tab="sql">
        <div class="ask">
          <StatementForm {...{ visit, seen, statement, response, tables, examples }} />
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

/** False: this server runs no SQL, for anyone. */
const runsSql = ({ registry: { tables } }: Visit): boolean => tables.isAvailable && tables.sqlFor !== 'off'

interface StatementProps {
  readonly visit: Visit
  readonly seen: VisitedCollection
  readonly statement: string
  readonly response: SqlResponse
  readonly tables: readonly SqlTable[]
  readonly examples: readonly Example[]
}

function StatementForm({
  visit,
  seen,
  statement,
  response: { refused, building },
  tables,
  examples,
}: StatementProps) {
  const form = formIn(visit.url.searchParams)
  const needsCaller = visit.registry.tables.sqlFor === 'members' && visit.caller === undefined
  if (statement === '' && !runsSql(visit))
    return (
      <p class="note">
        This server does not run SQL. Filters, statistics, CSV and Parquet are on the{' '}
        <a href={seen.inView(versionPath(seen, 'records'))}>page of the records</a>.
      </p>
    )
  return (
    <div>
      {refused?.code === 'unauthenticated' || (refused === undefined && needsCaller) ? (
        <p class="note" id="sql-refusal" role={refused && 'alert'}>
          Statements are run for signed-in visitors.{' '}
          <a href={signInPath(visit.url)} rel="nofollow">
            Sign in
          </a>
        </p>
      ) : (
        refused !== undefined && <RefusedStatement error={refused} />
      )}
      {building !== undefined && <BuildingNote {...building} />}
      <form class="sql-form" action={versionPath(seen, 'sql')} data-most={queryMax}>
        <label for="sql">Statement</label>
        <textarea
          id="sql"
          name="sql"
          rows={Math.min(lines.most, Math.max(lines.least, statement.split('\n').length))}
          value={statement}
          placeholder={examples[0]?.sql}
          required
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          data-kept={`${visit.caller?.accountSlug ?? ''} ${seen.owner}/${seen.slug}`}
          {...(refused !== undefined && { 'aria-invalid': true, 'aria-describedby': 'sql-refusal' })}
        />
        {completedNames(tables).map(([table, columns]) => (
          <datalist key={table} data-table={table}>
            {columns.map((column) => (
              <option key={column} value={column} />
            ))}
          </datalist>
        ))}
        {form !== undefined && <input type="hidden" name="view" value={form} />}
        {seen.isMember && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
        <p class="inline">
          <button type="submit" class="primary">
            Run
          </button>
          <span class="quiet">
            A SELECT in DuckDB’s dialect. <a href="/docs/queries#sql">How it works</a>
          </span>
        </p>
      </form>
      {examples.length > 0 && <Examples seen={seen} examples={examples} />}
    </div>
  )
}

/** Names that are completed as one types. Names that a visitor cannot see whole are not. */
function completedNames(tables: readonly SqlTable[]): [table: string, columns: string[]][] {
  let { names: count, characters } = completedMax
  const isShown = (name: string) => {
    if (name.length > completedMax.each || withoutUnseen(name) !== name) return false
    characters -= name.length
    return --count >= 0 && characters >= 0
  }
  return tables
    .filter(({ name }) => isShown(name))
    .map(({ name, columns }) => [name, columns.map((column) => column.name).filter(isShown)])
}

/** The engine's reason has a sentence, then the line of the statement with a mark below it. */
export function RefusedStatement({ error }: { error: RegistryError }) {
  const [sentence = '', ...rest] = cutText(error.message, reasonMax).split('\n')
  const quotation = rest.join('\n').replace(/^\n+/, '')
  return (
    <div class="note bad" id="sql-refusal" role="alert">
      <p>{shownMarks(sentence)}</p>
      {quotation !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
        <pre tabIndex={0}>{shownMarks(quotation)}</pre>
      )}
    </div>
  )
}

const Examples = ({ seen, examples }: Pick<StatementProps, 'seen' | 'examples'>) => (
  <section class="examples">
    <h2>Examples</h2>
    <ul>
      {examples.map(({ title, sql }) => (
        <li key={sql}>
          <a href={seen.inView(withQuery(versionPath(seen, 'sql'), { sql }))} rel="nofollow">
            <bdi>{cutText(title, 100)}</bdi>
          </a>
          <pre>{shownMarks(sql)}</pre>
        </li>
      ))}
    </ul>
  </section>
)
