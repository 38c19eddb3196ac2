/**
 * Interface of the database, the only one that other code uses: PostgreSQL in this process, or on a server, with one driver and the same
 * statements and migrations. Opened by open.ts.
 */
export { isDatabaseAway, isUnavailable } from '../errors/unavailable.ts'
export { FolderInUseError } from './embedded/folder-lock.ts'
export {
  DatabaseUnfitError,
  isForeignKeyViolation,
  isUniqueViolation,
  isUnstorableText,
} from './sql-errors.ts'

/** Runs statements: the database itself or an open transaction. */
export interface Queries {
  /**
   * Runs SQL with `$1`… parameters. Without parameters, the text may contain several statements; the rows of all are then returned in
   * order. `bigint` is returned as a number, up to 2^53 − 1; `numeric`, such as a sum of `bigint`, as text. CI compares
   * `Row` with the columns that PostgreSQL describes (testing/rows).
   * @param name unique name of a frequent statement, which is then planned once per connection.
   */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: unknown[],
    name?: string,
  ): Promise<{ rows: Row[] }>
  /** Runs a statement that nearly every request makes and that reads a row or two by key: see look-ups.ts. */
  lookUp<Row>(text: string, values: unknown[], name: string): Promise<{ rows: Row[] }>
}

declare const inTransaction: unique symbol

/** An open transaction. Functions that write require one. */
export interface Tx extends Queries {
  readonly [inTransaction]: true
}

/** An open database, shared by all requests of the process. */
export interface Database extends Queries {
  readonly kind: 'embedded' | 'server'
  /**
   * Runs `work` in one transaction (read committed): committed and durable when this resolves, rolled back when `work` rejects.
   * On a server, a serialization failure or deadlock (40001, 40P01) runs `work` again, up to 3 more times, so `work` must have no
   * effects but its statements. Inside it use `tx` only: a statement on the database itself is refused, because the embedded database
   * would wait for the transaction forever.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Like `transact` for a `work` that makes a single statement, by `query`: the statement commits by itself, without `begin` and `commit`.
   */
  transactOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Tells the listeners of all processes on this database. At most once and without a guarantee: a process without a connection misses it.
   * @param topic at most 100 characters
   */
  notify(topic: string): Promise<void>
  /** Calls `heard` with each topic that a process tells, this one included. */
  listen(heard: (topic: string) => void): void
  /** Connections of the pool for transactions and for statements other than look-ups; `waiting` counts callers without a connection. */
  connections(): { open: number; idle: number; waiting: number }
  /** Cheap; rejects when the database does not answer. */
  ping(): Promise<void>
  /** Waits for open transactions before closing. */
  close(): Promise<void>
}
