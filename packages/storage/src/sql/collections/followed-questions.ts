/**
 * Saved questions whose answers may have changed, as waiting work. `saved_questions` is the queue: triggers count what may change an answer
 * (events.sql), and a process that has compared the answer stores the count that it saw.
 */
import type { Queries, Tx } from '../../database/database.ts'
import { isLeaseOver, leaseUntil } from '../columns/leases.ts'
import { columnsOf } from '../columns/rows.ts'
import { type SavedQuestionRow, savedQuestions } from './saved-questions.ts'

/** Longest lease. Seconds. */
const leaseSecondsMax = 600
/** True for questions to answer that no process works on. */
export const isFollowDue = `compared < changes and ${isLeaseOver(leaseSecondsMax)}`

/** A question to answer, with the present path of its collection. */
export interface DueQuestion extends SavedQuestionRow {
  ownerId: string
  owner: string
  collection: string
}

/** Takes questions to answer, those first that wait since their oldest answer: none waits for an account that has many. */
export async function claimQuestions(
  tx: Tx,
  { most, seconds }: { most: number; seconds: number },
): Promise<DueQuestion[]> {
  const { rows } = await tx.query<DueQuestion>(
    `update saved_questions set lease_until = ${leaseUntil('$2')}, attempts = attempts + 1
     from collections join accounts on accounts.id = owner_id
     where collections.id = collection_id and saved_questions.id in (
       select id from saved_questions where ${isFollowDue}
       order by compared_at nulls first, id limit $1 for update skip locked)
     returning ${columnsOf(savedQuestions)},
       accounts.id as "ownerId", accounts.slug as owner, collections.slug as collection`,
    [most, seconds],
    'claim_questions',
  )
  return rows
}

/** Keeps a question from other processes. Returns false if it was removed, or asks something else now. */
export async function renewQuestion(
  tx: Tx,
  { id, updatedAt }: Pick<DueQuestion, 'id' | 'updatedAt'>,
  seconds: number,
): Promise<boolean> {
  const { rows } = await tx.query(
    `update saved_questions set lease_until = ${leaseUntil('$3')} where id = $1 and updated_at = $2 returning id`,
    [id, updatedAt, seconds],
    'renew_question',
  )
  return rows.length === 1
}

/** An answer, named by hashes. */
export interface ComparedAnswer {
  from: string
  hash: string
  /** The version that was asked. */
  semver: string
}

/**
 * Stores that the answer was compared after the changes that the row had when it was taken, unless the question asks something else now.
 * A trigger notes `question.changed` if there was another answer.
 * @param answer undefined: none can be told; the former one stays
 */
export async function keepAnswer(
  tx: Tx,
  { id, changes, updatedAt }: Pick<DueQuestion, 'id' | 'changes' | 'updatedAt'>,
  answer: ComparedAnswer | undefined,
): Promise<void> {
  await tx.query(
    `update saved_questions set compared = $2, compared_at = now(), attempts = 0, lease_until = null,
       answered_from = coalesce($4, answered_from), answer_hash = coalesce($5, answer_hash),
       answer_since = case when $5 = answer_hash then answer_since else coalesce($6, answer_since) end
     where id = $1 and compared < $2 and updated_at = $3`,
    [id, changes, updatedAt, answer?.from ?? null, answer?.hash ?? null, answer?.semver ?? null],
    'keep_answer',
  )
}

/** A time when the answer to a question changed, as its events say. */
export interface AnswerChange {
  at: Date
  semver: string
}

/** The newest changes of the answer to a question that are kept, the newest first. @param publicOnly leaves out those for members */
export async function listAnswerChanges(
  at: Queries,
  { collectionId, slug, createdAt }: Pick<SavedQuestionRow, 'collectionId' | 'slug' | 'createdAt'>,
  { publicOnly, limit }: { publicOnly: boolean; limit: number },
): Promise<AnswerChange[]> {
  const { rows } = await at.query<AnswerChange>(
    `select at, details->>'semver' as semver from events
     where collection_id = $1 and kind = 'question.changed' and details->>'question' = $2
       and at >= $3 and (public or not $4)
     order by seq desc limit $5`,
    [collectionId, slug, createdAt, publicOnly, limit],
    'list_answer_changes',
  )
  return rows
}
