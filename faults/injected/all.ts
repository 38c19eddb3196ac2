/** All faults of a run. To add one: a `Fault` in a file of this folder, and its name here. */

import { clockBack } from './clock.ts'
import { fullDisk } from './disk.ts'
import { failover } from './failover.ts'
import type { Fault } from './fault.ts'
import { network } from './network.ts'
import { freeze, kill, killAll, killTwice, restartPostgres, terminate } from './processes.ts'
import { killSweep } from './sweeps.ts'

export const faults: readonly Fault[] = [
  ...[kill, killAll, killTwice, terminate, freeze, restartPostgres, killSweep],
  ...network,
  ...failover,
  ...[fullDisk, clockBack],
]
