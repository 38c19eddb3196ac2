/** Speed of this machine, to scale time limits that were measured on another. */
import { createHash } from 'node:crypto'

/** CPU time of `work` on the machine of the limits. Milliseconds. */
const referenceMilliseconds = 8

function work(): void {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: `row-${n}`, name: `Name ${n}`, value: n / 7 }))
  for (let round = 0; round < 10; round++)
    createHash('sha256')
      .update(JSON.stringify(JSON.parse(JSON.stringify(rows))))
      .digest('hex')
}

/** Factor from 1 (as fast as that machine or faster) to 4. The median of nine runs. */
export function machineSlowness(): number {
  const times = Array.from({ length: 9 }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }).sort((a, b) => a - b)
  return Math.min(4, Math.max(1, times[4]! / referenceMilliseconds))
}
