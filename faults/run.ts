/** One run on one stage. Repeats: workers run, a fault is injected, the stage recovers, and everything is checked. */
import { setTimeout as sleep } from 'node:timers/promises'
import { checkAll, checkStores, untilAnswered } from './checks.ts'
import { bystandingCaller, type Caller, hostileCaller } from './hostile/callers.ts'
import { makeTables } from './hostile/tables.ts'
import { ResourceWatch } from './hostile/watch.ts'
import { faults } from './injected/all.ts'
import { calm as nothing } from './injected/calm.ts'
import type { Fault, Injected } from './injected/fault.ts'
import { LogWatch } from './log-watch.ts'
import { watchMeanwhile } from './meanwhile.ts'
import { plantIn } from './plant.ts'
import { Random } from './random.ts'
import type { Report } from './report.ts'
import { Requests, type Weather } from './requests.ts'
import type { Settings } from './settings.ts'
import { makeAccount, makeCollaborators, type Stage } from './stage.ts'
import { finishErasures, sweepBeside } from './sweeping.ts'
import { Gate, Worker } from './workload.ts'
import { revokeLeft, watchRevoked, writeSoon } from './writing.ts'

const workersCount = 5
const startMillisecondsMax = 60_000
/** Time from the end of a fault until every server reports that it is well. Milliseconds. */
const recoveredMillisecondsMax = 60_000
/** Time from then until all running requests are answered. Milliseconds. */
const answeredMillisecondsMax = 30_000
/** A run is longer by up to this time until there is something to plant a violation in. */
const plantingMillisecondsMax = 90_000
/** Work between two faults. Milliseconds. */
const calm = [300, 2_500] as const

export class Run {
  readonly #stage: Stage
  readonly #settings: Settings
  readonly #report: Report
  readonly #random: Random
  readonly #weather: Weather = { isCalm: true, isFull: false, changes: 0 }
  readonly #gate = new Gate()
  readonly #requests: Requests
  readonly #log: LogWatch
  readonly #workers: readonly Worker[]
  readonly #resources: ResourceWatch
  #working = 0

  constructor(stage: Stage, settings: Settings, report: Report) {
    this.#stage = stage
    this.#settings = settings
    this.#report = report
    this.#random = new Random(`${settings.seed} ${stage.name}`)
    this.#requests = new Requests(stage.servers, report, this.#weather)
    this.#log = new LogWatch(stage.servers, this.#requests, report)
    this.#resources = new ResourceWatch(stage.servers, report)
    const parts = { random: this.#random, requests: this.#requests, report }
    this.#workers = Array.from({ length: workersCount }, (_, index) => new Worker(`w${index + 1}`, parts))
  }

  /** Runs for this time, or until the first violation. */
  async play(seconds: number): Promise<void> {
    if (!(await this.#untilWell(startMillisecondsMax)))
      return this.#report.violation('the servers do not start')
    const { url } = this.#stage.servers[0]!
    this.#requests.key = await makeAccount(url)
    this.#requests.setKeys(await makeCollaborators(url))
    const until = performance.now() + seconds * 1_000
    const callers = this.#settings.isHostile ? await this.#callers() : []
    const work = Promise.all([...this.#workers, ...callers].map((one) => this.#work(one)))
    const watched = Promise.all([
      this.#log.watch(),
      ...(this.#settings.isHostile ? [this.#resources.watch()] : []),
    ])
    // Times without a fault are for the waits beside hostile questions.
    const kinds = [...faults, ...(this.#settings.isHostile ? [nothing] : [])].filter(
      ({ isPossible, kind }) => isPossible(this.#stage) && kind.includes(this.#settings.only ?? ''),
    )
    if (kinds.length === 0) throw new Error(`No fault is named "${this.#settings.only}" here.`)
    const random = this.#random.child('faults')
    let { plant } = this.#settings
    const isDue = () => performance.now() < until + (plant === undefined ? 0 : plantingMillisecondsMax)
    while (isDue() && this.#report.violations.length === 0) {
      this.#gate.open()
      await sleep(random.between(...calm))
      await this.#breakOnce(random.weighted(kinds), random)
      // On a busy machine many rounds may end before a worker has stored a file.
      if (plant !== undefined && (await plantIn(this.#stage, plant, this.#report))) plant = undefined
      // A stage that does not recover cannot be checked further.
      if (this.#report.violations.length === 0) await this.#lookAtAll({ everything: false })
    }
    this.#gate.open()
    this.#gate.end()
    await work
    this.#log.end()
    this.#resources.end()
    await watched
    if (this.#report.violations.length > 0) return
    await this.#lookAtAll({ everything: false })
    await finishErasures(this.#stage, this.#workers, this.#report)
    if (!(await this.#untilWell(startMillisecondsMax)))
      this.#report.violation('the servers are not well after a sweep')
    else await this.#lookAtAll({ everything: true })
  }

  /** Callers of hostile questions, and a bystander. */
  async #callers(): Promise<Caller[]> {
    const tables = await makeTables(this.#stage.servers[0]!.url)
    const partsOf = (name: string) => ({
      ...{ tables, requests: this.#requests, report: this.#report, weather: this.#weather },
      random: this.#random.child(name),
    })
    const hostile = [
      { name: 'the hostile owner', isSignedIn: true },
      { name: 'a hostile visitor', isSignedIn: false },
      { name: 'another hostile visitor', isSignedIn: false },
    ]
    return [
      ...hostile.map(({ name, isSignedIn }) => hostileCaller(partsOf(name), name, { isSignedIn })),
      bystandingCaller(partsOf('bystander')),
    ]
  }

  async #work(worker: Caller): Promise<void> {
    for (;;) {
      await this.#gate.passed()
      if (this.#gate.isOver) return
      this.#working++
      try {
        await worker.step()
      } catch (error) {
        this.#report.violation(`${worker.name} does not know what to do: ${(error as Error).stack}`)
      } finally {
        this.#working--
      }
    }
  }

  async #breakOnce(fault: Fault, random: Random): Promise<void> {
    const injected = fault.prepare({ stage: this.#stage, random, lastsMax: this.#settings.lastsMax })
    this.#report.say(`${fault.kind}: ${injected.what}, ${(injected.lasts / 1000).toFixed(1)} s`)
    this.#report.fault(fault.kind)
    this.#weather.isCalm = injected.breaksNothing === true
    this.#weather.changes += injected.breaksNothing === true ? 0 : 1
    this.#weather.isFull = injected.fillsDisk === true
    const swept = sweepBeside(this.#stage, random, this.#report)
    const parts = { requests: this.#requests, report: this.#report, random: random.child('writes') }
    if (injected.untilWritten === true) await revokeLeft(parts)
    await injected.begin()
    const [revoked] = await Promise.all([
      injected.untilWritten === true ? writeSoon(fault.kind, parts) : undefined,
      sleep(injected.lasts),
      watchMeanwhile(injected, this.#requests, this.#report, random),
    ])
    let isOver = false
    const watched = watchRevoked(revoked, this.#stage.servers, { report: this.#report, isOver: () => isOver })
    await injected.end()
    await swept
    await this.#recover(fault, injected)
    isOver = true
    await watched
  }

  async #recover(fault: Fault, injected: Injected): Promise<void> {
    const from = performance.now()
    if (!(await this.#untilWell(recoveredMillisecondsMax)))
      this.#report.violation(`${fault.kind}: not well again ${recoveredMillisecondsMax / 1000} s after it`)
    this.#report.waited(`well again after ${fault.kind}`, performance.now() - from)
    for (const end of this.#stage.servers.flatMap((server) => server.takeEnds()))
      if (injected.fillsDisk !== true) this.#report.violation(end)
    this.#gate.close()
    const idle = performance.now()
    while (this.#working > 0 && performance.now() - idle < answeredMillisecondsMax) await sleep(20)
    await untilAnswered(this.#requests, this.#report, answeredMillisecondsMax)
    while (this.#working > 0) await sleep(20)
    this.#weather.isCalm = true
    this.#weather.isFull = false
  }

  /** True if all servers are well within the time. */
  async #untilWell(milliseconds: number): Promise<boolean> {
    const until = performance.now() + milliseconds
    for (;;) {
      const well = await Promise.all(this.#stage.servers.map((server) => server.isWell()))
      if (well.every(Boolean)) return true
      if (performance.now() > until) return false
      await sleep(50)
    }
  }

  async #lookAtAll(options: { everything: boolean }): Promise<void> {
    const from = performance.now()
    await Promise.all([checkAll(this.#workers, options), checkStores(this.#stage, this.#report)])
    await this.#log.checkGrown()
    if (options.everything)
      for (const collection of this.#workers.flatMap(({ collections }) => collections))
        await this.#log.checkVersions(collection)
    this.#report.waited('all is looked at', performance.now() - from)
  }
}
