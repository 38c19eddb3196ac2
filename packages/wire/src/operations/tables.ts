/** Operations that ask questions about the tables of a version. docs/queries.md. */
import { z } from 'zod'
import { bytesOf, operation } from '../operation.ts'
import { TablePath, VersionPath } from '../paths.ts'
import { SqlAnswer, SqlQuery, SqlQuestion } from '../sql.ts'
import {
  CsvQuery,
  Facets,
  FacetsQuery,
  RowsPage,
  RowsQuery,
  TableBuilding,
  TableQuery,
  TableStatistics,
  VersionTable,
} from '../tables.ts'
import { reading } from './versions.ts'

const tableReading = ['type_not_found', ...reading, 'tables_unavailable', 'query_too_costly'] as const
const asking = ['unknown_field', ...tableReading] as const

const sqlWords =
  'Requires a credential unless the operator opened SQL to the public. Each type is a table by its name, with the columns that `…/tables` lists. The statement must be a single SELECT (also WITH, FROM, VALUES); files, extensions and settings cannot be reached. At most 10 seconds, 10,000 rows and 16 MiB. With `format`, or `Accept: text/csv`, `application/x-ndjson` or `application/vnd.apache.parquet`, the rows come in that form.'
const sqlForms = {
  ...bytesOf('text/csv', 'Rows as CSV.').content,
  ...bytesOf('application/x-ndjson', 'Rows as NDJSON.').content,
  ...bytesOf('application/vnd.apache.parquet', 'Rows as a Parquet file.').content,
}
const sqlRefusals = [
  'invalid_sql',
  ...reading,
  'sql_unavailable',
  'tables_unavailable',
  'query_too_costly',
] as const

export const tableOperations = {
  'GET /api/collections/:owner/:slug/versions/:v/tables': operation({
    id: 'listTables',
    tag: 'tables',
    summary: 'List tables of a version',
    description:
      'Lists the types of a version as tables: the columns that filters, statistics and SQL use, and the addresses of CSV and Parquet files. Columns follow the schema of the type in the order of the publisher.',
    names: 'version',
    params: VersionPath,
    query: TableQuery,
    answers: { 200: z.array(VersionTable) },
    answerWords: { 200: 'A table for each type; empty if the version has no types.' },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/tables/:type/rows': operation({
    id: 'listRows',
    tag: 'tables',
    summary: 'Search, filter and sort records',
    description:
      'Returns the records of a type that match words and filters, in the requested order, with their data as in the version. The URL of a version that is named by number or digest is a permanent query. The first question about a type builds its table: an answer that takes longer than 2 seconds is 202 with the progress.',
    names: 'version',
    params: TablePath,
    query: RowsQuery,
    answers: { 200: RowsPage, 202: TableBuilding },
    refusals: asking,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/tables/:type/facets': operation({
    id: 'listFacets',
    tag: 'tables',
    summary: 'Count values of fields',
    description:
      'Returns the 30 most frequent values of each `facet` field among the records that match, with their counts, and the number of further values. Items of lists count one by one.',
    names: 'version',
    params: TablePath,
    query: FacetsQuery,
    answers: { 200: Facets, 202: TableBuilding },
    refusals: asking,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/tables/:type/statistics': operation({
    id: 'getStatistics',
    tag: 'tables',
    summary: 'Get statistics of all columns',
    description:
      'Returns exact statistics of each column of a type: counts, nulls, different values, range, mean, quartiles, a histogram of 20 bins and the 10 most frequent values. They are computed once for each table.',
    names: 'version',
    params: TablePath,
    query: TableQuery,
    answers: { 200: TableStatistics, 202: TableBuilding },
    refusals: tableReading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/tables/:type.csv': operation({
    id: 'downloadCsv',
    tag: 'tables',
    summary: 'Download records as CSV',
    description:
      'Returns the records of a type that match as CSV in UTF-8, with a header. A missing value and null are empty, an empty text is `""`; lists and objects are JSON. Takes the words, filters, order and columns of `…/rows`. Waits for up to a minute while the table is built.',
    names: 'version',
    params: TablePath,
    query: CsvQuery,
    answers: { 200: bytesOf('text/csv', 'Rows as CSV.'), 202: TableBuilding },
    refusals: asking,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/tables/:type.parquet': operation({
    id: 'downloadParquet',
    tag: 'tables',
    summary: 'Download records as Parquet',
    description:
      'Returns all records of a type as a Parquet file, ordered by id. A `Range` header with one range is supported, so that readers fetch only the columns that they need. The bytes depend on the release of the server; the exact form of the records is `records.ndjson`.',
    names: 'version',
    params: TablePath,
    query: TableQuery,
    headers: [
      { name: 'Range', description: 'One range of bytes.', example: 'bytes=0-3' },
      {
        name: 'If-Range',
        description: '`ETag` that the file must match; otherwise the whole file is returned.',
        example: '"5f1d3c0e9a7b48263d15c4f0b8e29a76"',
      },
    ],
    answers: {
      200: bytesOf('application/vnd.apache.parquet', 'The file.'),
      202: TableBuilding,
      206: bytesOf('application/vnd.apache.parquet', 'The bytes of the requested range.'),
    },
    refusals: [...tableReading, 'range_not_satisfiable'],
  }),
  'GET /api/collections/:owner/:slug/versions/:v/sql': operation({
    id: 'querySql',
    tag: 'tables',
    summary: 'Ask a question in SQL by URL',
    description: `Runs a statement on the tables of a version. ${sqlWords}`,
    tagged: false,
    params: VersionPath,
    query: SqlQuery,
    answers: { 200: SqlAnswer, 202: TableBuilding },
    otherForms: sqlForms,
    refusals: sqlRefusals,
  }),
  'POST /api/collections/:owner/:slug/versions/:v/sql': operation({
    id: 'runSql',
    tag: 'tables',
    summary: 'Ask a question in SQL',
    description: `Runs a statement on the tables of a version and changes nothing. ${sqlWords}`,
    params: VersionPath,
    body: SqlQuestion,
    answers: { 200: SqlAnswer, 202: TableBuilding },
    otherForms: sqlForms,
    refusals: sqlRefusals,
  }),
}
