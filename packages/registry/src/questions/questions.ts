/** Saved questions of collections: queries and statements by name, and their answers. docs/saved-questions.md */
import { formatSemver, parseSemver, type QueryText } from '@ulmus/content'
import {
  type AnswerChange,
  deleteQuestion,
  findQuestion,
  insertQuestion,
  listAnswerChanges,
  listQuestions,
  type Queries,
  type SavedQuestionRow,
  unanswered,
  updateQuestion,
} from '@ulmus/storage'
import type { ChangeQuestion, CollectionPath, CreateQuestion, SavedQuestion } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { findCollectionTo, findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import { collectionSlugCandidates, isCollectionSlug, slugFrom } from '../access/slugs.ts'
import { auditedIn } from '../audit/collection-acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import type { Tables } from '../tables/tables.ts'
import { semverOf } from '../versions/content.ts'
import { fieldsOf, readParts } from './question-text.ts'

/** Maximum saved questions of a collection, as in docs/limits.md. */
export const questionsMax = 200
/** Changes of an answer in its feed. */
const answerChangesMax = 50
/** Name of a question whose name has no Latin letters, in paths. */
const slugUsual = 'question'

export type Questions = ReturnType<typeof questionsOf>

/** A question whose answer is asked for, with the version that it asks. */
export interface QuestionForReader {
  readonly question: SavedQuestion
  readonly path: CollectionPath & { readonly v: string }
  /** A query about the records of a type. Undefined: a statement. */
  readonly query: (QueryText & { readonly type: string }) | undefined
}

export function questionsOf(context: Context, tables: Tables) {
  const resolve = async (who: Principal, path: CollectionPath, slug: string): Promise<QuestionForReader> => {
    const seen = await findVisibleCollection(context, who, path)
    const row = await demandQuestion(context.database, seen, slug)
    const { text } = readParts(row.query ?? '')
    return {
      question: rendered(seen, row),
      path: { ...path, v: row.version ?? 'latest' },
      query: row.type === null ? undefined : { ...text, type: row.type },
    }
  }
  return {
    /** By slug; outsiders get the public ones. @throws collection_not_found, MovedError */
    async list(who: Principal, path: CollectionPath): Promise<SavedQuestion[]> {
      const seen = await findVisibleCollection(context, who, path)
      const publicOnly = seen.view === 'public'
      const rows = await listQuestions(context.database, seen.collection.id, { publicOnly })
      return rows.map((row) => rendered(seen, row))
    },

    /** @throws collection_not_found, MovedError, question_not_found */
    async get(who: Principal, path: CollectionPath, slug: string): Promise<SavedQuestion> {
      const seen = await findVisibleCollection(context, who, path)
      return rendered(seen, await demandQuestion(context.database, seen, slug))
    },

    /** For the caller to be answered. @throws the errors of `get` */
    resolve,

    /** When the answer to a question changed, the newest first. @throws the errors of `get` */
    async changes(who: Principal, path: CollectionPath, slug: string): Promise<AnswerChange[]> {
      const seen = await findVisibleCollection(context, who, path)
      const row = await demandQuestion(context.database, seen, slug)
      const publicOnly = seen.view === 'public'
      return listAnswerChanges(context.database, row, { publicOnly, limit: answerChangesMax })
    },

    /** Rows of a question in SQL. @throws the errors of `get` and of `Tables.sql` */
    sql: (who: Principal, { question, path }: QuestionForReader, form: SqlForm) =>
      tables.sql(who, path, { sql: question.sql!, isPublished: question.public, ...form }),

    /** @throws the errors of `list`; insufficient_scope, key_limited, not_a_member, too_many_questions, question_not_public; those of its answer */
    create: (who: Principal, path: CollectionPath, wanted: CreateQuestion): Promise<SavedQuestion> =>
      create(context, tables, { who, path }, wanted),

    /** @throws the errors of `create`; question_not_found */
    async change(
      who: Principal,
      path: CollectionPath,
      slug: string,
      wanted: ChangeQuestion,
    ): Promise<SavedQuestion> {
      const seen = await findCollectionTo('describe', context, who, path)
      const before = await demandQuestion(context.database, seen, slug)
      if (Object.values(wanted).every((value) => value === undefined)) return rendered(seen, before)
      const changes = { ...changesOf(wanted, before.sql !== null), updatedAt: context.now() }
      await demandAnswerable(tables, who, path, { ...before, ...changes })
      return auditedIn(context, who, seen, 'describe', async (tx, tell) => {
        const now = await demandQuestion(tx, seen, slug)
        // Another request changed it meanwhile, so that the tried question would not be the saved one.
        if (now.id !== before.id || now.updatedAt.getTime() !== before.updatedAt.getTime())
          throw new RegistryError('busy')
        const { name: _, updatedAt: __, ...asked } = changes
        const again = Object.keys(asked).length === 0 ? {} : unanswered({ ...now, ...changes })
        await updateQuestion(tx, now.id, { ...changes, ...again })
        const after = { ...now, ...changes, ...again }
        tell(actOf('question.saved', seen, after))
        return rendered(seen, after)
      }).finally(() => context.jobs.wake('questions'))
    },

    /** @throws the errors of `list`; insufficient_scope, key_limited, not_a_member, question_not_found */
    async remove(who: Principal, path: CollectionPath, slug: string): Promise<void> {
      const seen = await findCollectionTo('describe', context, who, path)
      await auditedIn(context, who, seen, 'describe', async (tx, tell) => {
        const row = await demandQuestion(tx, seen, slug)
        await deleteQuestion(tx, row.id)
        tell(actOf('question.removed', seen, row))
      })
    },
  }
}

/** Form of the answer to a statement, with its bounds. */
export interface SqlForm {
  readonly format: 'json' | 'csv'
  readonly limit: number
  readonly bytesMax?: number
}

async function create(
  context: Context,
  tables: Tables,
  { who, path }: { who: Principal; path: CollectionPath },
  wanted: CreateQuestion,
): Promise<SavedQuestion> {
  const seen = await findCollectionTo('describe', context, who, path)
  const now = context.now()
  const asked = {
    ...{ id: newId(), collectionId: seen.collection.id, slug: '', name: wanted.name },
    ...{ sql: null, type: null, query: null, form: 'table' as const, version: null, public: false },
    ...changesOf(wanted),
  }
  const row: SavedQuestionRow = { ...asked, ...unanswered(asked), createdAt: now, updatedAt: now }
  await demandAnswerable(tables, who, path, row)
  return auditedIn(context, who, seen, 'describe', async (tx, tell) => {
    const others = await listQuestions(tx, seen.collection.id, { publicOnly: false })
    if (others.length >= questionsMax)
      throw new RegistryError('too_many_questions', { say: { max: questionsMax } })
    const made = { ...row, slug: freeSlug(wanted.name, new Set(others.map(({ slug }) => slug))) }
    await insertQuestion(tx, made)
    tell(actOf('question.saved', seen, made))
    return rendered(seen, made)
  }).finally(() => context.jobs.wake('questions'))
}

/** A question that the caller may see. @throws question_not_found */
async function demandQuestion(
  at: Queries,
  { collection, view }: VisibleCollection,
  slug: string,
): Promise<SavedQuestionRow> {
  const row = isCollectionSlug(slug) ? await findQuestion(at, collection.id, slug) : undefined
  if (row === undefined || (view === 'public' && !row.public))
    throw new RegistryError('question_not_found', { say: { question: JSON.stringify(slug.slice(0, 120)) } })
  return row
}

/** Columns of the row that a request changes. */
/** @throws invalid_request for a query of a statement */
function changesOf(
  { view, version, sql, type, query, ...same }: ChangeQuestion,
  isStatement = false,
): Partial<Omit<SavedQuestionRow, 'id' | 'collectionId' | 'slug'>> {
  if (isStatement && sql === undefined && type === undefined && query !== undefined) {
    const message = 'The question is a statement: give `type`, too, to replace it by a query.'
    throw new RegistryError('invalid_request', {
      say: { reason: message },
      details: { issues: [{ path: 'type', message }] },
    })
  }
  return {
    ...(same.name !== undefined && { name: same.name }),
    ...(same.public !== undefined && { public: same.public }),
    ...(view !== undefined && { form: view }),
    ...(version !== undefined && {
      version: version === 'latest' ? null : formatSemver(parseSemver(version)!),
    }),
    ...(sql !== undefined && { sql, type: null, query: null }),
    ...(type !== undefined && { sql: null, type, query: query ?? '' }),
    ...(type === undefined && query !== undefined && { query }),
  }
}

/**
 * Asks the question once: a public one as an outsider, since its text shows the names that it uses.
 * @throws question_not_public if only members can ask it; invalid_request, unknown_field, type_not_found, version_not_found, invalid_sql…
 */
async function demandAnswerable(
  tables: Tables,
  who: Principal,
  path: CollectionPath,
  row: SavedQuestionRow,
): Promise<void> {
  const ask = async (asker: Principal): Promise<void> => {
    const place = { ...path, v: row.version ?? 'latest' }
    if (row.sql === null) {
      const parts = readParts(row.query ?? '')
      return tables.check(asker, { ...place, type: row.type! }, { text: parts.text, fields: fieldsOf(parts) })
    }
    const answer = await tables.sql(asker, place, { sql: row.sql, limit: 1, format: 'json' })
    // Its table is being built, so that the statement was not tried yet.
    if ('building' in answer && row.public) throw new RegistryError('busy')
  }
  if (!row.public) return ask(who)
  try {
    await ask({ ...demandCaller(who), view: 'public' })
  } catch (error) {
    if (!(error instanceof RegistryError) || !ofPrivateData.has(error.code)) throw error
    await ask(who)
    throw new RegistryError('question_not_public', { say: { reason: error.message }, cause: error })
  }
}

/** Refusals of a question about data that its asker does not see. */
const ofPrivateData: ReadonlySet<string> = new Set(['unknown_field', 'invalid_sql', 'type_not_found'])

/** `large-countries`, `large-countries-2`… */
function freeSlug(name: string, taken: ReadonlySet<string>): string {
  // `…/questions/new` is the page that saves one.
  const candidates = collectionSlugCandidates(slugFrom(name) ?? slugUsual, 1, questionsMax + 2)
  return candidates.find((slug) => slug !== 'new' && !taken.has(slug))!
}

const actOf = (
  action: 'question.saved' | 'question.removed',
  { owner, collection }: VisibleCollection,
  { slug, public: isPublic }: SavedQuestionRow,
) => ({
  action,
  account: owner.id,
  target: `${owner.slug}/${collection.slug}`,
  details: { question: slug, public: isPublic },
})

const rendered = ({ head }: VisibleCollection, row: SavedQuestionRow): SavedQuestion => ({
  ...{ slug: row.slug, name: row.name, sql: row.sql, type: row.type, query: row.query, view: row.form },
  ...{ version: row.version ?? 'latest', semver: row.version ?? (head && semverOf(head)) },
  since: row.answerSince,
  public: row.public,
  createdAt: instantText(row.createdAt),
  updatedAt: instantText(row.updatedAt),
})
