/** A running server: opens the registry, sets up sign-in and listens. Used by `main.ts` and by tests. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import {
  defaultLimits,
  type Limits,
  memoryBytes,
  memoryBytesMin,
  openRegistry,
  type Registry,
} from '@ulmus/registry'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import { release } from './build.ts'
import type { Config, Secrets } from './config.ts'
import { connectionsFor, descriptorCure, fewDescriptors, readDescriptors } from './descriptors.ts'
import type { Downloads } from './downloads/downloads.ts'
import { urlAt } from './loopback.ts'
import { readFiles } from './settings/files.ts'
import { refuseRoot } from './settings/owner.ts'
import { devClientId, devIssuer, devPath } from './sign-in/dev-provider.ts'
import { identityProvider } from './sign-in/identity-provider.ts'
import { hostFault } from './start-faults.ts'
import { mailOf } from './variables/mail-settings.ts'
import { outsideOf } from './variables/outside-settings.ts'

export interface Server {
  /** Public address, as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly registry: Registry
  /** Stops accepting connections, finishes running requests, ends or hands back running jobs, and closes the stores. */
  close(): Promise<void>
}

/** Parts that the caller provides besides the settings. */
export interface StartOptions {
  readonly log: FastifyBaseLogger
  /** Default: the system's clock. */
  readonly now?: () => Date
  /** See `buildApp`. */
  readonly checkAnswers?: boolean
  readonly downloads: Downloads
  /** True: migrate the database although servers of another release are alive. Default: refuse. */
  readonly migratesBesideOthers?: boolean
  /** Called once with the reason if this server must end, because a newer release has migrated the database. */
  readonly onNewerRelease?: (why: string) => void
}

/** Time for running requests when the server closes; then their connections are cut. Seconds. */
const drainSeconds = 6

/** @throws ConfigError, FolderInUseError, and errors of key files, the stores and the socket */
export async function startServer(config: Config, secrets: Secrets, options: StartOptions): Promise<Server> {
  const { log, now, checkAnswers, downloads, migratesBesideOthers = false } = options
  warnOfLittleMemory(memoryBytes, log)
  refuseRoot(config.dataFolder, `DATA_DIR, ${config.dataFolder}`)
  await demandPort(config)
  const issuers = await readFiles(config, secrets)
  let connectionsMax = 0
  const registry = await openRegistry({
    dataFolder: config.dataFolder,
    databaseUrl: secrets.databaseUrl,
    bucket: config.objectStore === null ? undefined : { ...config.objectStore, keys: secrets.s3Keys },
    reserveBytes: config.diskReserveBytes,
    limits: limitsOf(config),
    tables: { bytesMax: config.tablesBytes, sql: config.sql, sqlSeconds: config.sqlSeconds },
    outside: outsideOf(config.outside, secrets.outsideProxy),
    mail: mailOf(config, secrets.smtpUrl),
    secrets: config.secretsKeys,
    versionLog:
      config.versionLog === 'off'
        ? 'off'
        : { ...config.versionLog, publicUrl: config.publicUrl ?? undefined },
    origin: () => origin(),
    works: config.roles.includes('worker'),
    issuers,
    operators: {
      identities: config.operators,
      byClaim: config.operatorClaim !== null,
      issuer: config.oidc?.issuer,
    },
    // The other connections are for requests that are answered at once.
    waitingMax: () => Math.floor(connectionsMax / 2),
    ...{ release, migratesBesideOthers, onNewerRelease: options.onNewerRelease },
    now,
    log,
  })
  let listeningAt = ''
  const origin = () => config.publicUrl ?? listeningAt
  // The built-in provider lives only as long as this process, so their shared secret is random.
  const clientSecret = secrets.oidcClientSecret ?? randomBytes(32).toString('base64url')
  const provider =
    config.oidc === null
      ? identityProvider({
          issuer: () => `${origin()}${devPath}`,
          clientId: devClientId,
          clientSecret,
          knownAs: devIssuer,
          prompt: 'login',
        })
      : identityProvider({
          ...{ issuer: () => config.oidc!.issuer, clientId: config.oidc.clientId, clientSecret },
          operatorClaim: config.operatorClaim,
        })
  try {
    // With the files that the registry has opened.
    connectionsMax = connectionsOf(config, secrets.databaseUrl, log)
  } catch (error) {
    await registry.close()
    throw error
  }
  const app = await buildApp({
    ...{ registry, config, log, provider, clientSecret, origin, connectionsMax, checkAnswers },
    downloads,
  })
  const close = async () => {
    const cut = setTimeout(() => app.server.closeAllConnections(), drainSeconds * 1000)
    try {
      await app.close()
    } finally {
      clearTimeout(cut)
      await registry.close()
    }
  }
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await close()
    throw error
  }
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  listeningAt = urlAt(config.host, port)
  return { url: origin(), registry, close }
}

/** Binds the port for a moment: one in use, or a wrong HOST, refuses the start before it makes a database. @throws errors of the socket */
async function demandPort({ host, port }: Config): Promise<void> {
  const server = createServer().listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw hostFault(host, error) ?? error
  }
  server.close()
  await once(server, 'close')
}

const limitsOf = (config: Config): Limits => ({
  ...defaultLimits,
  fileBytesMax: config.fileBytesMax,
  pushIdleSeconds: config.pushIdleSeconds,
  sessionDays: config.sessionDays,
  openPushesMax: config.openPushesMax,
  organizationsMax: config.organizationsMax,
  collectionsMax: config.collectionsMax,
  quotaBytes: config.quotaBytes,
  uploadDays: config.uploadDays,
  keepDeletedDays: config.keepDeletedDays,
  auditDays: config.auditDays,
  eventDays: config.eventDays,
  newMembers: config.newMembers,
})

/** @param memory of the machine, or the limit of the container or unit, in bytes */
export function warnOfLittleMemory(memory: number, log: Pick<FastifyBaseLogger, 'warn'>): void {
  if (memory >= memoryBytesMin) return
  const mebibytes = Math.floor(memory / 1024 ** 2)
  log.warn(
    { mebibytes },
    `Only ${mebibytes} MiB of memory: the server limits concurrent requests and answers the rest with 429. Use at least 1 GiB, better 2 GiB: docs/tuning.md, "Memory".`,
  )
}

/** @throws ConfigError if there are too few file descriptors */
function connectionsOf(config: Config, databaseUrl: string | undefined, log: FastifyBaseLogger): number {
  const descriptors = readDescriptors(databaseUrl === undefined)
  const usual = connectionsFor(descriptors)
  const most = config.connectionsMax ?? usual
  const { limit } = descriptors
  if (limit < fewDescriptors)
    log.warn({ limit, most }, `This process may open only ${limit} files and connections. ${descriptorCure}`)
  else if (most > limit / 2)
    log.warn(
      { limit, most },
      `MAX_CONNECTIONS is more than half of the ${limit} files and connections that this process may open: it may run out of them. Lower it, or raise the limit.`,
    )
  return most
}
