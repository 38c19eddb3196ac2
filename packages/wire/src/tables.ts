/**
 * Shapes for questions about the tables of a version: listing, rows, facets and statistics. A table has the records of one type, a row
 * each. docs/queries.md explains columns and filters.
 */
import { z } from 'zod'
import { AnyJson } from './json.ts'
import { queryLimit, queryOffset, repeated, repeatedMeta } from './lists.ts'
import { Count } from './text.ts'

const exampleColumns = [
  { name: '_id', path: '', type: 'text', nullable: false, private: false },
  { name: 'name', path: '/name', type: 'text', nullable: false, private: false },
  { name: 'cca2', path: '/cca2', type: 'text', nullable: false, private: false },
]

export const ColumnType = z.enum([
  'text',
  'number',
  'integer',
  'boolean',
  'date-time',
  'date',
  'file',
  'list',
  'object',
  'json',
])
export type ColumnType = z.infer<typeof ColumnType>

export const Column = z
  .object({
    name: z.string().meta({ description: 'Name in filters and SQL, unique in its table whatever the case.' }),
    path: z.string().meta({ description: 'JSON pointer to the value in the data of a record.' }),
    type: ColumnType,
    items: ColumnType.optional().meta({ description: 'Type of the items of a list.' }),
    get members() {
      return z
        .array(Column)
        .optional()
        .meta({ description: 'Members of an object, `name.common` in filters.' })
    },
    nullable: z.boolean().meta({ description: 'False: every record has a value.' }),
    private: z.boolean().meta({ description: 'True: only members of the owner and collaborators see it.' }),
    refersTo: z.string().optional().meta({ description: 'Type of the records whose ids the values are.' }),
  })
  .meta({ id: 'Column', description: 'A column of a table.', examples: [exampleColumns[1]!] })
export type Column = z.infer<typeof Column>

export const VersionTable = z
  .object({
    type: z.string(),
    records: Count,
    columns: z.array(Column),
    csv: z.object({ url: z.string() }),
    parquet: z.object({
      url: z.string(),
      state: z.enum(['ready', 'on_demand', 'unavailable']).meta({
        description:
          '`on_demand`: the first request makes the file. `unavailable`: this server cannot make it.',
      }),
      bytes: Count.nullable().meta({ description: 'Null until the file is made.' }),
      sha256: z.string().nullable().meta({ description: 'Null until the file is made.' }),
    }),
  })
  .meta({
    id: 'VersionTable',
    description: 'A table of a version: the records of one type in columns.',
    examples: [
      {
        type: 'Country',
        records: 2,
        columns: exampleColumns,
        csv: { url: '/api/collections/ada/cities/versions/v1.0.0/tables/Country.csv' },
        parquet: {
          url: '/api/collections/ada/cities/versions/v1.0.0/tables/Country.parquet',
          state: 'on_demand',
          bytes: null,
          sha256: null,
        },
      },
    ],
  })
export type VersionTable = z.infer<typeof VersionTable>

/** Answer with status 202 while a table is being built. */
export const TableBuilding = z.object({ building: z.object({ rowsDone: Count, rows: Count }) }).meta({
  id: 'TableBuilding',
  description: 'The table is being built. Ask again after `Retry-After` seconds.',
  examples: [{ building: { rowsDone: 50_000, rows: 1_000_000 } }],
})
export type TableBuilding = z.infer<typeof TableBuilding>

export const tableView = z
  .literal('public')
  .optional()
  .meta({ description: 'For members and collaborators: answer as for other readers.', examples: ['public'] })

/** Rows per page. */
export const rowsLimitUsual = 100
/** Greater limits are treated like this one. */
export const rowsLimitMax = 1_000

const q = z
  .string()
  .optional()
  .meta({
    description: 'Words, each of which must occur in some text of the record. Case and accents do not count.',
    examples: ['norway'],
  })
const filter = repeated
  .optional()
  .meta(
    repeatedMeta(
      'Filters that must all hold, each `<field> <operator> <value>`. Operators: eq, ne, lt, le, gt, ge, contains, starts, ends, in, null, notnull. [Tables](/docs/queries) explains them.',
      'cca2 eq NO',
    ),
  )
const sort = z
  .string()
  .optional()
  .meta({
    description:
      'Fields to sort by, `-` for descending. Texts are sorted by code point: `Z` before `a`. Ties by id, nulls last. `_match`: the best matches of `q` first. `_number`: the shortest ids first, which is the order of ids that are whole numbers. Default: by id.',
    examples: ['-name'],
  })
const columns = z
  .string()
  .optional()
  .meta({ description: 'Fields to return, in this order. Default: all.', examples: ['name,cca2'] })

/** `GET …/tables` and `GET …/tables/:type/statistics` */
export const TableQuery = z.strictObject({ view: tableView })
export type TableQuery = z.infer<typeof TableQuery>

/** `GET …/tables/:type/rows` */
export const RowsQuery = z.strictObject({
  q,
  filter,
  sort,
  columns,
  limit: queryLimit(rowsLimitUsual, rowsLimitMax),
  offset: queryOffset(),
  view: tableView,
})
export type RowsQuery = z.infer<typeof RowsQuery>

export const RowsPage = z
  .object({
    columns: z.array(Column).meta({ description: 'Columns of the table, or those that were asked for.' }),
    rows: z.array(z.object({ id: z.string(), data: AnyJson })).meta({
      description:
        'Data as in the record; with `columns`, an object with these fields, without those that the record lacks.',
    }),
    total: Count.meta({ description: 'Number of all matching records.' }),
    next: Count.nullable().meta({ description: '`offset` of the next page; null on the last one.' }),
  })
  .meta({
    id: 'RowsPage',
    description: 'Records that match.',
    examples: [
      {
        columns: exampleColumns.slice(1, 2),
        rows: [{ id: 'NOR', data: { name: 'Norway' } }],
        total: 1,
        next: null,
      },
    ],
  })
export type RowsPage = z.infer<typeof RowsPage>

/** `GET …/tables/:type.csv` */
export const CsvQuery = z.strictObject({
  q,
  filter,
  sort,
  columns,
  bom: z
    .literal('1')
    .optional()
    .meta({ description: 'Begin with a byte order mark, which spreadsheets expect.', examples: ['1'] }),
  view: tableView,
})
export type CsvQuery = z.infer<typeof CsvQuery>

/** `GET …/tables/:type/facets` */
export const FacetsQuery = z.strictObject({
  facet: repeated.meta(repeatedMeta('Fields whose values are counted, at most 8.', 'cca2')),
  q,
  filter,
  view: tableView,
})
export type FacetsQuery = z.infer<typeof FacetsQuery>

const ValueCount = z.object({ value: AnyJson, count: Count })

export const Facets = z
  .object({
    total: Count.meta({ description: 'Number of matching records.' }),
    facets: z.array(
      z.object({
        field: z.string(),
        values: z.array(ValueCount).meta({
          description:
            'The 30 most frequent values. Of one longer than 100 characters: the first 100 and `…`.',
        }),
        others: Count.meta({ description: 'Number of further values.' }),
      }),
    ),
  })
  .meta({
    id: 'Facets',
    description: 'Frequent values of some fields among the matching records.',
    examples: [{ total: 2, facets: [{ field: 'cca2', values: [{ value: 'NO', count: 1 }], others: 1 }] }],
  })
export type Facets = z.infer<typeof Facets>

const exampleStatistics = {
  field: 'name',
  type: 'text',
  count: 2,
  nulls: 0,
  misfits: 0,
  distinct: 2,
  min: 'Norway',
  max: 'Sweden',
  top: [{ value: 'Norway', count: 1 }],
  lengths: { min: 6, max: 6, mean: 6 },
}

export const ColumnStatistics = z
  .object({
    field: z.string(),
    type: ColumnType,
    count: Count.meta({ description: 'Records with a value.' }),
    nulls: Count,
    misfits: Count.meta({
      description: 'Values that the type of the column cannot represent. Filters and SQL see null.',
    }),
    distinct: Count.optional().meta({ description: 'Number of different values. Absent for objects.' }),
    min: AnyJson.optional(),
    max: AnyJson.optional(),
    mean: z.number().optional().meta({
      description:
        'Of dates and times: in seconds since 1970. Mean, deviation and quartiles are absent if a number is 1e150 or more.',
    }),
    standardDeviation: z.number().nullable().optional(),
    quartiles: z.array(z.number()).optional(),
    histogram: z
      .object({ from: z.number(), to: z.number(), counts: z.array(Count) })
      .optional()
      .meta({ description: '20 bins of equal width.' }),
    top: z.array(ValueCount).optional().meta({
      description:
        'The 10 most frequent values. Of one longer than 100 characters, as of `min` and `max`: the first 100 and `…`.',
    }),
    lengths: z
      .object({ min: Count, max: Count, mean: z.number() })
      .optional()
      .meta({ description: 'Characters of texts, items of lists.' }),
  })
  .meta({
    id: 'ColumnStatistics',
    description: 'Exact statistics of a column.',
    examples: [exampleStatistics],
  })
export type ColumnStatistics = z.infer<typeof ColumnStatistics>

export const TableStatistics = z
  .object({
    rows: Count,
    numbered: z.boolean().meta({
      description: 'True if all ids are whole numbers, such as `17`, which `sort=_number` orders as numbers.',
    }),
    columns: z.array(ColumnStatistics),
  })
  .meta({
    id: 'TableStatistics',
    description: 'Statistics of all columns of a table.',
    examples: [{ rows: 2, numbered: false, columns: [exampleStatistics] }],
  })
export type TableStatistics = z.infer<typeof TableStatistics>
