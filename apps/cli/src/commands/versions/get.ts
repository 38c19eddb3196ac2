import type { Client } from '@ulmus/client'
import { compareUtf8, fieldNames, type Json, knownFieldsOf, type PlainSchema } from '@ulmus/content'
import { csvOf, type Field, fieldsOf, TableError } from '@ulmus/tabular'
import { command, noun } from '../../command.ts'
import type { Call, TrustedFlag } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { count, flag, optional, several, text, trusted } from '../../parameters.ts'
import { pathOf, type Reference } from '../../reference.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { jsonText } from '../../terminal/harmless.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { typeOf } from '../tables/building.ts'
import { type SelectionFlags, selects, writeParquet, writeRows } from '../tables/rows.ts'

type GetFlags = SelectionFlags &
  TrustedFlag & {
    readonly ndjson: boolean
    readonly csv: boolean
    readonly parquet: boolean
    readonly output?: string
  }

/** `ulmus get REF`: streams the records of a version or of one of its types, those that match, or a type as Parquet. */
const get = command<GetFlags, [reference?: string]>({
  brief: 'Write records to standard output',
  description:
    'With --where, --search, --sort, --columns or --limit, the registry selects records of one type. Operators of filters: eq, ne, lt, le, gt, ge, contains, starts, ends, in, null, notnull.',
  examples: [
    'ulmus get mercator/countries#Country/NOR',
    "ulmus get mercator/countries#Country --where 'region eq Africa' --sort -area --limit 5",
    'ulmus get mercator/cities@v1.0.0#City --search tromso --columns name,country --csv',
  ],
  page: 'Write records to standard output: `--ndjson` (default), or `--csv` for one type ([columns](#tables)). Resumes after a broken connection. `--where`, `--search`, `--sort`, `--columns` and `--limit` [select records](#select-records) of one type. `--parquet` writes a type as a Parquet file, to standard output or to `-o`, `--output`',
  flags: {
    where: several('filter', "Only records that match, such as 'population gt 1000000'; repeat for several"),
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
  run: async (call, flags, text) => {
    demandUsable(flags)
    const reference = referenceHere(call.terminal.cwd, text)
    if (reference.id !== undefined && (selects(flags) || flags.parquet))
      throw usageError(
        `\`#${reference.type}/${reference.id}\` is one record. Name a type, such as \`#${reference.type}\`, to select records of it.`,
      )
    const { client } = await call.connect({
      host: reference.host,
      jobOf: flags.trusted ? pathOf(reference) : undefined,
    })
    if (flags.parquet) return writeParquet(call, client, reference, flags)
    if (selects(flags)) return writeRows(call, client, reference, flags)
    if (flags.csv) return writeCsv(call, client, reference)
    const { version = 'latest', type, id } = reference
    if (type !== undefined && id !== undefined)
      return call.line(jsonText(await client.records.one(pathOf(reference), version, type, id)))
    await inBatches(call, client, reference, type, (record) => jsonText(record))
  },
})

/** @throws CommandError (usage) for flags that exclude each other */
function demandUsable(flags: GetFlags): void {
  const forms = (['ndjson', 'csv', 'parquet'] as const).filter((form) => flags[form])
  if (forms.length > 1)
    throw usageError(`${forms.map((form) => `--${form}`).join(' and ')} exclude each other. Use one of them.`)
  if (flags.parquet && selects(flags))
    throw usageError('--parquet writes the whole table. Use --csv or --ndjson for a selection.')
  if (flags.output !== undefined && !flags.parquet)
    throw usageError('--output names the file of --parquet. Redirect other forms with `>`.')
}

/** Lines per write. */
const batchSize = 500

async function inBatches(
  call: Call,
  client: Client,
  reference: Reference,
  type: string | undefined,
  render: (record: { id: string; type: string; data: unknown; hash: string }) => string,
): Promise<void> {
  let batch: string[] = []
  const { version = 'latest' } = reference
  for await (const record of client.records.ndjson(pathOf(reference), version, {
    type,
    signal: call.signal,
  })) {
    batch.push(render(record))
    if (batch.length < batchSize) continue
    await call.terminal.write(`${batch.join('\n')}\n`)
    batch = []
  }
  if (batch.length > 0) await call.terminal.write(`${batch.join('\n')}\n`)
}

async function writeCsv(call: Call, client: Client, reference: Reference): Promise<void> {
  const { version = 'latest' } = reference
  const { semver, schemas, typeCounts } = await client.versions.get(pathOf(reference), version)
  const type = typeOf(
    reference,
    { schemas, typeCounts },
    '--csv writes one type at a time.',
    (one) => `ulmus get ${shellWord(one)} --csv`,
  )
  const stream = () => client.records.ndjson(pathOf(reference), semver, { type, signal: call.signal })
  // If a schema has `properties`, the registry refuses members that it does not list; without them it accepts any.
  const isListed = knownFieldsOf(schemas[type] as Json) !== undefined
  const fields = isListed ? fieldsInOrder(schemas[type]) : await fieldsIn(stream())
  try {
    for await (const piece of csvOf(stream(), fields)) await call.terminal.write(piece)
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    throw new CommandError(
      `The table is incomplete. ${error.message} Use --ndjson, which can write every record.`,
      {
        code: 'no_table',
        cause: error,
        next: [`ulmus get ${shellWord(`${pathOf(reference)}@${semver}#${type}`)} --ndjson`],
      },
    )
  }
}

function fieldsInOrder(schema: unknown): Field[] {
  const fields = new Map(fieldsOf(schema).map((field) => [field.name, field]))
  return fieldNames(schema as PlainSchema).map((name) => fields.get(name)!)
}

/** Fields of a type whose schema lists none. Reads all records to find them. */
async function fieldsIn(records: AsyncIterable<{ data: unknown }>): Promise<Field[]> {
  const names = new Set<string>()
  for await (const { data } of records) {
    if (typeof data === 'object' && data !== null && !Array.isArray(data))
      for (const name of Object.keys(data)) names.add(name)
  }
  return [...names].sort(compareUtf8).map((name) => ({ name, kind: 'any' }))
}

export default noun({
  section: 'Reading',
  words: {
    get: {
      command: get,
      group: 'Read',
      place: 30,
      line: ['get REF --csv', 'write records for other programs'],
    },
  },
})
