/** Questions that all contenders answer by turns, in one run, with their answers compared. */
import { timed } from '../measure.ts'
import type { Served } from '../served.ts'

export interface Answered {
  readonly ms: number
  /** Rows of each statement. */
  readonly results: readonly (readonly (readonly unknown[])[])[]
}

export interface Contender {
  ask(statements: readonly string[]): Promise<Answered>
  close(): Promise<void>
}

export type Name = 'Ulmus' | 'SQLite' | 'PostgreSQL' | 'DuckDB'

/** The version that the server is asked about. */
export interface Version {
  readonly served: Served
  /** `owner/slug` */
  readonly ref: string
  /** `/api/collections/…/versions/v1.0.0` */
  readonly path: string
  /** Records, and the bytes of their canonical form. */
  readonly size: number
  readonly bytes: number
  /** Repetitions of what takes seconds. */
  readonly runs: number
}

/** Everything that answers. */
export interface Field extends Version {
  readonly others: Readonly<Partial<Record<Exclude<Name, 'Ulmus'>, Contender>>>
}

export interface Spread {
  readonly median: number
  readonly p95: number
}

export type Measured = Partial<Record<Name, Spread>>

/** @param values at least one */
export function spreadOf(values: readonly number[]): Spread & { readonly p99: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
  return { median: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/**
 * Milliseconds of each, or what else it returns. The first turn warms up and is not counted, unless there is one contender and one run;
 * others begin with each turn.
 */
export async function inTurns(
  runs: number,
  contenders: Partial<Record<Name, (run: number) => Promise<number>>>,
): Promise<Measured> {
  const names = Object.keys(contenders) as Name[]
  const values = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let run = names.length * runs === 1 ? 1 : 0; run <= runs; run++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(run + turn) % names.length]!
      const value = await contenders[name]!(run)
      if (run > 0) values.get(name)!.push(value)
    }
  }
  return Object.fromEntries(names.map((name) => [name, spreadOf(values.get(name)!)]))
}

export interface Question {
  /** Path below the version, and a statement in SQL instead of a GET. */
  ulmus(run: number): { path: string; sql?: string }
  /** Statements of the other contenders. */
  sql(run: number, name: Name): readonly string[]
  /** Numbers of an answer by Ulmus and of the others, which must be the same. */
  readonly counts: {
    readonly ulmus: (answer: never) => readonly number[]
    readonly others: (results: Answered['results']) => readonly number[]
  }
}

/** Milliseconds; infinite if Ulmus refuses a question as too costly. @throws Error if the contenders' answers differ */
export async function askAll(field: Field, question: Question, runs = 3 * field.runs): Promise<Measured> {
  const { served, path: version, others } = field
  const known = new Map<number, string>()
  const compare = (run: number, name: Name, numbers: readonly number[]) => {
    const text = String(numbers)
    const former = known.get(run) ?? text
    known.set(run, former)
    if (former !== text) throw new Error(`${name} answers otherwise: ${text}\n${former}`)
  }
  const ulmus = async (run: number) => {
    const { path, sql } = question.ulmus(run)
    const body = sql === undefined ? {} : postOf(sql)
    const asked = await timed(() => served.json(version + path, body)).catch(tooCostly)
    if (asked === undefined) return Number.POSITIVE_INFINITY
    compare(run, 'Ulmus', question.counts.ulmus(asked.value as never))
    return asked.ms
  }
  const another = (name: Name, contender: Contender) => async (run: number) => {
    const { ms, results } = await contender.ask(question.sql(run, name))
    compare(run, name, question.counts.others(results))
    return ms
  }
  const contenders = Object.entries(others) as [Name, Contender][]
  return inTurns(runs, {
    Ulmus: ulmus,
    ...Object.fromEntries(contenders.map(([name, contender]) => [name, another(name, contender)])),
  })
}

function tooCostly(error: Error): undefined {
  if (!error.message.includes('query_too_costly')) throw error
}

export const postOf = (sql: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ sql }),
})
