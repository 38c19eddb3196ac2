/** Time limits of questions about tables by their kind, and a memory of questions that exceeded them. docs/limits.md#questions */
import { createHash } from 'node:crypto'
import type { Tree } from '@ulmus/content'
import { LRUCache } from 'lru-cache'
import { EngineError } from './engine/engine.ts'

const second = 1_000
/** Milliseconds to write a file of few records, and for each MiB of records: some five times what a plain file takes. */
const writing = { base: 5 * second, each: second / 10, most: 120 * second } as const
const mebibyte = 1024 ** 2
/** Tables of more records have statistics that may take longer, and more memory, than questions. */
export const largeTable = 1_000_000

/** A kind of question about a table. SQL has the limit of the operator (`SQL_SECONDS`). */
export type QuestionKind = 'rows' | 'facets' | 'statistics' | 'csv' | 'parquet'

/** CPU time that the engine may use for a question, or for one column of statistics. Milliseconds. */
export function deadlineOf(kind: QuestionKind, { count, bytes }: Pick<Tree, 'count' | 'bytes'>): number {
  switch (kind) {
    case 'csv':
    case 'parquet':
      return Math.min(writing.base + Math.ceil(bytes / mebibyte) * writing.each, writing.most)
    case 'statistics':
      return count > largeTable ? writing.most : 5 * second
    default:
      return 5 * second
  }
}

/** A question that was too costly is refused at once for this time. Milliseconds. */
export const refusedMilliseconds = 300_000
const rememberedMax = 10_000

/** Memory of this process only. */
export class CostlyQuestions<Refusal extends Error = EngineError> {
  readonly #refusals = new LRUCache<string, Refusal>({ max: rememberedMax, ttl: refusedMilliseconds })
  readonly #isCostly: (error: unknown) => error is Refusal

  constructor(isCostly: (error: unknown) => error is Refusal) {
    this.#isCostly = isCostly
  }

  /**
   * Runs `work`, unless the same question was too costly before.
   * @param question names it with its collection: equal content of others tells a caller nothing
   * @throws the earlier refusal
   */
  async run<T>(question: readonly unknown[], work: () => Promise<T>): Promise<T> {
    const key = createHash('sha256').update(JSON.stringify(question)).digest('base64')
    const refusal = this.#refusals.get(key)
    if (refusal !== undefined) throw refusal
    try {
      return await work()
    } catch (error) {
      if (this.#isCostly(error)) this.#refusals.set(key, error)
      throw error
    }
  }
}

/** True for a question to the engine that took too much time or memory. */
export const isTooCostly = (error: unknown): error is EngineError =>
  error instanceof EngineError && error.kind === 'too_costly'
