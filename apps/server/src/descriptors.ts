/** File descriptors: the limit of this process, and the share of them for connections. */
import { readdirSync, readFileSync } from 'node:fs'
import { ConfigError } from './variables/variables.ts'

export interface Descriptors {
  /** Limit of open descriptors. */
  readonly limit: number
  /** Open descriptors, including those that the database will have open. */
  readonly open: number
}

/** Defaults if the system reports no limit. macOS allows more; Windows has no limit. */
const usual: Descriptors = { limit: 4_096, open: 256 }
/** Warn below this limit: a busy server runs out of descriptors. */
export const fewDescriptors = 4_096
/** Open descriptors of a process with the embedded database, which opens its files one by one as statements read them. */
const openWithDatabase = 216
/** Descriptors for threads, and for files that the database and the packs open later. */
const reserve = 128
/** Upper bound of the default limit of connections: each takes some 20 kB. */
const connectionsMax = 8_192
/** The server does not start if the default limit would be lower. */
const connectionsMin = 16

/** Reads the current limit. Node raises its soft limit to the hard limit at start. @param isEmbedded the database is in this process */
export function readDescriptors(isEmbedded: boolean): Descriptors {
  try {
    const soft = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    const limit = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? usual.limit)
    const open = readdirSync('/proc/self/fd').length
    return { limit, open: isEmbedded ? Math.max(open, openWithDatabase) : open }
  } catch {
    return usual
  }
}

/**
 * Default limit of connections: half of the free descriptors, because each connection may need another descriptor for the file that it
 * sends or receives.
 * @throws ConfigError if there are too few descriptors to run.
 */
export function connectionsFor({ limit, open }: Descriptors): number {
  const most = Math.floor((limit - open - reserve) / 2)
  if (most >= connectionsMin) return Math.min(connectionsMax, most)
  throw new ConfigError(
    `This process may open only ${limit} files and connections, and needs ${open} without any connection. ${descriptorCure}`,
  )
}

export const descriptorCure = `Allow it ${fewDescriptors} or more: \`ulimit -n\` in a shell, LimitNOFILE in a unit of systemd, --ulimit nofile for a container.`
