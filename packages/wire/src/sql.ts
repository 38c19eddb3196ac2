/** Shapes for questions in SQL about the tables of a version. docs/queries.md#sql */
import { z } from 'zod'
import { AnyJson } from './json.ts'
import { queryLimit } from './lists.ts'
import { tableView } from './tables.ts'

/** Rows of an SQL answer. */
export const sqlRowsMax = 10_000
const sql = z
  .string()
  .min(1)
  .meta({
    description: 'One SELECT statement of DuckDB’s SQL. Each type of the version is a table.',
    examples: ['SELECT country, count(*) AS cities FROM "City" GROUP BY country'],
  })
const sqlFormats = ['json', 'csv', 'ndjson', 'parquet'] as const
const format = z
  .enum(sqlFormats)
  .optional()
  .meta({ description: 'Form of the answer. Default: as `Accept` says, or JSON.', examples: ['csv'] })

/** Body of `POST …/sql`. */
export const SqlQuestion = z
  .strictObject({
    sql,
    limit: z
      .int()
      .min(1)
      .max(sqlRowsMax)
      .default(sqlRowsMax)
      .meta({ description: `Rows of the answer, at most ${sqlRowsMax}.`, examples: [100] }),
    format,
  })
  .meta({
    id: 'SqlQuestion',
    description: 'A question in SQL.',
    examples: [{ sql: 'SELECT country, count(*) AS cities FROM "City" GROUP BY country' }],
  })
export type SqlQuestion = z.infer<typeof SqlQuestion>

/** `GET …/sql` */
export const SqlQuery = z.strictObject({
  sql,
  limit: queryLimit(sqlRowsMax, sqlRowsMax),
  format,
  view: tableView,
})
export type SqlQuery = z.infer<typeof SqlQuery>

export const SqlAnswer = z
  .object({
    columns: z.array(
      z.object({ name: z.string(), type: z.string().meta({ description: 'Type in DuckDB.' }) }),
    ),
    rows: z.array(z.array(AnyJson)).meta({
      description: 'Integers beyond 2^53, decimals and times are texts.',
    }),
    truncated: z.boolean().meta({ description: 'True: there are more rows than `limit`, or than 16 MiB.' }),
    ms: z.number().meta({ description: 'Time of the statement in milliseconds.' }),
  })
  .meta({
    id: 'SqlAnswer',
    description: 'Rows that a statement returns.',
    examples: [
      {
        columns: [
          { name: 'country', type: 'VARCHAR' },
          { name: 'cities', type: 'BIGINT' },
        ],
        rows: [['NOR', 1]],
        truncated: false,
        ms: 1.5,
      },
    ],
  })
export type SqlAnswer = z.infer<typeof SqlAnswer>
