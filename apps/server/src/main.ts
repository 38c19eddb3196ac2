/** Server process: reads the environment, prints a clear message if it cannot start, and shuts down gracefully on signals. */
import { setTimeout as sleep } from 'node:timers/promises'
import pino, { type Logger } from 'pino'
import { runCommand } from './commands.ts'
import { type Config, readConfig, readSecrets, type Secrets } from './config.ts'
import { downloadsOf } from './downloads/downloads.ts'
import { logOptions } from './log.ts'
import { type Server, startServer } from './server.ts'
import { notifyServiceManager } from './service-manager.ts'
import { misspeltIn } from './settings/effective.ts'
import { settingWarnings } from './settings/warnings.ts'
import { issuerFault } from './sign-in/issuer-fault.ts'
import { onEndWanted } from './signals.ts'
import { sentenceOf } from './start-faults.ts'
import { ConfigError } from './variables/variables.ts'

/** Maximum time from the signal to the exit, even if work is unfinished. Seconds. */
const endSecondsMax = 9

/** Umask that restricts new files to their owner, also in threads and child processes: files 0600, folders 0700. */
const ownersAlone = 0o077

async function main(): Promise<void> {
  process.umask(ownersAlone)
  const args = process.argv.slice(2)
  const [command = 'start', ...flags] = args
  if (command === 'start' && flags.every((flag) => flag === '--force')) return serve(flags.length > 0)
  onEndWanted(npmScript(), { end: exitUnfinished, endAtOnce: exitUnfinished })
  // In `restore … | head` the reader ends first. The work continues without its lines.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  process.exitCode = await runCommand(args, {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  })
}

/** @param migratesBesideOthers although servers of another release are alive */
async function serve(migratesBesideOthers: boolean): Promise<void> {
  const config = readConfig(process.env)
  const secrets = readSecrets(process.env)
  const log = openLog(config)
  logWarningsTo(log)
  for (const sentence of settingWarnings(process.env)) log.warn({}, sentence)
  let server: Server | undefined
  const end = (why: string) =>
    server === undefined ? exitUnfinished() : void endInOrder(server, why, { config, log })
  onEndWanted(npmScript(), { end, endAtOnce: () => process.exit(1) })
  const downloads = downloadsOf(process.env, (err) =>
    log.error({ err }, 'There are no packages for /downloads.'),
  )
  warnOfIssuer(config, secrets, log)
  server = await startServer(config, secrets, {
    ...{ log, downloads, migratesBesideOthers },
    onNewerRelease: () => end('newer release'),
  })
  void notifyServiceManager(notifySocket(), 'READY=1', log)
  greet({ url: server.url, config, onServer: secrets.databaseUrl !== undefined }, log)
}

const notifySocket = () => process.env['NOTIFY_SOCKET']

/** Logs an issuer that proves wrong when it is asked. */
function warnOfIssuer({ oidc }: Config, { oidcClientSecret }: Secrets, log: Logger): void {
  if (oidc === null) return
  const { issuer, clientId } = oidc
  void issuerFault({ issuer: () => issuer, clientId, clientSecret: oidcClientSecret! }).then((fault) => {
    if (fault !== undefined) log[fault.level]({}, fault.sentence)
  })
}

const npmScript = () => process.env['npm_lifecycle_script']

/** Writes one JSON object per line; on a terminal, readable text. */
function openLog({ logLevel: level }: Config): Logger {
  if (!process.stdout.isTTY) return pino(logOptions(level))
  return pino({
    ...logOptions(level),
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } },
  })
}

/** Logs warnings of Node as JSON. Node would write plain text. */
function logWarningsTo(log: Logger): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn({ err: warning }, warning.message))
}

interface Running {
  readonly url: string
  readonly config: Config
  /** True if the database is a PostgreSQL server. */
  readonly onServer: boolean
}

/** Writes a banner to a terminal; elsewhere it writes log lines, so that every line of the output is JSON. */
function greet(running: Running, log: Logger): void {
  const { url, config, onServer } = running
  if (process.stdout.isTTY) return void process.stdout.write(welcome(running))
  const issuer = config.oidc?.issuer ?? null
  log.info({ url, signIn: issuer, data: placesOf(config, onServer) }, 'Ulmus is running.')
  if (issuer === null) log.warn({}, openDoor)
}

const openDoor =
  'With the built-in sign-in, anyone who can open this address can sign in as any user. Set OIDC_ISSUER before others can reach it.'

function welcome({ url, config, onServer }: Running): string {
  const signIn = config.oidc === null ? 'any name, no password: development only' : `by ${config.oidc.issuer}`
  return `
  Ulmus is running.

  Open           ${url}
  Sign in        ${url}/auth/login   (${signIn})
  Documents      ${url}/docs
  Data           ${placesOf(config, onServer)}

${config.oidc === null ? `  WARNING: ${openDoor}\n\n` : ''}`
}

function placesOf({ dataFolder, objectStore }: Config, onServer: boolean): string {
  const bucket = objectStore && `s3://${objectStore.bucket}/${objectStore.prefix}`
  if (bucket !== null)
    return `${bucket} (objects); the database is ${onServer ? 'at DATABASE_URL' : `in ${dataFolder}`}`
  return `${dataFolder}${onServer ? ' (objects; the database is at DATABASE_URL)' : ''}`
}

/** Exits with the code of a process that SIGTERM ended. Everything acknowledged is on disk. */
const exitUnfinished = () => process.exit(143)

interface Ending {
  readonly config: Pick<Config, 'drainSeconds'>
  readonly log: Logger
}

/** Lets load balancers notice the end; then accepts no new connections, finishes running requests and jobs, exits with 0. */
async function endInOrder(server: Server, signal: string, { config, log }: Ending): Promise<void> {
  const { drainSeconds } = config
  if (drainSeconds > 0) {
    log.info({ signal, drainSeconds }, `Ending in ${drainSeconds} s: /readyz answers 503 from now on.`)
    server.registry.health.drain()
    await sleep(drainSeconds * 1_000)
  }
  log.info({ signal }, 'Ending: requests and jobs under way are finished first.')
  setTimeout(() => process.exit(0), endSecondsMax * 1000).unref()
  void notifyServiceManager(notifySocket(), 'STOPPING=1', log)
  try {
    await server.close()
  } catch (error) {
    log.error({ err: error }, 'Something could not be closed in order.')
  }
  process.exit(0)
}

/** Writes one sentence for what the operator can fix. Writes the stack of a defect: as text on a terminal, else as a JSON line. */
function tellWhyNot(error: unknown): void {
  const { 2: command = 'start' } = process.argv
  // `config` has written them.
  const hints = error instanceof ConfigError && command !== 'config' ? misspeltIn(process.env) : []
  const reason = sentenceOf(error, command, process.env['DATA_DIR'])
  const sentence = reason && [reason, ...hints].join(' ')
  const failed = command === 'start' ? 'Ulmus cannot start.' : `${command} cannot run:`
  if (sentence !== undefined) return void process.stderr.write(`${failed} ${sentence}\n`)
  if (process.stderr.isTTY)
    return void process.stderr.write(`${failed.slice(0, -1)}:\n${(error as Error).stack}\n`)
  pino(logOptions('fatal'), pino.destination({ fd: 2, sync: true })).fatal({ err: error }, failed)
}

main().catch((error: unknown) => {
  tellWhyNot(error)
  process.exit(1)
})
