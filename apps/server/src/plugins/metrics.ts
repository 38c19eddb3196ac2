/** Metrics for Prometheus: requests by route, the process, work in progress, stored bytes. */
import type { Registry as Ulmus } from '@ulmus/registry'
import type { Build } from '@ulmus/wire/build'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { keptFor } from './kept.ts'

/** Bounds of the histogram in seconds: from a cached look-up to the commit of a push. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]

/** Cache time of the rendered metrics: rendering takes some milliseconds, and needs no credential. */
const keptMilliseconds = 1_000
/** Every server queries the database for these, so each queries it rarely. */
const queryCacheMilliseconds = 5_000
/** Cache time of stored bytes: the query reads one row for each pack and file. */
const storedKeptMilliseconds = 60_000

export interface Measured {
  readonly figures: Ulmus['figures']
  readonly load: Ulmus['load']
  readonly openConnections: () => number
  readonly version: string
  readonly build: Build
}

export function measure(app: FastifyInstance, measured: Measured): void {
  const metrics = new Registry()
  // Process and event loop: CPU, memory, `nodejs_eventloop_lag_*` and its percentiles.
  collectDefaultMetrics({ register: metrics })
  measureRequests(app, metrics, measured.load)
  measureProcess(metrics, measured)
  measureRegistry(metrics, measured.figures)
  measureUpkeep(metrics, measured.figures)
  const text = keptFor(keptMilliseconds, () => metrics.metrics())
  app.get(
    '/metrics',
    { config: { credentials: false, limited: false }, schema: { hide: true } },
    async (_request, reply) => reply.type(metrics.contentType).send(await text()),
  )
  app.addHook('onClose', async () => metrics.clear())
}

function measureRequests(app: FastifyInstance, metrics: Registry, load: Ulmus['load']): void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [metrics],
  })
  app.addHook('onResponse', async (request, reply) => {
    // Label with the pattern, never the path: paths are numerous and contain private names.
    const route = request.routeOptions.url ?? 'none'
    load.answered()
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
}

function measureProcess(metrics: Registry, { figures, openConnections, version, build }: Measured): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(value())
      },
    })
  gauge('http_connections_open', 'Connections that are open, in use or not.', openConnections)
  gauge('ulmus_cache_bytes', 'Decoded objects kept in memory.', () => figures.process().cachedBytes)
  gauge(
    'ulmus_failed_tasks',
    'Background tasks of this process whose last run failed, such as signing the log.',
    () => figures.process().failedTasks,
  )
  new Gauge({
    name: 'ulmus_storage_full',
    help: 'Whether writes are refused because the disk of DATA_DIR has less free than DISK_RESERVE_BYTES, or the database or the bucket is full: 1 or 0.',
    registers: [metrics],
    async collect() {
      this.set((await figures.isFull()) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'ulmus_storage_free_bytes',
    help: 'Free on the disk of DATA_DIR. Absent where the data is elsewhere.',
    registers: [metrics],
    async collect() {
      const freeBytes = await figures.freeBytes()
      if (Number.isFinite(freeBytes)) this.set(freeBytes)
      else this.remove()
    },
  })
  new Gauge({
    name: 'ulmus_build_info',
    help: 'Which program runs here. Always 1.',
    labelNames: ['version', 'commit', 'date', 'node', 'database'],
    registers: [metrics],
  }).set(
    {
      version,
      commit: build.commit ?? '',
      date: build.date ?? '',
      node: process.versions.node,
      database: figures.databaseKind,
    },
    1,
  )
  new Gauge({
    name: 'ulmus_database_connections',
    help: 'Connections of this process to its database; `waiting`: work that has none yet.',
    labelNames: ['state'],
    registers: [metrics],
    collect() {
      const { open, idle, waiting } = figures.process().connections
      this.set({ state: 'busy' }, open - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  new Counter({
    name: 'ulmus_commits_total',
    help: 'Commits of pushes by this process, by how they ended: committed, or the code of what refused them.',
    labelNames: ['outcome'],
    registers: [metrics],
    collect() {
      this.reset()
      for (const [outcome, commits] of figures.process().commits) this.inc({ outcome }, commits)
    },
  })
  new Counter({
    name: 'ulmus_commit_records_total',
    help: 'Lines of records and deletes, and entries of manifests, in the commits of this process that made a version.',
    registers: [metrics],
    collect() {
      this.reset()
      this.inc(figures.process().commitRecords)
    },
  })
}

/** A gauge of the whole registry, the same on every server. It is absent while the database is unavailable, or if there is no figure. */
function shared<Label extends string, Value>(
  metrics: Registry,
  about: { name: string; help: string; labelNames?: Label[] },
  ask: () => Promise<Value | undefined>,
  set: (gauge: Gauge<Label>, value: Value) => unknown,
): void {
  new Gauge<Label>({
    ...{ labelNames: [], ...about },
    registers: [metrics],
    async collect() {
      const found = await ask()
      this.reset()
      // After `reset` a gauge without labels is 0, which would be a false figure.
      if (about.labelNames === undefined) this.remove()
      if (found !== undefined) set(this, found)
    },
  })
}

function measureRegistry(metrics: Registry, figures: Ulmus['figures']): void {
  shared(
    metrics,
    { name: 'ulmus_jobs', help: 'Background jobs of the last day.', labelNames: ['queue', 'state'] },
    keptFor(queryCacheMilliseconds, figures.jobs),
    (gauge, counts) => {
      for (const { queue, state, jobs } of counts) gauge.set({ queue, state }, jobs)
    },
  )
  shared(
    metrics,
    { name: 'ulmus_pushes', help: 'Push sessions under way.', labelNames: ['state'] },
    keptFor(queryCacheMilliseconds, figures.pushes),
    (gauge, { open, committing }) => {
      gauge.set({ state: 'open' }, open)
      gauge.set({ state: 'committing' }, committing)
    },
  )
  const bytes = 'In the object store: packs, files, and what is set aside to be removed.'
  shared(
    metrics,
    { name: 'ulmus_stored_bytes', help: bytes, labelNames: ['kind'] },
    keptFor(storedKeptMilliseconds, figures.stored),
    (gauge, { packs, files, setAside }) => {
      gauge.set({ kind: 'packs' }, packs)
      gauge.set({ kind: 'files' }, files)
      gauge.set({ kind: 'set_aside' }, setAside)
    },
  )
}

/** Work of operators: reports, workers, sweeps, backups, the signed log. */
function measureUpkeep(metrics: Registry, figures: Ulmus['figures']): void {
  /** Gauges of one answer of the database. */
  const all = <Value>(
    figure: () => Promise<Value | undefined>,
    gauges: readonly [name: string, help: string, value: (figure: Value) => number | undefined][],
  ) => {
    const ask = keptFor(queryCacheMilliseconds, figure)
    for (const [name, help, value] of gauges)
      shared(
        metrics,
        { name, help },
        async () => {
          const found = await ask()
          return found === undefined ? undefined : value(found)
        },
        (gauge, figure) => gauge.set(figure),
      )
  }
  const beat = 'Since the last heartbeat of any server that does background work.'
  all(figures.workerSeconds, [['ulmus_worker_seen_seconds', beat, (seconds) => seconds]])
  const swept = 'Whether the last sweep came to its end and erased all that it was to: 1 or 0.'
  all(figures.lastSweep, [
    ['ulmus_sweep_age_seconds', 'Since the last sweep ended.', ({ secondsAgo }) => secondsAgo],
    ['ulmus_sweep_succeeded', swept, ({ succeeded }) => (succeeded ? 1 : 0)],
  ])
  const reports = 'Reports about collections that no operator has closed.'
  all(figures.openReports, [['ulmus_open_reports', reports, (open) => open]])
  const backup = 'Since the moment that the last complete backup shows. Infinite: there was none.'
  const bytes = 'Of the last complete backup, with what earlier ones had copied.'
  all(figures.lastBackup, [
    ['ulmus_backup_age_seconds', backup, (made) => made?.secondsAgo ?? Number.POSITIVE_INFINITY],
    ['ulmus_backup_duration_seconds', 'Of the last complete backup.', (made) => made?.seconds],
    ['ulmus_backup_bytes', bytes, (made) => made?.bytes],
  ])
  const unsigned = 'Changes without an entry in the signed log, and entries that no checkpoint has.'
  const oldest = 'Since the oldest change that no checkpoint has. 0: there is none.'
  const checkpoint = 'Since the last checkpoint of the signed log.'
  all(figures.log, [
    ['ulmus_version_log_entries', 'Entries of the signed log.', ({ entries }) => entries],
    ['ulmus_version_log_unsigned', unsigned, (log) => log.unsigned],
    ['ulmus_version_log_unsigned_seconds', oldest, ({ unsignedSeconds }) => unsignedSeconds],
    [
      'ulmus_version_log_checkpoint_age_seconds',
      checkpoint,
      ({ checkpointSeconds }) => checkpointSeconds ?? undefined,
    ],
  ])
}
