/** `…/questions/new` saves the question of a page, `…/questions/:question/edit` changes or removes a saved one. */
import { ChangeQuestion, CreateQuestion, type SavedQuestion } from '@ulmus/wire'
import { Choice, Field, Refusal } from '../../../components/form.tsx'
import { Code, Name } from '../../../components/small.tsx'
import {
  schemaIn,
  seeVersion,
  type VersionResponse,
  type VisitedCollection,
} from '../../../data/collection.ts'
import { askingPath, type QuestionParts, questionPath } from '../../../data/questions.ts'
import { checked, type FormState, formPage, typed } from '../../../form.ts'
import { cutText, withoutUnseen } from '../../../format.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../../page.ts'
import { collectionPath, versionPath, withQuery } from '../../../paths.ts'
import { readAddress } from '../../../record-table/address.ts'
import { questionText } from '../../version/records/present.tsx'

export const newQuestion = formPage(save, newPage)
export const editQuestion = formPage(
  (visit, form) => (form['do'] === 'remove' ? remove : change)(visit, form),
  editPage,
)

const pathOf = ({ params }: Visit) => ({ owner: params['owner']!, slug: params['slug']! })

/** The question that the form's address names. */
function questionIn({ searchParams }: URL): QuestionParts {
  const [sql, type, query] = ['sql', 'type', 'query'].map((name) => searchParams.get(name))
  const view = searchParams.get('view')
  return {
    ...(sql ? { sql, type: null, query: null } : { sql: null, type: type ?? '', query: query ?? '' }),
    view: view === 'chart' || view === 'map' ? view : 'table',
  }
}

const fieldsOf = (form: Form) => ({
  name: typed(form, 'name') ?? '',
  version: typed(form, 'version') ?? 'latest',
  public: form['public'] === 'yes',
})

async function save(visit: Visit, form: Form): Promise<Answer> {
  const { sql, type, query, view } = questionIn(visit.url)
  const asked = sql === null ? { type, query } : { sql }
  const wanted = checked(CreateQuestion, { ...fieldsOf(form), ...asked, view })
  const made = await visit.registry.questions.create(visit.who, pathOf(visit), wanted)
  return done(visit, 'question-saved', made.slug)
}

async function change(visit: Visit, form: Form): Promise<Answer> {
  const wanted = checked(ChangeQuestion, {
    ...fieldsOf(form),
    ...(form['sql'] !== undefined && { sql: typed(form, 'sql') ?? '' }),
  })
  const slug = visit.params['question']!
  await visit.registry.questions.change(visit.who, pathOf(visit), slug, wanted)
  return done(visit, 'question-saved', slug)
}

async function remove(visit: Visit): Promise<Answer> {
  await visit.registry.questions.remove(visit.who, pathOf(visit), visit.params['question']!)
  return done(visit, 'question-removed')
}

const done = (visit: Visit, saved: string, ...below: string[]) =>
  new Redirect(withQuery(collectionPath(pathOf(visit), 'questions', ...below), { saved }))

async function newPage(visit: Visit, { form, error }: FormState): Promise<View> {
  const { seen, version: latest } = await seeVersion(visit)
  seen.demand('describe')
  const asked = questionIn(visit.url)
  const version = visit.url.searchParams.get('version') ?? 'latest'
  return {
    title: `Save a question · ${seen.owner}/${seen.slug}`,
    body: (
      <CollectionPage seen={seen} tab="questions">
        <div class="narrow">
          <h2>Save a question</h2>
          {asked.sql === null && asked.type === '' ? (
            <p>
              First ask a question on the page <a href={versionPath(seen, 'records')}>Records</a> or{' '}
              <a href={versionPath(seen, 'sql')}>SQL</a>, then choose <strong>Save</strong> there.
            </p>
          ) : (
            <>
              <Refusal error={error} />
              <form method="post" class="form">
                <About seen={seen} asked={asked} latest={latest} />
                <Fields {...{ seen, form }} saved={{ name: '', version, public: false }} />
                <button type="submit" class="primary">
                  Save
                </button>
              </form>
            </>
          )}
        </div>
      </CollectionPage>
    ),
  }
}

async function editPage(visit: Visit, { form, error }: FormState): Promise<View> {
  const { seen, version: latest } = await seeVersion(visit)
  seen.demand('describe')
  const saved = await visit.registry.questions.get(visit.who, seen, visit.params['question']!)
  return {
    title: `Edit ${saved.name} · ${seen.owner}/${seen.slug}`,
    body: (
      <CollectionPage seen={seen} tab="questions">
        <div class="narrow">
          <h2>
            <a href={questionPath(seen, saved)}>
              <Name of={saved.name} most={200} />
            </a>
          </h2>
          <Refusal error={error} />
          <form method="post" class="form">
            {saved.sql === null ? (
              <About seen={seen} asked={saved} latest={latest} />
            ) : (
              <Field name="sql" label="Statement" form={form} value={saved.sql} lines={8} required />
            )}
            <Fields {...{ seen, form, saved }} />
            <button type="submit" class="primary">
              Save
            </button>
          </form>
          <form method="post" class="form">
            <button type="submit" name="do" value="remove" class="danger">
              Remove this question
            </button>
          </form>
        </div>
      </CollectionPage>
    ),
  }
}

/** Longer statements and queries are shown in part. Characters. */
const shownMax = 2_000

interface AboutProps {
  readonly seen: VisitedCollection
  readonly asked: QuestionParts
  readonly latest: VersionResponse | null
}

/** The search, the filters and the order in words. A type that the latest version lacks has the query itself. */
function wordsOf({ seen, asked: { type, query }, latest }: AboutProps): string {
  const schema = type === null || latest === null ? undefined : schemaIn(latest, type)
  const parameters = new URLSearchParams(query ?? '')
  if (schema === undefined) return query ? ` (${query})` : ''
  return questionText(readAddress(seen, type!, { schema, isNumbered: true }, parameters), [])
}

const About = ({ seen, asked, latest }: AboutProps) => (
  <div>
    <p>
      {asked.sql === null ? (
        <>
          Records of type <Name of={asked.type ?? ''} most={100} />
          <bdi>{withoutUnseen(cutText(wordsOf({ seen, asked, latest }), shownMax))}</bdi>, as a {asked.view}
        </>
      ) : (
        'The answer to this statement'
      )}
      . <a href={askingPath(seen, asked, undefined)}>See the answer</a>
    </p>
    {asked.sql !== null && <Code>{asked.sql.slice(0, shownMax)}</Code>}
  </div>
)

interface FieldsProps {
  readonly seen: VisitedCollection
  readonly form: Form
  readonly saved: Pick<SavedQuestion, 'name' | 'version' | 'public'>
}

function Fields({ seen, form, saved }: FieldsProps) {
  const fixed = saved.version === 'latest' ? seen.latest : saved.version
  return (
    <>
      <Field name="name" label="Name" form={form} value={saved.name} most={200} required />
      <Choice
        name="version"
        label="Version"
        form={form}
        value={saved.version}
        options={[
          ['latest', 'Always the latest'],
          ...(fixed === null ? [] : [[fixed, `${fixed}: the answer never changes`] as const]),
        ]}
      />
      <Choice
        name="public"
        label="Readers"
        form={form}
        value={saved.public ? 'yes' : 'no'}
        options={[
          ['no', 'Members and collaborators'],
          [
            'yes',
            seen.isPublic ? 'Everybody' : 'All readers of the collection',
            'They get the answer from the data that they may read. A question that needs private data is refused.',
          ],
        ]}
      />
    </>
  )
}
