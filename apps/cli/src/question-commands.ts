/** Declares the commands that read and question records. Like account-commands.ts: code is in `commands/`. */
import { command } from './command.ts'
import { count, flag, limit, optional, required, several, text, trusted } from './parameters.ts'

const get = command(
  'Write records to standard output',
  () => import('./commands/versions/get.ts'),
  {
    flags: {
      where: several(
        'filter',
        "Only records that match, such as 'population gt 1000000'; repeat for several",
      ),
      search: text('words', 'Only records whose texts contain all words'),
      sort: text('fields', 'Sort by these fields, - for descending: -population,name'),
      columns: text('fields', 'Write only these fields: name,country'),
      limit: count('records', 'Maximum number of records (default: all)'),
      ndjson: flag('Write one JSON object per line (default)'),
      csv: flag('Write one type as CSV'),
      parquet: flag('Write one type as a Parquet file'),
      output: text('file', 'Output file of --parquet (default: standard output)'),
      trusted,
    },
    aliases: { o: 'output' },
    positional: {
      kind: 'tuple',
      parameters: [optional('reference', 'owner/slug, …@v1.2.0, …#Type or …#Type/id')],
    },
  },
  'With --where, --search, --sort, --columns or --limit, the registry selects records of one type. Operators of filters: eq, ne, lt, le, gt, ge, contains, starts, ends, in, null, notnull.',
  [
    'ulmus get mercator/countries#Country/NOR',
    "ulmus get mercator/countries#Country --where 'region eq Africa' --sort -area --limit 5",
    'ulmus get mercator/cities@v1.0.0#City --search tromso --columns name,country --csv',
  ],
)
const sql = command(
  'Ask a question in SQL',
  () => import('./commands/tables/sql.ts'),
  {
    flags: {
      csv: flag('Write CSV (default without a terminal)'),
      ndjson: flag('Write one JSON object per line'),
      limit: count('rows', 'Maximum number of rows (default and maximum: 10000)'),
      all: flag('Write all rows, in the order of their columns'),
    },
    positional: {
      kind: 'array',
      minimum: 1,
      maximum: 2,
      parameter: required(
        'reference and statement',
        'owner/slug or …@v1.2.0 (default: the collection of the working folder), then a SELECT, or - for standard input',
      ),
    },
  },
  'Each type of the version is a table of DuckDB’s SQL. Prints a table on a terminal, otherwise CSV.',
  [
    'ulmus sql mercator/countries "SELECT region, count(*) FROM Country GROUP BY region"',
    'ulmus sql mercator/countries@v1.0.0 "SELECT name.common, area FROM Country" --csv > areas.csv',
    'ulmus sql mercator/cities "SELECT name, country FROM City" --all > names.csv',
    'ulmus sql mercator/cities - < question.sql',
  ],
)
const stats = command(
  'Show statistics of the fields of a type',
  () => import('./commands/tables/stats.ts'),
  {
    positional: {
      kind: 'tuple',
      parameters: [optional('reference', 'owner/slug#Type or owner/slug@v1.2.0#Type')],
    },
  },
  undefined,
  [
    'ulmus stats mercator/countries#Country',
    'ulmus stats mercator/countries@v1.0.0#Country',
    'ulmus stats mercator/cities#City --json',
  ],
)

const events = command(
  'Show new versions and other changes',
  () => import('./commands/events.ts'),
  {
    flags: {
      owner: text('slug', 'Only collections of this account'),
      kind: text('kind', 'Only this kind, such as version.made'),
      after: text('number', 'Only events after this number; latest: from now on'),
      follow: flag('Wait for further events, and print each as it comes'),
      ndjson: flag('Print one JSON object per line'),
      limit,
    },
    positional: {
      kind: 'tuple',
      parameters: [optional('reference', 'owner/slug (default: all that you may see)')],
    },
  },
  'The registry keeps events for 30 days by default. --follow begins with the next event, or after --after.',
  [
    'ulmus events --owner mercator --kind version.made',
    'ulmus events mercator/cities --after 4711 --json',
    'ulmus events mercator/cities --follow --ndjson',
  ],
)

export const questionCommands = { get, sql, stats, events }
