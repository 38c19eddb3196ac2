/** File descriptors: how many this process may have open, and how many of them may be connections. */
import { readdirSync, readFileSync } from 'node:fs'
import { ConfigError } from './variables.ts'

export interface Descriptors {
  /** Limit of open descriptors. */
  readonly limit: number
  /** Open descriptors, including the database's files once the stores are open. */
  readonly open: number
}

/** Default if the system does not report a limit. macOS allows more; Windows has none. */
const usual: Descriptors = { limit: 4_096, open: 256 }
/** Below it a server that many use runs out of them. */
export const fewDescriptors = 4_096
/** For threads and what the database and packs open later. */
const reserve = 128
/** Each takes some 20 kB. */
const connectionsMax = 8_192
const connectionsMin = 16

/** Node raises the limit as it starts as far as it may: to the hard one. */
export function readDescriptors(): Descriptors {
  try {
    const soft = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    const limit = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? usual.limit)
    return { limit, open: readdirSync('/proc/self/fd').length }
  } catch {
    return usual
  }
}

/**
 * Connections that there may be unless the operator says otherwise: half of the descriptors that are free, since each may need a second
 * one, for the file that it sends or receives.
 * @throws ConfigError when there are too few to work at all.
 */
export function connectionsFor({ limit, open }: Descriptors): number {
  const most = Math.floor((limit - open - reserve) / 2)
  if (most >= connectionsMin) return Math.min(connectionsMax, most)
  throw new ConfigError(
    `This process may open ${limit} files and connections, and has ${open} open as it starts: too few are left. ${descriptorCure}`,
  )
}

export const descriptorCure = `Allow it ${fewDescriptors} or more: \`ulimit -n\` in a shell, LimitNOFILE in a unit of systemd, --ulimit nofile for a container.`
