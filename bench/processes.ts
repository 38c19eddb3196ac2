/** CPU time of other processes, and limits of it. Linux only. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Clock ticks of `/proc` are hundredths of a second on Linux. */
const tickMs = 10

interface Stat {
  readonly parent: number
  readonly name: string
  /** Of the process and of its children that have ended. Milliseconds. */
  readonly cpuMs: number
}

/** Undefined for a process that has ended. */
function statOf(pid: string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const end = text.lastIndexOf(')')
    // From the third field on, proc(5): state, parent, …; user and system time, own and of ended children, are fields 14 to 17.
    const fields = text.slice(end + 2).split(' ')
    const cpuMs = fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * tickMs, 0)
    return { parent: Number(fields[1]), name: text.slice(text.indexOf('(') + 1, end), cpuMs }
  } catch {
    return undefined
  }
}

/**
 * CPU time so far of this process and of its children with all of theirs, in milliseconds, by the name that `nameOf` gives a child of this
 * process. This process counts as `client`.
 */
export function cpuByPart(nameOf: (child: { pid: number; name: string }) => string): Map<string, number> {
  const all = new Map<number, Stat>()
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(entry) : undefined
    if (stat !== undefined) all.set(Number(entry), stat)
  }
  const { user, system } = process.cpuUsage()
  const sums = new Map([['client', (user + system) / 1_000]])
  for (const [pid, { cpuMs }] of all) {
    let child = pid
    while (all.has(child) && all.get(child)!.parent !== process.pid) child = all.get(child)!.parent
    const stat = all.get(child)
    if (stat === undefined) continue
    const name = nameOf({ pid: child, name: stat.name })
    sums.set(name, (sums.get(name) ?? 0) + cpuMs)
  }
  return sums
}

const folder = '/sys/fs/cgroup/cpu'
const periodMicroseconds = 10_000

/** True if this process may limit the CPU time of others, by cgroups of version 1. */
export const mayLimit = (): boolean =>
  existsSync(join(folder, 'cpu.cfs_quota_us')) || existsSync(join(folder, 'cpu.shares'))

/**
 * Limits a process with its threads and later children.
 * @param share of one core
 * @returns ends the limit, once the process has ended
 */
export function limitCpu(pid: number, share: number): () => void {
  const own = join(folder, `ulmus-bench-${pid}`)
  mkdirSync(own)
  writeFileSync(join(own, 'cpu.cfs_period_us'), String(periodMicroseconds))
  writeFileSync(join(own, 'cpu.cfs_quota_us'), String(Math.round(share * periodMicroseconds)))
  writeFileSync(join(own, 'cgroup.procs'), String(pid))
  return () => rmdirSync(own)
}
