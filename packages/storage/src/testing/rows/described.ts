/** Columns that a statement returns, as a PostgreSQL server describes them without running it. */
import pg from 'pg'
import type { ValueKind } from './declared.ts'

export interface DescribedColumn {
  readonly kind: ValueKind
  /** True for a column of a table that may be null; unknown for expressions, and for the outer side of a join. */
  readonly mayBeNull: boolean
}

/** By name, in order. */
export type DescribedRow = ReadonlyMap<string, DescribedColumn>

interface Field {
  readonly name: string
  readonly tableID: number
  readonly columnID: number
  readonly dataTypeID: number
}

const undefinedTable = '42P01'

const { builtins } = pg.types
const kinds: Readonly<Record<number, ValueKind>> = {
  ...Object.fromEntries(
    [builtins.INT2, builtins.INT4, builtins.INT8, builtins.FLOAT4, builtins.FLOAT8, builtins.OID].map(
      (type) => [type, 'number'],
    ),
  ),
  ...Object.fromEntries(
    [builtins.TEXT, builtins.VARCHAR, builtins.BPCHAR, builtins.UUID, builtins.NUMERIC].map((type) => [
      type,
      'string',
    ]),
  ),
  [builtins.BOOL]: 'boolean',
  [builtins.BYTEA]: 'bytes',
  [builtins.TIMESTAMPTZ]: 'Date',
}

/** Undefined for a table that is not there, such as a temporary one. */
export type Describe = (text: string) => Promise<DescribedRow | undefined>

/** @param client of a database with all tables */
export async function describer(client: pg.Client): Promise<Describe> {
  const { rows } = await client.query<{ place: string }>(
    `select attrelid::int || '.' || attnum as place from pg_attribute where attnum > 0 and not attnotnull`,
  )
  const nullable = new Set(rows.map(({ place }) => place))
  const { rows: lists } = await client.query<{ oid: number }>(
    `select oid::int from pg_type where typcategory = 'A'`,
  )
  const isList = new Set(lists.map(({ oid }) => oid))
  return async (text) => {
    const fields = await fieldsOf(client, text)
    if (fields === undefined) return undefined
    return new Map(
      fields.map(({ name, tableID, columnID, dataTypeID }) => [
        name,
        {
          kind: isList.has(dataTypeID) ? 'list' : (kinds[dataTypeID] ?? 'other'),
          mayBeNull: nullable.has(`${tableID}.${columnID}`),
        },
      ]),
    )
  }
}

/** Asks the server to parse and to describe. Undefined: a table is not there. @throws pg.DatabaseError for an invalid statement */
function fieldsOf(client: pg.Client, text: string): Promise<readonly Field[] | undefined> {
  return new Promise((resolve, reject) => {
    let fields: readonly Field[] = []
    const statement = {
      submit(connection: {
        parse(query: { text: string }): void
        describe(what: { type: 'S' }): void
        sync(): void
      }) {
        connection.parse({ text })
        connection.describe({ type: 'S' })
        connection.sync()
      },
      handleRowDescription(message: { fields: readonly Field[] }) {
        fields = message.fields
      },
      // After an error the client waits for the server, and calls the statement no more.
      handleError(error: pg.DatabaseError) {
        if (error.code === undefinedTable) resolve(undefined)
        else reject(error)
      },
      handleReadyForQuery() {
        resolve(fields)
      },
    }
    client.query(statement as unknown as pg.Submittable)
  })
}
