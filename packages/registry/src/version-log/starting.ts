/** The log when a server starts: warnings if the server has no key or the log a trial's name, and the first checkpoint before the first request. */
import { findLog, listLogKeys } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { type LogSigners, publicOrigin } from './signing.ts'

const everywhere = 'Name its file in VERSION_LOG_KEY_FILE on all servers, or set VERSION_LOG=off.'
const withoutKeys = `The log of versions is not signed, because it has no key. Make one with \`ulmus-server log key\`, or take the one from before a restore. ${everywhere}`
/** A new key would be refused, and new versions would get 503. */
const withKey = (name: string) =>
  `The log of versions is not signed, because this server lacks its key, ${name}. It was log.key in DATA_DIR of the server before, or in the file of VERSION_LOG_KEY_FILE there; the log takes no other. ${everywhere} If it is lost: docs/troubleshooting.md, "The signed log".`

const ofTrial = (name: string, publicUrl: string) =>
  `The log of versions is called ${name}, as in a trial, and PUBLIC_URL is ${publicUrl}. Run \`ulmus-server log restart\` with the settings of the server, before readers trust the name: it then has the host of PUBLIC_URL (docs/going-live.md, "Name of the log").`

export interface Starting {
  /** Appends what waits, and signs. */
  sign(): Promise<void>
  /** Undefined: not known. */
  publicUrl: string | undefined
}

export async function startLog(
  { database, log }: Pick<Context, 'database' | 'log'>,
  signers: 'off' | LogSigners,
  { sign, publicUrl }: Starting,
): Promise<void> {
  if (signers === 'off') return
  if (signers.length === 0) {
    const keys = await listLogKeys(database)
    const last = keys.findLast(({ until }) => until === null) ?? keys.at(-1)
    return log.warn({}, last === undefined ? withoutKeys : withKey(shortName(last.vkey)))
  }
  // The background job repeats it, and reports its failures.
  if ((await findLog(database))?.checkpoint == null) await sign().catch(() => undefined)
  const origin = (await findLog(database))?.origin
  if (publicUrl !== undefined && origin != null && publicOrigin(origin, publicUrl) !== undefined)
    log.warn({}, ofTrial(origin, publicUrl))
}

/** Name and id of a public key, which are in its secret one too: `registry.example/log/1+1a2b3c4d`. */
const shortName = (vkey: string): string => vkey.split('+').slice(0, 2).join('+')
