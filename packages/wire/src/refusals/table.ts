/** Refusals of questions about tables. */
import type { Refusal } from './refusal.ts'

export const tableRefusals = {
  unknown_field: {
    kind: 'invalid',
    sentence: (f) => `${f.reason}`,
    meaning: 'a question names a field that the table does not have; the message lists similar names',
    remedy:
      'Use a name that `…/tables` lists; a member of an object is `name.common`. Put a name with spaces or commas in double quotes. See [search, filter and SQL](queries.md).',
    members: ({ z, Issue }) => ({ issues: z.array(Issue).meta({ description: 'the faults.' }) }),
    example: {
      details: { issues: [{ path: 'sort', message: 'There is no field "nmae". Did you mean "name"?' }] },
      say: { reason: 'There is no field "nmae". Did you mean "name"?' },
    },
  },
  invalid_sql: {
    kind: 'invalid',
    sentence: (f) => `${f.reason}`,
    meaning:
      'the statement is not a single SELECT, or DuckDB refuses it; the message says why, with the line of the statement',
    remedy:
      'Correct the statement. Tables have the names of the types, columns those that `…/tables` lists; names with capitals, spaces or other signs go into double quotes. See [SQL](queries.md#sql).',
    example: { say: { reason: 'Send one statement at a time.' } },
  },
  query_too_costly: {
    kind: 'unacceptable',
    sentence: (f) =>
      f.table
        ? 'The records of this type take more memory or time to make a table than this server allows. Read `records.ndjson` instead.'
        : `The question takes ${f.memory ? 'more memory than is allowed' : `longer than the ${f.seconds} seconds that are allowed`}. Narrow it with filters, or download the table as Parquet and ask there.`,
    meaning: 'the question takes too much time or memory',
    explanation:
      'A question about a table takes too much time (5 seconds; 10 for SQL; 120 for a column of the statistics of more than 1,000,000 records; for CSV and Parquet 5 and 0.1 for each MiB of records) or memory. Or the records of the type cannot be made a table within the limits, such as many of 8 MiB with deep structure.',
    remedy:
      'Ask another question: the same one is refused at once for 5 minutes. Add filters, ask for fewer facets, or download the Parquet file and ask it on your own machine.',
    example: { say: { seconds: 5 } },
  },
  tables_unavailable: {
    kind: 'unsupported',
    sentence: (f) =>
      `This server cannot answer questions about tables: ${f.reason}. Download \`records.ndjson\` instead, or ask the operator.`,
    meaning: 'the server lacks the package that reads tables',
    explanation:
      'The server lacks the optional package `@duckdb/node-api`, or has less than 768 MiB of memory, so it cannot search, filter, or write CSV and Parquet. The message says which.',
    remedy:
      'Download `records.ndjson`. The operator installs the package: `npm install` without `--omit=optional`, on a platform for which DuckDB has a build.',
    example: { say: { reason: 'its optional package @duckdb/node-api is not installed' } },
  },
  sql_unavailable: {
    kind: 'unsupported',
    sentence: (f) =>
      `This server does not run SQL: ${f.reason}. Filters, statistics, CSV and Parquet still work.`,
    meaning: 'the operator switched SQL off, or the server could not start the process that isolates it',
    remedy:
      'Use filters, statistics, CSV or Parquet. The operator finds the reason in the message: the process needs `/bin/sh` and, on Linux, `/proc`.',
    example: { say: { reason: 'its operator switched it off' } },
  },
} satisfies Readonly<Record<string, Refusal>>
