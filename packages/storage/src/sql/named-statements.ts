/**
 * Statements of the embedded database that are planned once. PGlite itself parses, plans and describes a statement every time, in
 * six calls into its WebAssembly: 1.8 ms of CPU for the look-up of a collection, which takes 0.3 ms when it is only run.
 */
import {
  type PGlite,
  parse,
  protocol,
  type QueryOptions,
  type Results,
  type Transaction,
} from '@electric-sql/pglite'
import type { PgDialect } from 'drizzle-orm/pg-core'
import { PgliteSession } from 'drizzle-orm/pglite'

/**
 * How long a plan is used. Milliseconds. A plan that was made while a table was small reads all of it, and tables grow: on a server,
 * autovacuum notices.
 */
const planMilliseconds = 60_000

const { serialize } = protocol

type Messages = Parameters<typeof parse.parseResults>[0]

interface Planned {
  text: string
  parameterTypes: number[]
  /** What PostgreSQL says of the rows. It says it once. */
  description: Messages
  at: number
}

/** Whatever runs a statement: a database or a transaction of it. */
export type Client = PGlite | Transaction

export class NamedStatements {
  readonly #pglite: PGlite
  readonly #planned = new Map<string, Planned>()

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  /**
   * Runs a statement under a name that no other has.
   * @param on the database, or the open transaction that the statement belongs to
   */
  async run<Row>(
    on: Client,
    name: string,
    text: string,
    values: unknown[],
    options?: QueryOptions,
  ): Promise<Results<Row>> {
    const run = () => this.#pglite._runExclusiveQuery(() => this.#run<Row>(name, text, values, options))
    if (on === this.#pglite) return this.#pglite._runExclusiveTransaction(run)
    if ((on as Transaction).closed) throw new Error('The transaction has ended.')
    return run()
  }

  async #run<Row>(
    name: string,
    text: string,
    values: unknown[],
    options?: QueryOptions,
  ): Promise<Results<Row>> {
    const { parameterTypes, description } = await this.#plan(name, text)
    const { serializers, parsers } = this.#pglite
    const written = values.map((value, index) =>
      value === null || value === undefined
        ? null
        : (serializers[parameterTypes[index]!]?.(value) ?? String(value)),
    )
    const messages = await this.#send(
      serialize.bind({ statement: name, values: written }),
      serialize.execute(),
    )
    return parse.parseResults([...description, ...messages], parsers, options)[0] as Results<Row>
  }

  async #plan(name: string, text: string): Promise<Planned> {
    const known = this.#planned.get(name)
    if (known !== undefined && known.text !== text) throw new Error(`Two statements have the name ${name}.`)
    if (known !== undefined && performance.now() - known.at < planMilliseconds) return known
    this.#planned.delete(name)
    const description = await this.#send(
      serialize.close({ type: 'S', name }),
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
    )
    const planned = {
      text,
      parameterTypes: parse.parseDescribeStatementResults(description),
      description,
      at: performance.now(),
    }
    this.#planned.set(name, planned)
    return planned
  }

  /** @throws DatabaseError; the messages after the one that failed are passed over. */
  #send(...messages: Uint8Array[]): Promise<Messages> {
    return this.#pglite.execProtocolStream(Buffer.concat([...messages, serialize.sync()]), {
      syncToFs: false,
    })
  }
}

/** Drizzle's session, but for statements that were prepared under a name. */
export class PreparingSession extends PgliteSession<Record<string, never>, Record<string, never>> {
  readonly #client: Client
  readonly #dialect: PgDialect
  readonly #statements: NamedStatements

  constructor(client: Client, dialect: PgDialect, statements: NamedStatements) {
    super(client, dialect, undefined)
    this.#client = client
    this.#dialect = dialect
    this.#statements = statements
  }

  override prepareQuery: PgliteSession<Record<string, never>, Record<string, never>>['prepareQuery'] = (
    query,
    fields,
    name,
    ...rest
  ) => {
    if (name === undefined) return super.prepareQuery(query, fields, name, ...rest)
    const run: PGlite['query'] = (text, values = [], options) =>
      this.#statements.run(this.#client, name, text, values, options)
    const session = new PgliteSession({ query: run } as PGlite, this.#dialect, undefined)
    return session.prepareQuery(query, fields, name, ...rest)
  }
}
