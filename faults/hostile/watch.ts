/** Watches resources that hostile questions may exhaust: the memory of a server with its processes, and its event loop. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineSlowness } from '../../apps/server/src/testing/machine-speed.ts'
import { heldMillisecondsMax } from '../../bench/held-loop.ts'
import { memoryOfTree } from '../../bench/tables/process-tree.ts'
import type { Report } from '../report.ts'
import type { FaultyServer } from '../server.ts'

/** After a start, code is compiled at its first uses; after a pause, many requests are answered in one turn. Milliseconds. */
const startedMilliseconds = 60_000
const everyMilliseconds = 1_000
/** Growth of the largest size from the second to the last quarter of a run. */
const growthMax = 1.25
/** A run with fewer samples, one a second of each server, is too short: memory grows while each question is asked for the first time. */
const samplesMin = 1_000

export class ResourceWatch {
  readonly #servers: readonly FaultyServer[]
  readonly #report: Report
  readonly #sizes: number[] = []
  readonly #lines = new Map<FaultyServer, number>()
  #isOver = false

  constructor(servers: readonly FaultyServer[], report: Report) {
    this.#servers = servers
    this.#report = report
  }

  async watch(): Promise<void> {
    for (const server of this.#servers) this.#lines.set(server, linesOf(server.heldFile).length)
    while (!this.#isOver) {
      for (const server of this.#servers) this.#look(server)
      await sleep(everyMilliseconds)
    }
  }

  #look(server: FaultyServer): void {
    if (server.pid === undefined) return
    this.#sizes.push(memoryOfTree(server.pid))
    const lines = linesOf(server.heldFile)
    const before = this.#lines.get(server) ?? 0
    this.#lines.set(server, lines.length)
    const wellSince = Math.max(server.startedAt, server.stoodStillAt)
    if (performance.now() - wellSince < startedMilliseconds) return
    for (const line of lines.slice(before)) {
      const [held = 0, worked = 0] = line.split(' ').map(Number)
      this.#report.waited('a turn of the event loop', worked)
      this.#report.waited('a turn with collections', held)
      const over = Math.max(worked / heldMillisecondsMax.worked, held / heldMillisecondsMax.most)
      if (over <= 1) continue
      // Measured now: other work on the same cores slows this machine, too.
      const slowness = machineSlowness()
      if (over > slowness)
        this.#report.violation(
          `the event loop of ${server.name} was held for ${held} ms of CPU time, ${worked} ms without collections, on a machine that is ${slowness.toFixed(1)} times slower than that of the bounds`,
        )
    }
  }

  /** Compares the memory of the last quarter with that of the second one. */
  end(): void {
    this.#isOver = true
    const quarter = this.#sizes.length >> 2
    const most = (from: number) => Math.max(...this.#sizes.slice(from * quarter, (from + 1) * quarter))
    if (this.#sizes.length < samplesMin) return
    const [early, late] = [most(1), most(3)]
    this.#report.say(
      `memory of a server with its processes: at most ${early.toFixed(0)} MiB in the second quarter, ${late.toFixed(0)} in the last`,
    )
    if (late > early * growthMax)
      this.#report.violation(`the memory of a server grew from ${early.toFixed(0)} to ${late.toFixed(0)} MiB`)
  }
}

function linesOf(file: string): string[] {
  try {
    const text = readFileSync(file, 'utf8').trim()
    return text === '' ? [] : text.split('\n')
  } catch {
    return []
  }
}
