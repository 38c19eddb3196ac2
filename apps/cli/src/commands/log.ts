/** Commands for the versions of a collection in order, and for the signed log. */
import { buildRouteMap } from '@stricli/core'
import { type Client, UlmusError } from '@ulmus/client'
import { LogError } from '@ulmus/client/log'
import { parseSemver } from '@ulmus/content'
import { counted, countText } from '@ulmus/content/quantities'
import type { LogStatement } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import type { Call } from '../context.ts'
import { referenceHere } from '../folder/base/here.ts'
import { readKnownLog, replaceKnownLog } from '../log/known-logs.ts'
import { type Duplicate, leavesMax, readLeaves } from '../log/leaves.ts'
import { changedCollections, differencesOf, type PolicyFlag, refusing, withLog } from '../log/open-log.ts'
import { type CollectionReport, checkCollection, listStatements, readStatement } from '../log/statements.ts'
import { flag, limit, optional, policy, required } from '../parameters.ts'
import { parseReference, pathOf } from '../reference.ts'
import { type Connection, hostOf } from '../session/connect.ts'
import { confirmTyped } from '../terminal/ask.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { CommandError, usageError } from '../terminal/failure.ts'
import { table, timeText } from '../terminal/table.ts'
import { limited } from './limited.ts'
import { jobText } from './versions/job.ts'

const reference = {
  kind: 'tuple',
  parameters: [optional('owner/slug', 'Collection (default: the one of the working folder)')],
} as const

type LogFlags = { readonly limit?: number }

/** `ulmus log [REF]`: lists versions, newest first, with the level of each change. */
const list = command<LogFlags, [reference?: string]>({
  brief: 'List versions, newest first',
  section: 'Reading',
  page: 'List versions, newest first, with the level of change, the author or the CI job, and marks `deprecated` and `withdrawn`; `--limit` (default: 50)',
  flags: { limit },
  positional: reference,
  run: async (call, flags, text) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const { client } = await call.connect({ host: reference.host })
    const versions = await limited(call, client.versions.listAll(pathOf(reference)), flags.limit)
    if (flags.json) return call.json(versions)
    await call.terminal.page()
    const rows = versions.map((version) => [
      version.semver,
      levelOf(version.semver),
      timeText(version.createdAt),
      jobText(version.workload) || (version.actor?.slug ?? ''),
      countText(version.recordCount),
      version.hash.replace(/^(\w+:.{12}).*$/, '$1'),
      version.withdrawn ? 'withdrawn' : version.deprecated ? 'deprecated' : '',
      version.message ?? '',
    ])
    await table(call, ['version', 'change', 'made', 'by', 'records', 'digest', 'state', 'message'], rows)
  },
})

/** Level of the change: the last part of the version number that is not 0. */
function levelOf(semver: string): string {
  const { major, minor, patch } = parseSemver(semver) ?? { major: 0, minor: 0, patch: 0 }
  if (patch > 0) return 'patch'
  if (minor > 0) return 'minor'
  return major === 1 ? 'first' : 'major'
}

/** `ulmus log show [REF]`: lists the statements of the log about a collection, oldest first. Verifies nothing. */
const show = command<Record<never, never>, [reference?: string]>({
  brief: 'List what the signed log says about a collection',
  page: 'List the statements of the log about a collection: number, entry, kind, version, name, time, public digest',
  positional: reference,
  run: async (call, flags, text) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const { client, host } = await call.connect({ host: reference.host })
    const statements = await refusing(host, async () => {
      const { size } = await client.log.get()
      if (size > leavesMax) throw new LogError(`The log has ${size} entries, more than ulmus can list.`)
      return listStatements(client, pathOf(reference), size)
    })
    if (flags.json) return call.json(statements)
    await call.terminal.page()
    const rows = await refusing(host, async () => statements.map(rowOf))
    await table(call, ['number', 'entry', 'statement', 'version', 'name', 'made', 'public digest'], rows)
  },
})

function rowOf(one: LogStatement): string[] {
  const place = [String(one.seq), String(one.index)]
  if ('erased' in one) return [...place, 'erased', '', '', '', '']
  const { kind, semver, name, at, public: digest } = readStatement(one)
  return [...place, kind, semver ?? '', name, timeText(at), digest?.slice(0, 12) ?? '']
}

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

/** `ulmus log monitor REF…`: reads the entries since last time and compares them with the answers of the registry. Exits with status 1 if they disagree. */
const monitor = command<PolicyFlag, string[]>({
  brief: 'Read new entries of the signed log, and compare them with your collections',
  description: 'Exits with status 1 if the registry contradicts its log. Run it every day.',
  examples: ['ulmus log monitor ada/cities ada/birds --quiet'],
  page: 'For publishers: read the new entries, and compare them with your collections. Run it every day. `--policy FILE` as for `verify`',
  flags: { policy },
  positional: { kind: 'array', minimum: 1, parameter: required('owner/slug', 'Your collections') },
  run: async (call, flags, ...references) => {
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
  },
})

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
  call.say(`${host}: the log has ${counted(size, 'entry', 'entries')}, ${countText(fresh)} of them new.`)
  for (const { collection, statements, erased, older, fresh: made } of collections) {
    const facts = [
      counted(statements, 'statement'),
      ...(erased > 0 ? [`${countText(erased)} of them erased`] : []),
      ...(older > 0 ? [`${counted(older, 'version')} without a statement`] : []),
    ]
    call.say(`${collection}: ${facts.join(', ')}.`)
    for (const { kind, semver, name, at } of made)
      call.say(`  new: ${kind} ${semver ?? name}, ${timeText(at)}`)
  }
}

type TrustFlags = { readonly yes: boolean }

/** `ulmus trust REGISTRY`: prints how its log differs from the saved one, then forgets its saved key. The next verification saves the new one. */
const trust = command<TrustFlags, [registry: string]>({
  brief: 'Forget the remembered log of a registry',
  description:
    'First prints how the log and the verified collections differ from the saved ones. The next verification saves the new ones.',
  page: 'Print how the log of a registry differs from the remembered one, and which verified collections have another id, and forget both. Asks you to type the address, unless `--yes`',
  flags: { yes: flag('Skip the confirmation') },
  positional: { kind: 'tuple', parameters: [required('registry', 'Address of the registry')] },
  run: async (call, flags, registry) => {
    const { env } = call.terminal
    const host = hostOf(registry)
    if (flags.host !== undefined && hostOf(flags.host) !== host)
      throw usageError(`\`${registry}\` and --host name different registries. Leave out --host.`)
    const known = readKnownLog(env, host)
    if (known === undefined) throw new CommandError(`Nothing is remembered of a log of ${host}.`)
    const { client } = await call.connect({ host, withoutKey: true })
    const differences = await differencesOf(client, known).then(
      async (ofLog) => [...ofLog, ...(await changedCollections(client, known))],
      (error: Error) => [`The log cannot be read now: ${error.message}`],
    )
    for (const line of differences.length === 0 ? ['Nothing differs.'] : differences) call.warn(line)
    if (!flags.yes) {
      const loss = `Then the next verification trusts any log of ${host}.`
      await confirmTyped(call.terminal, loss, host, 'Nothing was forgotten.')
    }
    if (!(await replaceKnownLog(env, host, known, undefined)))
      throw new CommandError('Another ulmus has changed known_logs meanwhile. Try again.')
    if (flags.json) return call.json({ host, differences, forgotten: known })
    call.say(
      `The log of ${host} is forgotten: ${known.origin} with ${counted(known.size, 'entry', 'entries')}.`,
    )
  },
})

const log = buildRouteMap({
  docs: { brief: 'List versions; show and monitor the signed log' },
  defaultCommand: 'list',
  routes: { list, show, monitor },
})

export default noun({
  section: 'The signed log',
  words: {
    log: { command: log, group: 'Read', place: 20 },
    trust: {
      command: trust,
      group: 'Read',
      place: 90,
      line: ['log monitor, trust', 'watch the signed log; forget a registry’s log'],
    },
  },
})
