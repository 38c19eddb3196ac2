/** Opens a registry from its configuration: opens stores, creates services, starts background work. Closes in reverse order. */
import { join } from 'node:path'
import { nameDatabaseState, openObjectReader } from '@ulmus/storage'
import { requestRatesOf } from './access/request-rates.ts'
import { accountsOf } from './accounts/accounts.ts'
import { sessionsOf } from './accounts/browser-sessions.ts'
import { collaboratorsOf } from './accounts/collaborators.ts'
import { deviceLoginsOf } from './accounts/device-logins.ts'
import { invitationsOf } from './accounts/invitations.ts'
import { keysOf } from './accounts/keys.ts'
import { membersOf } from './accounts/members.ts'
import { auditOf } from './audit/audit.ts'
import { serveDumps } from './backups/channel.ts'
import { AnswerBudget } from './budgets/answer-budget.ts'
import { BodyBudget } from './budgets/body-budget.ts'
import { clockOf } from './clock.ts'
import { collectionsOf } from './collections/collections.ts'
import { forksOf } from './collections/forks.ts'
import { CommitCounters } from './commit-counters.ts'
import type { Context } from './context.ts'
import { eventsOf } from './events/events.ts'
import { exportsOf } from './exports/exports.ts'
import { filesOf } from './files/files.ts'
import type { TrustedIssuer } from './issuers.ts'
import { jobsOf } from './jobs.ts'
import { type Limits, noOperators, type OperatorsConfig } from './limits.ts'
import { scheduleMails } from './mails/mails.ts'
import { memoryBudgets } from './memory.ts'
import { metadataOf } from './metadata/metadata.ts'
import { diskReserveOf } from './monitoring/disk-reserve.ts'
import { scheduleDiskWatch } from './monitoring/disk-watch.ts'
import { figuresOf } from './monitoring/figures.ts'
import { healthOf } from './monitoring/health.ts'
import { beat, endBeats, newServer, type Server, scheduleHeartbeat } from './monitoring/heartbeat.ts'
import { loadOf } from './monitoring/load.ts'
import { watchForNewerRelease } from './monitoring/newer-release.ts'
import { outagesOf, quietLog } from './monitoring/outage.ts'
import { moderationOf } from './operators/moderation.ts'
import { openingsOf } from './operators/openings.ts'
import { operatorsOf } from './operators/operators.ts'
import { reportsOf } from './operators/reports.ts'
import { operatorStateOf } from './operators/state.ts'
import { nothingAllowed } from './outside/addresses.ts'
import type { Outside } from './outside/ask.ts'
import { publishingOf } from './publishing/publishing.ts'
import { pushesOf } from './pushes/pushes.ts'
import { PushSessions } from './pushes/session/sessions.ts'
import { Snapshots } from './pushes/snapshots.ts'
import { followAnswers } from './questions/following.ts'
import { questionsOf } from './questions/questions.ts'
import { Readmes } from './readmes.ts'
import { recordErasuresOf } from './record-erasures/record-erasures.ts'
import { recordsOf } from './records/records.ts'
import { restoresOf } from './restores/restores.ts'
import { schedule } from './schedule.ts'
import { openSealing, type SecretsConfig } from './secrets/key-files.ts'
import type { MailConfig } from './smtp/transport.ts'
import { LeafPairs } from './stored-leaves/leaf-pairs.ts'
import { foldersOf, type OpenStores, openStores, type StoresConfig } from './stores/stores.ts'
import { WriteWatch, watchWrites } from './stores/write-watch.ts'
import { buildLandedTables } from './tables/ahead/build-landed.ts'
import type { InstalledTables } from './tables/find-table.ts'
import { installTables } from './tables/install.ts'
import { type TablesConfig, tablesOf, usualTables } from './tables/tables.ts'
import { scheduleCompaction } from './upkeep/compaction.ts'
import { scheduleExpiry } from './upkeep/expiry.ts'
import { scheduleSweeps } from './upkeep/sweep/daily.ts'
import { sweepTablesRegularly } from './upkeep/sweep/table-sweep.ts'
import { openVersionLog, type VersionLogConfig } from './version-log/key-file.ts'
import { versionLogOf } from './version-log/version-log.ts'
import { diffsOf } from './versions/differences/diffs.ts'
import { historiesOf } from './versions/histories.ts'
import { manifestsOf } from './versions/manifests.ts'
import { stripsOf } from './versions/strip/strips.ts'
import { versionsOf } from './versions/versions.ts'
import { webhooksOf } from './webhooks/webhooks.ts'
import { withdrawalsOf } from './withdrawals/withdrawals.ts'
import { openWork } from './work/work.ts'

/** Configuration of a registry. `apps/server/src/config.ts` reads it from the environment. */
export interface RegistryConfig extends StoresConfig {
  limits: Limits
  /** Default: `usualTables`. */
  tables?: TablesConfig
  /** Default: no operators. */
  operators?: OperatorsConfig
  /** Requests to addresses that users gave. Default: to public addresses; null: none. */
  outside?: Outside | null
  /** Keys of stored secrets. Default: a key in the data folder with the embedded database; none with a server. */
  secrets?: SecretsConfig
  /** Default: no mail is sent. */
  mail?: MailConfig | null
  /** Address of this registry, as `https://registry.example`, for messages to others. Default: `http://127.0.0.1:4000`. */
  origin?: () => string
  /** The signed log. Default: a key in the data folder with the embedded database; unsigned with a server. */
  versionLog?: VersionLogConfig
  /** Issuers whose tokens may be exchanged for keys. Default: none. */
  issuers?: readonly TrustedIssuer[]
  /** True: this process also does background work (jobs, recovery, expiry). At least one process must. */
  works: boolean
  /** Requests that may wait for events at once; asked for each. Default: 4,096. */
  waitingMax?: () => number
  /** Called once with the reason if a newer release has migrated the database, so that this process must end. */
  onNewerRelease?: (why: string) => void
  /** Cache of decoded objects, in bytes. Default: by the available memory (`memory.ts`). */
  cacheBytesMax?: number
  /** Default: the system's clock, or the database server's if the system's is off (`clock.ts`). */
  now?: () => Date
}

export type Registry = Awaited<ReturnType<typeof openRegistry>>

/** @throws the errors of `openStores`. */
export async function openRegistry(config: RegistryConfig) {
  const { release = 'unknown' } = config
  const log = quietLog(config.log)
  const opened = new AsyncDisposableStack()
  try {
    const writes = new WriteWatch(log, config.now ?? (() => new Date()))
    const { database, blobs, space, demandSame } = await openWatchedStores(config, opened, writes)
    const cacheBytesMax = config.cacheBytesMax ?? memoryBudgets.cache
    const leafPairsBytesMax = cacheBytesMax / 8
    const objects = openObjectReader({ database, blobs, cacheBytesMax: cacheBytesMax - leafPairsBytesMax })
    const work = openWork({
      threads: {
        push: new URL('./push-thread.ts', import.meta.url),
        read: new URL('./read-thread.ts', import.meta.url),
      },
      onDamage: objects.forget,
    })
    opened.defer(() => work.close())
    const clock = clockOf(database, log)
    await clock.compare()
    const now = config.now ?? clock.now
    const ownFolder = database.kind === 'embedded' ? config.dataFolder : null
    const context: Context = {
      database,
      blobs,
      space,
      writes,
      objects,
      leafPairs: new LeafPairs({ objects, work, bytesMax: leafPairsBytesMax }),
      jobs: jobsOf({ database, space, log, works: config.works, now }),
      work,
      bodies: new BodyBudget(),
      commitCounters: new CommitCounters(),
      readmes: new Readmes({ database, now }),
      outside: config.outside === undefined ? { allowed: nothingAllowed } : config.outside,
      sealing: await openSealing(config.secrets ?? {}, ownFolder),
      mail: config.mail ?? null,
      origin: config.origin ?? (() => 'http://127.0.0.1:4000'),
      limits: config.limits,
      operators: config.operators ?? noOperators,
      issuers: config.issuers ?? [],
      log,
      now,
    }
    const server = newServer(release, config.works)
    const newerRelease = watchForNewerRelease(context, release, config.onNewerRelease)
    const tables = config.tables ?? usualTables
    const installed = await openTables(config, context, opened)
    const versionLog = await openVersionLog(config.versionLog ?? {}, ownFolder)
    const answering = answeringOf(context, tables, installed)
    const services = {
      ...servicesOf(context, config.waitingMax ?? (() => 4_096)),
      versionLog: versionLogOf(context, versionLog.signers, versionLog),
      ...answering.services,
      ...statesOf(context, config, installed),
      health: healthOf(context, newerRelease),
      /** The release that has migrated the database under this process; undefined: none. */
      newerRelease: newerRelease.name,
    }
    scheduleUpkeep(context, server, demandSame, clock)
    // A ready server reports itself and its background work at once.
    await beat(context, server)
    opened.defer(() => endBeats(context, server))
    opened.defer(() => services.keys.settle())
    if (database.kind === 'embedded')
      opened.defer(await serveDumps(database, join(config.dataFolder, 'database'), log))
    await services.versionLog.start()
    await context.jobs.start()
    opened.defer(() => context.jobs.stop())
    opened.defer(() => services.webhooks.close())
    opened.defer(() => services.strips.close())
    opened.defer(answering.close)
    return { ...services, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

function scheduleUpkeep(
  context: Context,
  server: Server,
  demandSame: () => Promise<void>,
  clock: Pick<ReturnType<typeof clockOf>, 'compare'>,
): void {
  scheduleCompaction(context)
  scheduleSweeps(context, demandSame)
  scheduleExpiry(context)
  scheduleMails(context)
  scheduleHeartbeat(context, server)
  scheduleDiskWatch(context)
  context.jobs.repeat(schedule.clock, clock.compare)
}

/** Opens the stores, logs outages of the database, and notes refused writes. */
async function openWatchedStores(
  config: RegistryConfig,
  opened: AsyncDisposableStack,
  writes: WriteWatch,
): Promise<OpenStores> {
  const outages = outagesOf(config.log)
  const stores = await openStores({ ...config, lost: outages.lost }, opened, 'serve')
  outages.watch(stores.database)
  opened.defer(outages.close)
  return watchWrites(stores, writes, config.bucket === undefined && Boolean(config.reserveBytes))
}

/** The folder of tables, which is swept regularly. */
async function openTables(config: RegistryConfig, context: Context, opened: AsyncDisposableStack) {
  const { bytesMax } = config.tables ?? usualTables
  const { space, log } = context
  const folder = join(config.dataFolder, 'tables')
  const installed = await installTables({ folder, space, bytesMax, log }, opened)
  await sweepTablesRegularly(context, installed)
  return installed
}

/** Services that ask tables, and their background work. */
function answeringOf(context: Context, config: TablesConfig, installed: InstalledTables | string) {
  const tables = tablesOf(context, config, installed)
  const ahead = buildLandedTables(context, installed)
  const following = followAnswers(context, { tables, installed })
  return {
    services: { tables, questions: questionsOf(context, tables) },
    close() {
      ahead.close()
      following.close()
    },
  }
}

function statesOf(context: Context, config: RegistryConfig, installed: InstalledTables | string) {
  const load = loadOf(context)
  const places = { dataFolder: config.dataFolder, folders: foldersOf(config), installed }
  return { load, operatorState: operatorStateOf(context, { load, ...places }) }
}

/** Creates the services; each defines its background work. */
function servicesOf(context: Context, waitingMax: () => number) {
  const pushSessions = new PushSessions(context)
  const pushes = pushesOf(context, pushSessions)
  return {
    accounts: accountsOf(context),
    members: membersOf(context),
    collaborators: collaboratorsOf(context),
    invitations: invitationsOf(context),
    keys: keysOf(context),
    deviceLogins: deviceLoginsOf(context),
    sessions: sessionsOf(context),
    audit: auditOf(context),
    events: eventsOf(context, waitingMax),
    operators: operatorsOf(context),
    moderation: moderationOf(context),
    openings: openingsOf(context),
    reports: reportsOf(context),
    collections: collectionsOf(context),
    metadata: metadataOf(context),
    forks: forksOf(context),
    publishing: publishingOf(context),
    pushes,
    snapshots: new Snapshots(context, pushSessions),
    versions: versionsOf(context),
    readmes: context.readmes,
    restores: restoresOf(context),
    withdrawals: withdrawalsOf(context),
    recordErasures: recordErasuresOf(context, pushes),
    webhooks: webhooksOf(context),
    records: recordsOf(context),
    files: filesOf(context),
    manifests: manifestsOf(context),
    diffs: diffsOf(context),
    histories: historiesOf(context),
    strips: stripsOf(context),
    exports: exportsOf(context),
    figures: figuresOf(context),
    /** Names the committed state of the database: while it is the same, so are all answers that only the database determines. */
    databaseState: () => nameDatabaseState(context.database),
    answers: new AnswerBudget(),
    diskReserve: diskReserveOf(context),
    sendsMail: context.mail !== null,
    rates: requestRatesOf(context),
  }
}
