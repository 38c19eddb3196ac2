/** Table of saved questions about collections: a statement or a query by name. */
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { columnsOf, insertInto, updateById } from '../columns/rows.ts'
import { collections } from './collections.ts'

/** Forms that an answer is shown in. */
export const questionForms = ['table', 'chart', 'map'] as const

export const savedQuestions = pgTable(
  'saved_questions',
  {
    id: uuid('id').primaryKey(),
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    /** In paths; it stays when the name changes. */
    slug: bytewiseText('slug').notNull(),
    name: text('name').notNull(),
    /** A statement. Null: the question is a query. */
    sql: text('sql'),
    /** Type of the records that a query asks for. */
    type: text('type'),
    /** Query of the page of records, as in its URL. */
    query: text('query'),
    form: text('form', { enum: questionForms }).notNull(),
    /** `v1.2.0`; null: the latest version. */
    version: text('version'),
    /** True: all readers of the collection see it; false: members of its owner. */
    public: boolean('public').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    /** Times that its answer may have changed, if it follows the latest version. Triggers count them (events.sql). */
    changes: integer('changes').notNull(),
    /** How many of them its answer was compared after. Fewer than `changes`: the row is waiting work. */
    compared: integer('compared').notNull().default(0),
    /** Names what the answer was computed from, so that a version with the same need not be asked. */
    answeredFrom: text('answered_from'),
    /** Hash of its answer, for all readers if it is public. Null: none since it was saved or changed. */
    answerHash: text('answer_hash'),
    /** The version that brought this answer, or the latest one when it was saved: `v1.2.0`. */
    answerSince: text('answer_since'),
    comparedAt: instant('compared_at'),
    /** Times that a process has taken the row. */
    attempts: integer('attempts').notNull().default(0),
    /** When a process may take it. By the database's clock. */
    leaseUntil: instant('lease_until'),
  },
  (t) => [
    unique('saved_questions_slug').on(t.collectionId, t.slug),
    index('saved_questions_due').on(t.comparedAt).where(sql`${t.compared} < ${t.changes}`),
    check('saved_questions_form', sql`${t.form} in ('table', 'chart', 'map')`),
    check(
      'saved_questions_kind',
      sql`(${t.sql} is null) = (${t.query} is not null) and (${t.sql} is null) = (${t.type} is not null)`,
    ),
  ],
)

export type SavedQuestionRow = typeof savedQuestions.$inferSelect

/** Columns of a question whose answer was not computed since it was saved, or since what it asks changed. */
export const unanswered = ({ version }: Pick<SavedQuestionRow, 'version'>) => ({
  // The answer about a fixed version never changes.
  ...{ changes: version === null ? 1 : 0, compared: 0, comparedAt: null, attempts: 0, leaseUntil: null },
  ...{ answeredFrom: null, answerHash: null, answerSince: null },
})

const columns = columnsOf(savedQuestions)

/** By slug. @param publicOnly leaves out those for members */
export async function listQuestions(
  at: Queries,
  collectionId: string,
  { publicOnly }: { publicOnly: boolean },
): Promise<SavedQuestionRow[]> {
  const { rows } = await at.query<SavedQuestionRow>(
    `select ${columns} from saved_questions where collection_id = $1 and (public or not $2) order by slug`,
    [collectionId, publicOnly],
  )
  return rows
}

/** True if there is any. @param publicOnly leaves out those for members */
export async function hasQuestions(
  at: Queries,
  collectionId: string,
  { publicOnly }: { publicOnly: boolean },
): Promise<boolean> {
  const { rows } = await at.query<{ found: boolean }>(
    'select exists (select from saved_questions where collection_id = $1 and (public or not $2)) as found',
    [collectionId, publicOnly],
  )
  return rows[0]!.found
}

export async function findQuestion(
  at: Queries,
  collectionId: string,
  slug: string,
): Promise<SavedQuestionRow | undefined> {
  const { rows } = await at.query<SavedQuestionRow>(
    `select ${columns} from saved_questions where collection_id = $1 and slug = $2`,
    [collectionId, slug],
  )
  return rows[0]
}

export async function insertQuestion(tx: Tx, row: SavedQuestionRow): Promise<void> {
  await tx.query(...insertInto(savedQuestions, row))
}

export async function updateQuestion(
  tx: Tx,
  id: string,
  changes: Partial<Omit<SavedQuestionRow, 'id' | 'collectionId' | 'slug'>>,
): Promise<void> {
  await updateById(tx, savedQuestions, id, changes)
}

export async function deleteQuestion(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from saved_questions where id = $1', [id])
}
