/** The log when a server starts: a warning if the server has no key, and the first checkpoint before the first request. */
import { findLog, listLogKeys } from '@ulmus/storage'
import type { Context } from '../context.ts'
import type { LogSigners } from './signing.ts'

const everywhere = 'Name its file in VERSION_LOG_KEY_FILE on all servers, or set VERSION_LOG=off.'
const withoutKeys = `The log of versions is not signed, because it has no key. Make one with \`ulmus-server log key\`, or take the one from before a restore. ${everywhere}`
/** A new key would be refused, and new versions would get 503. */
const withKey = (name: string) =>
  `The log of versions is not signed, because this server lacks its key, ${name}. It was log.key in DATA_DIR of the server before, or in the file of VERSION_LOG_KEY_FILE there; the log takes no other. ${everywhere} If it is lost: docs/troubleshooting.md, "The signed log".`

/** @param sign appends what waits, and signs */
export async function startLog(
  { database, log }: Pick<Context, 'database' | 'log'>,
  signers: LogSigners,
  sign: () => Promise<void>,
): Promise<void> {
  if (signers.length === 0) {
    const keys = await listLogKeys(database)
    const last = keys.findLast(({ until }) => until === null) ?? keys.at(-1)
    return log.warn({}, last === undefined ? withoutKeys : withKey(shortName(last.vkey)))
  }
  if ((await findLog(database))?.checkpoint != null) return
  // The background job repeats it, and reports its failures.
  await sign().catch(() => undefined)
}

/** Name and id of a public key, which are in its secret one too: `registry.example/log/1+1a2b3c4d`. */
const shortName = (vkey: string): string => vkey.split('+').slice(0, 2).join('+')
