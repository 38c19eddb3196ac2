/** True if this is `npm run test:fast`, which skips large inputs and child processes: `skip(isFast)`. */
export const isFast = process.env['LAWS'] === 'fast'

/** CPU time of this thread so far, for laws about cost. Milliseconds. */
export function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Number of runs of a property test: `count`, or a tenth of it in the fast loop. */
export const runs = (count: number): number => (isFast ? Math.ceil(count / 10) : count)
