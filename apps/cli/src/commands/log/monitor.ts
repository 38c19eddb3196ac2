import { type Client, UlmusError } from '@ulmus/client'
import type { Call, Command } from '../../context.ts'
import { type Duplicate, readLeaves } from '../../log/leaves.ts'
import { type PolicyFlag, refusing, withLog } from '../../log/open-log.ts'
import { type CollectionReport, checkCollection } from '../../log/statements.ts'
import { parseReference, pathOf } from '../../reference.ts'
import type { Connection } from '../../session/connect.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { timeText } from '../../terminal/table.ts'
import { counted, numberText } from '../../terminal/words.ts'

interface LogReport {
  readonly host: string
  readonly origin: string
  readonly size: number
  /** Entries since last time. */
  readonly fresh: number
  readonly duplicates: readonly Duplicate[]
  readonly collections: readonly CollectionReport[]
  /** Collections that the registry does not show. */
  readonly absent: readonly string[]
}

/** `ulmus log monitor REF…`: reads the entries since last time and compares them with what the registry says. Exits with 1 if it lies. */
const monitor: Command<PolicyFlag, string[]> = async (call, flags, ...references) => {
  const registries = new Map<string, { connection: Connection; collections: string[] }>()
  for (const text of references) {
    const reference = parseReference(text)
    const connection = await call.connect({ host: reference.host })
    const registry = registries.get(connection.host) ?? { connection, collections: [] }
    registry.collections.push(pathOf(reference))
    registries.set(connection.host, registry)
  }
  const reports: LogReport[] = []
  for (const { connection, collections } of registries.values())
    reports.push(await monitored(call, flags, connection, collections))
  const findings = reports.flatMap(findingsIn)
  if (findings.length > 0) call.terminal.fail(exitCodes.failed)
  if (flags.json) return call.json({ findings, logs: reports })
  for (const report of reports) summarize(call, report)
  for (const finding of findings) await call.line(finding)
}

async function monitored(
  call: Call,
  flags: PolicyFlag,
  connection: Connection,
  collections: readonly string[],
): Promise<LogReport> {
  const { client, host } = connection
  const found = await withLog(call, connection, flags, async (log) => {
    const leaves = await readLeaves(call.terminal.env, log)
    const ids: Record<string, string> = {}
    for (const collection of collections) {
      const id = await idOf(client, collection)
      if (id !== undefined) ids[collection] = id
    }
    return { checkpoint: log.checkpoint, leaves, known: log.collections, collections: ids }
  })
  if (found === undefined)
    throw new CommandError(`${host} signs no log, so there is nothing to monitor.`, {
      code: 'log_unavailable',
    })
  const { leaves, checkpoint, known } = found
  const reports: CollectionReport[] = []
  for (const [collection, id] of Object.entries(found.collections)) {
    const report = await refusing(host, () => checkCollection(client, collection, id, leaves))
    const isOther = Object.hasOwn(known, collection) && known[collection] !== id
    const other = `${collection}: This is another collection than before: its id is ${id}, and was ${known[collection]}.`
    reports.push({ ...report, findings: [...(isOther ? [other] : []), ...report.findings] })
  }
  const { origin, size } = checkpoint
  const { duplicates, before } = leaves
  const absent = collections.filter((collection) => !Object.hasOwn(found.collections, collection))
  return { host, origin, size, fresh: size - before, duplicates, collections: reports, absent }
}

/** @returns undefined for a collection that is not there, or not shown to the caller */
const idOf = (client: Client, collection: string): Promise<string | undefined> =>
  client.collections.get(collection).then(
    ({ id }) => id,
    (error: unknown) => {
      if (error instanceof UlmusError && error.code === 'collection_not_found') return undefined
      throw error
    },
  )

const findingsIn = ({ host, duplicates, collections, absent }: LogReport): string[] => [
  ...duplicates.map(
    ({ first, second }) =>
      `${host}: Entries ${first} and ${second} of the log have one slot: the registry has said two things about one change of a collection.`,
  ),
  ...collections.flatMap(({ findings }) => findings),
  ...absent.map(
    (collection) =>
      `${collection}: There is no such collection, or you cannot see it. If you deleted it, leave it out.`,
  ),
]

function summarize(call: Call, { host, size, fresh, collections }: LogReport): void {
  call.say(`${host}: the log has ${counted(size, 'entry')}, ${numberText(fresh)} of them new.`)
  for (const { collection, statements, erased, older, fresh: made } of collections) {
    const facts = [
      counted(statements, 'statement'),
      ...(erased > 0 ? [`${numberText(erased)} of them erased`] : []),
      ...(older > 0 ? [`${counted(older, 'version')} without a statement`] : []),
    ]
    call.say(`${collection}: ${facts.join(', ')}.`)
    for (const { kind, semver, name, at } of made)
      call.say(`  new: ${kind} ${semver ?? name}, ${timeText(at)}`)
  }
}

export default monitor
