/** Callers that ask expensive questions, and a bystander that asks small ones and must not wait for them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Report } from '../report.ts'
import type { Answer, Requests, Weather } from '../requests.ts'
import { type HostileTables, hostileQuestion, type Question, smallQuestion } from './tables.ts'

/** Longest wait for the answer to a small question while nothing is broken. Milliseconds. */
const patienceMillisecondsMax = 10_000
const pauseMilliseconds = 100
/** Hostile callers do not wait for what they ask. */
const hangsUpMilliseconds = [500, 20_000] as const
/** 429 `busy`, 422 `query_too_costly`, 400 for names that a table lacks, 202 while it is built, 413 for a page that is too large. */
const refusals = [202, 400, 413, 422, 429]

interface Parts {
  readonly tables: HostileTables
  readonly random: Random
  readonly requests: Requests
  readonly report: Report
  readonly weather: Weather
}

/** One step at a time, like a worker. */
export interface Caller {
  readonly name: string
  step(): Promise<void>
}

const ask = (
  { random, requests }: Parts,
  { path, sql }: Question,
  how: { key?: string; hangsUpAfter?: number },
): Promise<Answer> =>
  requests.ask(random, sql === undefined ? 'GET' : 'POST', path, {
    ...{ key: '', ...how },
    ...(sql !== undefined && { json: { sql } }),
  })

/** Asks expensive questions without pause. */
export function hostileCaller(parts: Parts, name: string, options: { isSignedIn: boolean }): Caller {
  return {
    name,
    async step() {
      const question = hostileQuestion(parts.random, parts.tables)
      const answer = await ask(parts, question, {
        ...(options.isSignedIn && { key: parts.tables.keys.owner }),
        hangsUpAfter: parts.random.between(...hangsUpMilliseconds),
      })
      // SQL is for signed-in callers alone.
      const refused = options.isSignedIn ? refusals : [...refusals, 401]
      const fate = parts.requests.fateOf(
        `a hostile question, ${question.path.slice(0, 120)}`,
        answer,
        [200],
        refused,
      )
      parts.report.operation('ask a hostile question', fate === 'wrong' ? 'refused' : fate)
      if (fate !== 'done') await sleep(pauseMilliseconds)
    },
  }
}

/** Asks a small question again until it is answered. */
export function bystandingCaller(parts: Parts): Caller {
  const { report, weather } = parts
  return {
    name: 'the bystander',
    async step() {
      const question = smallQuestion(parts.random, parts.tables)
      const [began, broken] = [performance.now(), weather.changes]
      for (;;) {
        const answer = await ask(parts, question, { key: parts.tables.keys.bystander })
        const took = performance.now() - began
        const wasCalm = weather.isCalm && weather.changes === broken
        const fate = parts.requests.fateOf(`a small question, ${question.path}`, answer, [200], [202, 429])
        if (fate === 'done' && wasCalm) report.waited('a small question', took)
        if (fate === 'done' || !wasCalm) {
          report.operation('ask a small question', fate === 'wrong' ? 'refused' : fate)
          break
        }
        if (took > patienceMillisecondsMax) {
          report.violation(
            `${question.sql ?? question.path} is answered ${answer.status} after ${Math.round(took / 1_000)} s of calm`,
          )
          break
        }
        await sleep(pauseMilliseconds)
      }
      await sleep(pauseMilliseconds)
    },
  }
}
