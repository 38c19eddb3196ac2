/** Form of the SQL page: the statement, its refusal, examples, and for visitors who must sign in first the saved questions. */
import type { Building, RegistryError } from '@ulmus/registry'
import type { SavedQuestion, SqlAnswer } from '@ulmus/wire'
import { Name } from '../../components/small.tsx'
import type { VisitedCollection } from '../../data/collection.ts'
import { formIn, mayRunSql, questionPath } from '../../data/questions.ts'
import { cutText, shownMarks, withoutUnseen } from '../../format.ts'
import type { Visit } from '../../page.ts'
import { collectionPath, signInPath, versionPath, withQuery } from '../../paths.ts'
import { BuildingNote } from './records/question.tsx'
import type { Example, SqlTable } from './sql-examples.ts'

/** Length of a query in the URL: with its cookies, a request may have 16 KiB (docs/limits.md). Characters. */
export const queryMax = 8_000
/** Lines of the text field. */
const lines = { least: 5, most: 20 }
/** Longer reasons are cut: they may quote the statement. Characters. */
const reasonMax = 2_000
/** Names of tables and columns that are completed, their characters, and those of one. */
const completedMax = { names: 1_000, characters: 20_000, each: 100 }
/** Saved questions that are listed. */
const savedMax = 10

export interface SqlResponse {
  readonly answer?: SqlAnswer
  /** Progress of a table that the statement names. */
  readonly building?: Building
  readonly refused?: RegistryError
}

/** False: this server runs no SQL, for anyone. */
export const runsSql = ({ registry: { tables } }: Visit): boolean =>
  tables.isAvailable && tables.sqlFor !== 'off'

/** True: this server runs the statements of signed-in visitors, and this one is not. */
export const needsCaller = (visit: Visit): boolean => runsSql(visit) && !mayRunSql(visit)

/** Parameter of the form of visitors who must sign in first. */
export const signInName = 'sign_in'

interface StatementProps {
  readonly visit: Visit
  readonly seen: VisitedCollection
  readonly statement: string
  readonly response: SqlResponse
  readonly tables: readonly SqlTable[]
  readonly examples: readonly Example[]
  /** Saved questions for visitors who cannot run a statement. */
  readonly saved: readonly SavedQuestion[]
}

export function StatementForm({
  visit,
  seen,
  statement,
  response: { refused, building },
  tables,
  examples,
  saved,
}: StatementProps) {
  const form = formIn(visit.url.searchParams)
  const isStranger = needsCaller(visit)
  // Without a session nothing is known about the statement.
  const isWrong = refused !== undefined && refused.code !== 'unauthenticated'
  if (statement === '' && !runsSql(visit))
    return (
      <p class="note">
        This server does not run SQL. Filters, statistics, CSV and Parquet are on the{' '}
        <a href={seen.inView(versionPath(seen, 'records'))}>page of the records</a>.
      </p>
    )
  return (
    <div>
      {refused?.code === 'unauthenticated' || (refused === undefined && isStranger) ? (
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
          {...(isWrong && { 'aria-invalid': true, 'aria-describedby': 'sql-refusal' })}
        />
        {completedNames(tables).map(([table, columns]) => (
          <datalist key={table} data-table={table}>
            {columns.map((column) => (
              <option key={column} value={column} />
            ))}
          </datalist>
        ))}
        {form !== undefined && <input type="hidden" name="view" value={form} />}
        {seen.readsAll && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
        {isStranger && <input type="hidden" name={signInName} value="1" />}
        <p class="inline">
          <button type="submit" class="primary">
            {isStranger ? 'Sign in to run' : 'Run'}
          </button>
          <span class="quiet">
            A SELECT in DuckDB’s dialect. <a href="/docs/queries#sql">How it works</a>
          </span>
        </p>
      </form>
      {saved.length > 0 && <Saved seen={seen} saved={saved} />}
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

/** Answers that a visitor may read without running a statement. */
const Saved = ({ seen, saved }: Pick<StatementProps, 'seen' | 'saved'>) => (
  <section class="examples">
    <h2>Saved questions</h2>
    <p class="quiet">Everyone may open their answers.</p>
    <ul>
      {saved.slice(0, savedMax).map((one) => (
        <li key={one.slug}>
          <a href={seen.inView(questionPath(seen, one))}>
            <Name of={one.name} most={100} />
          </a>
        </li>
      ))}
    </ul>
    {saved.length > savedMax && <a href={collectionPath(seen, 'questions')}>All questions</a>}
  </section>
)

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
