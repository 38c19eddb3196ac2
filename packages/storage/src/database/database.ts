/** The database: PostgreSQL in process, or on a server. One interface, one driver, the same statements and migrations. */
export { isUnavailable } from '../errors/unavailable.ts'
export { FolderInUse } from './embedded/folder-lock.ts'
export { DatabaseUnfit, isForeignKeyViolation, isUniqueViolation, isUnstorableText } from './sql-errors.ts'

/** Runs statements: the database itself or an open transaction. */
export interface Queries {
  /**
   * SQL with `$1`… parameters. Without parameters it may hold several statements; the rows are then those of all, in order.
   * `bigint` comes as a number, up to 2^53 − 1; `numeric`, such as a sum of those, as text. Nothing checks the rows against `Row`.
   * @param name of a statement that is made often, which then is planned once a connection. No other has it.
   */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: unknown[],
    name?: string,
  ): Promise<{ rows: Row[] }>
  /** The same for a statement that nearly every request makes, and that reads a row or two by a key: see look-ups.ts. */
  lookUp<Row>(text: string, values: unknown[], name: string): Promise<{ rows: Row[] }>
}

declare const inTransaction: unique symbol

/** An open transaction. Statements that write demand one. */
export interface Tx extends Queries {
  readonly [inTransaction]: true
}

export interface Database extends Queries {
  readonly kind: 'embedded' | 'server'
  /**
   * Runs `work` in one transaction (read committed): committed and durable when this resolves, rolled back when `work` rejects.
   * On a server, a serialization failure or deadlock (40001, 40P01) runs it again, up to 3 times more, so `work` must have no
   * effects but its statements. Inside it use `tx` only: a statement on the database itself is refused, because embedded it
   * would wait for the transaction for ever.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The same where `work` makes a single statement, by `query`: it commits by itself, without a `begin` and a `commit` around it. */
  transactOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Of the pool for transactions and for statements that are no look-ups; `waiting`: those who have none yet. */
  connections(): { open: number; idle: number; waiting: number }
  /** Cheap; rejects when the database does not answer. */
  ping(): Promise<void>
  /** Waits for open transactions. */
  close(): Promise<void>
}
