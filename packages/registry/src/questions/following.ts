/**
 * Follows the answers to saved questions: after each change of the latest version, a process compares the answers of those that follow it.
 * Then a question says since which version its answer is the same, and another answer is an event. docs/saved-questions.md
 */
import { hash } from 'node:crypto'
import type { TypeEntry } from '@ulmus/content'
import { claimQuestions, type DueQuestion, isStorageFull, keepAnswer, renewQuestion } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { MovedError, RegistryError } from '../errors/errors.ts'
import { actingAccount, type Principal } from '../principal.ts'
import { buildType } from '../tables/ahead/build-landed.ts'
import { EngineError } from '../tables/engine/engine.ts'
import type { InstalledTables } from '../tables/find-table.ts'
import { mentionedTypes } from '../tables/sql/sql.ts'
import type { Tables } from '../tables/tables.ts'
import { semverOf } from '../versions/content.ts'
import { Pace, type Rest } from '../versions/strip/pace.ts'
import { seeVersion, type VisibleVersion } from '../versions/versions.ts'
import { comparableAnswer } from './answers.ts'

/** Answers about larger types are not followed. Their tables would be built for each version. */
const recordsMax = 5_000_000
/** A comparison renews its lease about this often. Seconds. */
const renewSeconds = 10
const leaseSeconds = 60
/** Later attempts compare nothing: the answer ends each process, or is never there. */
const attemptsMax = 5
/** All comparisons of a server take a quarter of one core at most. */
const restUsual: Rest = { times: 3, least: 100 }

/** The question lost its answer, which is another answer than before. */
const unanswerable: ReadonlySet<string> = new Set([
  'unknown_field',
  'invalid_sql',
  'type_not_found',
  'invalid_request',
])
/** Refusals that hide whether the answer changed, now and later. */
const unknowable: ReadonlySet<string> = new Set([
  ...['collection_not_found', 'version_not_found', 'version_withdrawn'],
  ...['query_too_costly', 'sql_unavailable', 'tables_unavailable'],
])

/** Reason to end a comparison: the question asks something else or is gone, or the server stops. */
class FollowEndedError extends Error {}

interface Following {
  readonly tables: Tables
  readonly installed: InstalledTables | string
  /** Default: `restUsual`. */
  readonly rest?: Rest
}

/** @returns ends a running comparison; another process repeats it */
export function followAnswers(
  context: Context,
  { tables, installed, rest = restUsual }: Following,
): { close(): void } {
  const { database, jobs } = context
  const closing = new AbortController()
  if (typeof installed !== 'string')
    jobs.take('questions', {
      atOnce: 1,
      claim: (most) => database.transactOnce((tx) => claimQuestions(tx, { most, seconds: leaseSeconds })),
      async run(due) {
        const renew = async () => {
          const isAwaited = await database.transactOnce((tx) => renewQuestion(tx, due, leaseSeconds))
          if (!isAwaited) throw new FollowEndedError('Nothing awaits this answer any more.')
        }
        const pace = new Pace(rest, closing.signal, renew, renewSeconds)
        try {
          const answer = await newAnswer(context, due, { tables, installed, pace, stop: closing.signal })
          await database.transactOnce((tx) => keepAnswer(tx, due, answer))
          await pace.end()
        } catch (error) {
          if (!(error instanceof FollowEndedError)) throw error
        }
      },
    })
  return { close: () => closing.abort(new FollowEndedError('The server stops.')) }
}

interface Comparing {
  readonly tables: Tables
  readonly installed: InstalledTables
  readonly pace: Pace
  readonly stop: AbortSignal
}

/** Undefined: the present answer is unknown. */
async function newAnswer(context: Context, due: DueQuestion, comparing: Comparing) {
  if (due.attempts > attemptsMax) return undefined
  const view = due.public ? { view: 'public' as const } : {}
  const who: Principal = { ...actingAccount(due.ownerId), ...view }
  try {
    const found = await seeVersion(context, who, { owner: due.owner, slug: due.collection, v: 'latest' })
    const semver = semverOf(found.version)
    const types = typesOf(due, found)
    const from = sha256(
      JSON.stringify([due.form, types.map(([type, { root, schema }]) => [type, root, schema])]),
    )
    if (from === due.answeredFrom && due.answerHash !== null) return { from, hash: due.answerHash, semver }
    if (types.some(([, { count }]) => count > recordsMax)) return undefined
    return { from, hash: sha256(await answerOf(context, { due, who, found, types }, comparing)), semver }
  } catch (error) {
    if (error instanceof MovedError) return undefined
    if (error instanceof RegistryError && unknowable.has(error.code)) return undefined
    throw error
  }
}

interface FollowedVersion {
  readonly due: DueQuestion
  readonly who: Principal
  readonly found: VisibleVersion
  readonly types: readonly (readonly [string, TypeEntry])[]
}

async function answerOf(
  context: Context,
  { due, who, found, types }: FollowedVersion,
  { tables, installed, pace, stop }: Comparing,
): Promise<string> {
  const path = { owner: due.owner, slug: due.collection, v: semverOf(found.version) }
  // A table that cannot be built so is built as for a caller.
  for (const [type, entry] of types)
    if (entry.count > 0)
      await buildType(context, installed, { found, type, entry, pace, stop }).catch((error: unknown) => {
        if (!(error instanceof EngineError) && !isStorageFull(error)) throw error
      })
  try {
    for (;;) {
      const answer = await comparableAnswer(tables, who, path, due)
      if (typeof answer === 'string') return answer
      await pace.between()
    }
  } catch (error) {
    if (error instanceof RegistryError && unanswerable.has(error.code)) return error.code
    throw error
  }
}

/** Types that a question reads, with their trees. */
function typesOf({ sql, type }: DueQuestion, { roots }: VisibleVersion): (readonly [string, TypeEntry])[] {
  if (sql !== null) return mentionedTypes(sql, roots.types).map((one) => [one.type, one.entry])
  return Object.hasOwn(roots.types, type!) ? [[type!, roots.types[type!]!]] : []
}

const sha256 = (text: string): string => hash('sha256', text)
