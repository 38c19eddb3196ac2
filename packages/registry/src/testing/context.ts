/** Context for tests of services: a database of its own, blobs in memory, a recorded log. */
import { randomUUID } from 'node:crypto'
import { type Hash, hashText, type JsonObject, type Semver, type ViewDocument } from '@ulmus/content'
import {
  type AccountRow,
  type CollectionRow,
  findCollectionById,
  insertAccount,
  insertCollection,
  type Means,
  openMemoryStore,
  openObjectReader,
  openObjectWriter,
  putMember,
  unlimitedSpace,
  type VersionRow,
  type WaitingKind,
} from '@ulmus/storage'
import type { TestDatabase } from '@ulmus/storage/testing'
import { onBehalfOf } from '../access/authority.ts'
import type { Role } from '../access/policy.ts'
import { BodyBudget } from '../budgets/body-budget.ts'
import { newCollection } from '../collections/making.ts'
import { CommitCounters } from '../commit-counters.ts'
import type { Context } from '../context.ts'
import { type Jobs, jobsOf } from '../jobs.ts'
import { defaultLimits, noOperators } from '../limits.ts'
import type { Log } from '../log.ts'
import { nothingAllowed } from '../outside/addresses.ts'
import type { Caller, Scope } from '../principal.ts'
import { Readmes } from '../readmes.ts'
import { sealingOf } from '../secrets/sealing.ts'
import { LeafPairs } from '../stored-leaves/leaf-pairs.ts'
import { WriteWatch } from '../stores/write-watch.ts'
import { makeVersion } from '../versions/land.ts'
import { writeSidecar } from '../versions/sidecar.ts'
import { openWork } from '../work/work.ts'

const threads = {
  push: new URL('../push-thread.ts', import.meta.url),
  read: new URL('../read-thread.ts', import.meta.url),
}

type Lines = { facts: object; line: string }[]

export interface Logged extends Log {
  readonly infos: Lines
  readonly warnings: Lines
  readonly errors: Lines
}

export function keepLog(): Logged {
  const [infos, warnings, errors]: [Lines, Lines, Lines] = [[], [], []]
  const into = (lines: Lines) => (facts: object, line: string) => void lines.push({ facts, line })
  return { infos, warnings, errors, info: into(infos), warn: into(warnings), error: into(errors) }
}

export interface TestContext extends Context {
  readonly log: Logged
  /** Stops the jobs and the workers, and drops the database if it was opened for this context. */
  dispose(): Promise<void>
}

/** Of a process without background work. */
export const idleJobs: Jobs = {
  take: () => undefined,
  clear: () => undefined,
  repeat: () => undefined,
  wake: () => undefined,
  leave: () => undefined,
  failed: () => [],
  retry: () => false,
  start: async () => undefined,
  stop: async () => undefined,
}

/** Jobs that run when a test says so. */
export function manualJobs() {
  const works = new Map<WaitingKind, () => Promise<void>>()
  const begun: Promise<unknown>[] = []
  const jobs: Jobs = {
    ...idleJobs,
    clear: (kind, work) => void works.set(kind, work),
    take: (kind, { atOnce, claim, run }) =>
      void works.set(kind, async () => {
        for (const row of await claim(atOnce)) begun.push(run(row).catch(() => undefined))
      }),
  }
  /** Does work that is due, and waits for what it takes no rows for. */
  const run = async (...kinds: WaitingKind[]): Promise<void> => {
    for (const kind of kinds) await works.get(kind)?.()
  }
  /** Waits for the rows that were taken. */
  const settled = () => Promise.all(begun.splice(0))
  return { jobs, run, settled }
}

/** A context whose jobs are not started: define services on it, then `context.jobs.start()`. */
export async function openContext(
  testDatabase: TestDatabase,
  options: ContextOptions = {},
): Promise<TestContext> {
  const { database, dispose } = await testDatabase.open()
  const context = contextOn({ database, blobs: openMemoryStore() }, options)
  const end = async () => {
    await context.dispose()
    await dispose()
  }
  return { ...context, dispose: end }
}

interface ContextOptions extends Partial<Pick<Context, 'issuers' | 'mail' | 'outside'>> {
  works?: boolean
  now?: () => Date
}

/** The same on open stores, which stay open: one server of several. */
export function contextOn(
  { database, blobs }: Pick<Context, 'database' | 'blobs'>,
  options: ContextOptions = {},
): TestContext {
  const log = keepLog()
  const work = openWork({ threads })
  const objects = openObjectReader({ database, blobs, cacheBytesMax: 8 * 1024 ** 2 })
  const now = options.now ?? (() => new Date())
  const jobs = jobsOf({ database, space: unlimitedSpace, log, works: options.works ?? true, now })
  return {
    database,
    blobs,
    space: unlimitedSpace,
    writes: new WriteWatch(log, now),
    objects,
    leafPairs: new LeafPairs({ objects, work, bytesMax: 1024 ** 2 }),
    jobs,
    limits: defaultLimits,
    operators: noOperators,
    issuers: options.issuers ?? [],
    work,
    bodies: new BodyBudget(),
    commitCounters: new CommitCounters(),
    readmes: new Readmes({ database, now }),
    outside: options.outside === undefined ? { allowed: nothingAllowed } : options.outside,
    sealing: sealingOf(Buffer.alloc(32, 7)),
    mail: options.mail ?? null,
    origin: () => 'https://registry.example',
    log,
    now,
    async dispose() {
      await jobs.stop()
      await work.close()
    },
  }
}

/** A clock that advances a second with each call, so that no two instants are equal. */
export function tickingClock(): () => Date {
  let seconds = Date.UTC(2026, 0, 1) / 1_000
  return () => {
    seconds++
    return new Date(seconds * 1_000)
  }
}

export async function addAccount(
  context: Context,
  slug: string,
  type: 'user' | 'org' = 'user',
): Promise<AccountRow> {
  const account = {
    id: randomUUID(),
    slug,
    type,
    displayName: `The ${slug}`,
    email: null,
    createdAt: context.now(),
  }
  return (await context.database.transact((tx) => insertAccount(tx, account)))!
}

export const addMember = (
  context: Context,
  org: Pick<AccountRow, 'id'>,
  user: Pick<AccountRow, 'id'>,
  role: Role,
): Promise<void> =>
  context.database.transact((tx) =>
    putMember(tx, { orgId: org.id, userId: user.id, role, since: context.now() }),
  )

export const callerOf = (
  account: AccountRow,
  scope: Scope = 'admin',
  limited: string | null = null,
): Caller => ({
  kind: 'key',
  accountId: account.id,
  accountSlug: account.slug,
  scope,
  limitedTo: limited === null ? null : [limited],
  credential: null,
  expiresAt: null,
})

export async function addCollection(
  context: Context,
  owner: AccountRow,
  input: Parameters<typeof newCollection>[2],
): Promise<Omit<CollectionRow, 'foldedName'>> {
  const row = newCollection(context, owner.id, input)
  await context.database.transact((tx) => insertCollection(tx, row, owner))
  return row
}

const tree = (name: string, count: number, bytes: number) => ({ root: hashText(name), count, bytes })

/**
 * Adds a version whose trees exist by name only, for tests that read no tree. `secret`: the full view has one record more than
 * the public one. `declared`: only the full view refers to a file.
 */
export async function addVersion(
  context: Context,
  collection: { id: string },
  input: {
    base?: VersionRow | null
    semver?: Semver
    metadata?: JsonObject
    secret?: boolean
    declared?: boolean
    content?: string
    /** Means of the act. Default: unknown. */
    means?: Means
  } = {},
): Promise<VersionRow> {
  const name = input.content ?? 'records'
  const schema = hashText('{}')
  const files = tree(`${name} files`, 2, 1_000)
  const metadata = input.metadata ?? {}
  const publicDocument: ViewDocument = { files, metadata, types: { City: { schema, ...tree(name, 3, 300) } } }
  const full: ViewDocument = input.secret
    ? { ...publicDocument, types: { City: { schema, ...tree(`${name} and more`, 4, 400) } } }
    : publicDocument
  const writer = openObjectWriter({ database: context.database, blobs: context.blobs })
  const references = tree(`${name} references`, 2, 0)
  const sidecar: Hash = await writeSidecar(writer, {
    roots: { full, public: publicDocument },
    references: { full: input.declared ? tree(`${name} declared`, 3, 0) : references, public: references },
    hiddenTrees: {},
    formerlyPrivate: [],
  })
  const found = (await findCollectionById(context.database, collection.id, null))!
  return makeVersion(context, {
    collection,
    by: onBehalfOf({ accountId: found.owner.id, means: input.means ?? {} }, found),
    base: input.base ?? null,
    semver: input.semver ?? { major: 1, minor: 0, patch: 0 },
    content: { full, public: publicDocument, sidecar },
    writer,
    message: 'pushed',
  })
}
