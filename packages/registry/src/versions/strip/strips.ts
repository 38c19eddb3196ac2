/**
 * Strips of versions: how much each version changed of each column. Computed after the landing, as waiting work of low priority, one version
 * at a time. Readers get the shares of their view only.
 */
import { formatSemver, type Semver } from '@ulmus/content'
import {
  addMissingStrips,
  claimPeriodicTask,
  claimStrips,
  type DueStrip,
  keepStrip,
  listStrip,
  renewStrip,
  type StripRow,
} from '@ulmus/storage'
import type { CollectionPath, Strip } from '@ulmus/wire'
import { findVisibleCollection } from '../../access/find-collection.ts'
import { countAnswer } from '../../budgets/answer-budget.ts'
import type { Context } from '../../context.ts'
import type { Principal } from '../../principal.ts'
import { schedule } from '../../schedule.ts'
import { storedHash } from '../content.ts'
import { readSidecar } from '../sidecar.ts'
import { arrange } from './arrange.ts'
import { type Bounds, ChangeCounter, usualBounds } from './count-changes.ts'
import { Pace, type Rest } from './pace.ts'
import { writeShares } from './shares.ts'
import { type ColumnsSince, sinceIn, sinceVersionsMax } from './since.ts'

/** Versions and columns of an answer: the newest versions, and the columns that changed most. */
export const stripMax = { versions: 200, columns: 40 }
/** A computation renews its lease about this often. Seconds. */
const renewSeconds = 10
const leaseSeconds = 60
/** Later attempts compare nothing: something in the version ends each process, or is damaged. */
export const stripAttemptsMax = 5
/** A comparison costs about as much as its push. At this pace all of them together take at most 2 % of one core. */
const restUsual: Rest = { times: 50, least: 500 }
/** Collections whose missing rows are added in one transaction, which pushes to them wait for. */
const collectionsAtOnce = 20
/** Bytes of a version in the database, usually. */
const usualBytes = 1_024

export interface StripAsk {
  /** The newest version to list. Default: the latest. */
  readonly until?: Semver | undefined
  /** At most so many versions, and columns. Default: `stripMax`. */
  readonly most?: Partial<typeof stripMax>
  /** True: columns of the newest of them alone, for a page that shows this version and no other. */
  readonly ofNewest?: boolean
}

/** Reason to end a computation: the version or the one before was withdrawn or deleted, or the server stops. */
class StripEndedError extends Error {}

export type Strips = ReturnType<typeof stripsOf>

export interface StripOptions {
  /** Bounds of one version, beyond which shares are null. Default: `usualBounds`. */
  readonly bounds?: Bounds
  /** Default: `restUsual`. */
  readonly rest?: Rest
}

export function stripsOf(context: Context, { bounds = usualBounds, rest = restUsual }: StripOptions = {}) {
  const { database, jobs } = context
  const closing = new AbortController()
  jobs.take('strips', {
    atOnce: 1,
    claim: (most) => database.transactOnce((tx) => claimStrips(tx, { most, seconds: leaseSeconds })),
    run: (due) => compute(context, due, { bounds, rest, stop: closing.signal }),
  })
  jobs.repeat(schedule.missingStrips, async () => {
    const { onceInSeconds } = schedule.missingStrips
    if (await database.transact((tx) => claimPeriodicTask(tx, 'missing strips', onceInSeconds)))
      await addMissing(context)
  })
  return {
    /** Readable versions, newest first. @throws collection_not_found */
    async read(who: Principal, path: CollectionPath, ask: StripAsk = {}): Promise<Strip> {
      const { until, most = {}, ofNewest = false } = ask
      const { collection, view } = await findVisibleCollection(context, who, path)
      const { versions, columns } = { ...stripMax, ...most }
      countAnswer(versions * usualBytes)
      // One more, which the last version is compared with.
      const rows = await listStrip(database, collection.id, { view, until, limit: versions + 1 })
      return stripIn(rows, { versions, columns, ofNewest })
    },

    /** Since which version the columns of a version exist, where the newest strips say so. @throws collection_not_found */
    async since(who: Principal, path: CollectionPath, until: Semver): Promise<ColumnsSince> {
      const { collection, view } = await findVisibleCollection(context, who, path)
      countAnswer(sinceVersionsMax * usualBytes)
      return sinceIn(await listStrip(database, collection.id, { view, until, limit: sinceVersionsMax }))
    },

    /** Ends a running computation; another process repeats it. */
    close: () => closing.abort(new StripEndedError('The server stops.')),
  }
}

interface Part {
  readonly versions: number
  readonly columns: number
  readonly ofNewest: boolean
}

async function stripIn(rows: readonly StripRow[], part: Part): Promise<Strip> {
  const shown = rows.slice(0, part.versions)
  const { columns, changed, columnCount } = await arrange(
    shown.map(({ shares }) => shares),
    { most: part.columns, ofNewest: part.ofNewest },
  )
  return {
    columns,
    versions: shown.map((row, index) => {
      const before = rows[index + 1]
      return {
        semver: formatSemver(row),
        before: before === undefined ? null : formatSemver(before),
        records: row.records,
        changed: changed[index]!,
      }
    }),
    columnCount,
    versionCount: rows[0]?.total ?? 0,
  }
}

/** Adds rows for versions without one, such as those that are older than the table. */
export async function addMissing({ database }: Pick<Context, 'database'>): Promise<void> {
  for (let added = collectionsAtOnce; added > 0; )
    added = await database.transact((tx) => addMissingStrips(tx, collectionsAtOnce))
}

interface ComputeOptions {
  readonly bounds: Bounds
  readonly rest: Rest
  readonly stop: AbortSignal
}

async function compute(
  context: Context,
  due: DueStrip,
  { bounds, rest, stop }: ComputeOptions,
): Promise<void> {
  const { database, objects } = context
  const renew = async () => {
    const isAwaited = await database.transactOnce((tx) => renewStrip(tx, due, leaseSeconds))
    if (!isAwaited) throw new StripEndedError('Nothing awaits this comparison any more.')
  }
  const pace = new Pace(rest, stop, renew, renewSeconds)
  const keep = (shares: Parameters<typeof keepStrip>[2]) =>
    database.transactOnce((tx) => keepStrip(tx, due, shares))
  const compare = async () => {
    const read = async (sidecar: string | null) =>
      sidecar === null ? null : (await readSidecar(objects, storedHash(sidecar))).roots
    const [before, after] = [await read(due.beforeSidecar), (await read(due.sidecar))!]
    const counter = new ChangeCounter(context, {
      owner: 'strips',
      bounds: due.attempts > stripAttemptsMax ? { differences: 0, compared: 0, bytes: 0 } : bounds,
      between: () => pace.between(),
    })
    const open = writeShares(await counter.shares(before?.public ?? null, after.public))
    if (counter.knows(before?.full ?? null, after.full)) return keep({ public: open, full: '' })
    await keep({ public: open, full: null })
    const full = writeShares(await counter.shares(before?.full ?? null, after.full))
    return keep({ public: open, full: full === open ? '' : full })
  }
  try {
    await compare().catch((error: unknown) => {
      if (error instanceof StripEndedError || due.attempts <= stripAttemptsMax) throw error
      return keep({ public: '[]', full: '' })
    })
    await pace.end()
  } catch (error) {
    if (!(error instanceof StripEndedError)) throw error
  }
}
