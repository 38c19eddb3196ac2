import type { Client } from '@ulmus/client'
import { compareUtf8, type Json } from '@ulmus/content'
import type { Call, Command } from '../context.ts'
import { referenceHere } from '../folder/here.ts'
import { pathOf, type Reference } from '../reference.ts'
import { usageError } from '../terminal/failure.ts'

type GetFlags = { readonly ndjson: boolean; readonly csv: boolean }

/** `ulmus get REF --ndjson|--csv`: the records of a version, or of one type of it, as a stream. */
const get: Command<GetFlags, [reference?: string]> = async (call, flags, text) => {
  if (flags.ndjson && flags.csv) throw usageError('Take --ndjson or --csv.')
  const reference = referenceHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  if (flags.csv) return writeCsv(call, client, reference)
  const { version = 'latest', type, id } = reference
  if (type !== undefined && id !== undefined)
    return call.line(JSON.stringify(await client.records.one(pathOf(reference), version, type, id)))
  await inBatches(call, client, reference, type, (record) => JSON.stringify(record))
}

/** Lines that are written at once. */
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
  const types = Object.keys(schemas).filter((type) => (typeCounts[type] ?? 0) > 0)
  const type = reference.type ?? (types.length === 1 ? types[0] : undefined)
  if (type === undefined)
    throw usageError(
      `A table is of one type. ${pathOf(reference)} has ${types.join(', ') || 'none'}.`,
      types.map((name) => `ulmus get '${pathOf(reference)}#${name}' --csv`),
    )
  const fixed = { ...reference, version: semver }
  const columns = await columnsOf(
    call,
    client,
    fixed,
    schemas[type] as { properties?: object } | undefined,
    type,
  )
  await call.line(['id', ...columns].map(csvCell).join(','))
  await inBatches(call, client, fixed, type, ({ id, data }) =>
    [id, ...columns.map((name) => memberOf(data as Json, name))].map(csvCell).join(','),
  )
}

/** Fields that the schema lists; of one that lists none, those that the records have, which reads them twice. */
async function columnsOf(
  call: Call,
  client: Client,
  reference: Reference,
  schema: { properties?: object } | undefined,
  type: string,
): Promise<string[]> {
  if (schema?.properties !== undefined) return Object.keys(schema.properties)
  const names = new Set<string>()
  for await (const { data } of client.records.ndjson(pathOf(reference), reference.version, {
    type,
    signal: call.signal,
  })) {
    if (typeof data === 'object' && data !== null && !Array.isArray(data))
      for (const name of Object.keys(data)) names.add(name)
  }
  return [...names].sort(compareUtf8)
}

function memberOf(data: Json, name: string): Json | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
  return Object.hasOwn(data, name) ? data[name] : undefined
}

/** RFC 4180. Nested values are JSON; null and absent are empty, an empty text is `""`. */
function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export default get
