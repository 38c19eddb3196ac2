/** Watches the signed log: all checkpoints that any server sends are of one log, which only grows and has every version that stands. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, type LogStatement } from '@ulmus/client'
import { parseDigestLabel } from '@ulmus/content'
import {
  bytesOfBase64,
  type Checkpoint,
  checkContinues,
  equalBytes,
  fullCommitment,
  LogError,
  openCheckpoint,
  parseStatement,
  parseVkey,
  type Trust,
  tilePath,
} from '@ulmus/content/log'
import type { CollectionModel } from './model.ts'
import type { Report } from './report.ts'
import type { Requests } from './requests.ts'
import type { FaultyServer } from './server.ts'

const everyMilliseconds = 300
const answeredMilliseconds = 5_000
/** Versions are logged a second after their commit; after faults it takes longer. Milliseconds. */
const loggedMillisecondsMax = 20_000

export class LogWatch {
  readonly #servers: readonly FaultyServer[]
  readonly #requests: Requests
  readonly #report: Report
  readonly #seen = new Map<string, Checkpoint>()
  #trust: Trust | undefined
  #isOver = false

  constructor(servers: readonly FaultyServer[], requests: Requests, report: Report) {
    this.#servers = servers
    this.#requests = requests
    this.#report = report
  }

  /** Reads checkpoints until `end`. */
  async watch(): Promise<void> {
    while (!this.#isOver) {
      for (const server of this.#servers) await this.#read(server)
      await sleep(everyMilliseconds)
    }
  }

  end(): void {
    this.#isOver = true
  }

  /** Checks that the log continues all checkpoints so far. Call it while the servers are well. */
  async checkGrown(): Promise<void> {
    const before = [...this.#seen.values()]
    const server = this.#servers[0]!
    const latest = await this.#read(server)
    if (latest === undefined) {
      if (before.length > 0) this.#report.violation('the checkpoint of the log cannot be read')
      return
    }
    const client = this.#clientOf(server)
    for (const earlier of before)
      await checkContinues(earlier, latest, (tile) => client.log.file(tilePath(tile))).catch(
        (error: Error) => {
          this.#report.violation(
            `the log of ${latest.size} does not continue ${earlier.size}: ${error.message}`,
          )
        },
      )
  }

  /** Checks that the log has a statement with the digest of each version that stands. */
  async checkVersions(collection: CollectionModel): Promise<void> {
    const end = performance.now() + loggedMillisecondsMax
    for (;;) {
      const missing = await this.#unstated(collection)
      if (missing.length === 0) return
      if (performance.now() > end)
        return this.#report.violation(`${collection.path}: the log does not have ${missing.join(', ')}`)
      await sleep(everyMilliseconds)
    }
  }

  async #unstated({ path, standing }: CollectionModel): Promise<string[]> {
    const { log } = this.#clientOf(this.#servers[0]!)
    const full = new Map<string, boolean>()
    const hashes = new Map(standing.map(({ semver, hash }) => [semver, hash]))
    const all: LogStatement[] = []
    for (let more = true; more; ) {
      const page = await log.statements(path.replace('/api/collections/', ''), all.at(-1)?.seq ?? 0)
      all.push(...page)
      more = page.length > 0
    }
    for (const one of all) {
      if ('erased' in one) continue
      const { kind, semver, full: stated } = parseStatement(one.statement)
      const label = parseDigestLabel(hashes.get(semver ?? '') ?? '')
      if (kind !== 'version' || semver === null || label === undefined) continue
      full.set(semver, stated === fullCommitment(bytesOfBase64(one.fullSalt!)!, label.hash))
    }
    return [...hashes.keys()].filter((semver) => full.get(semver) !== true)
  }

  /** Returns undefined if the server does not answer, or has no log yet. */
  async #read(server: FaultyServer): Promise<Checkpoint | undefined> {
    const note = await noteOf(server)
    if (note === undefined) return undefined
    try {
      this.#trust ??= {
        keys: (await this.#clientOf(server).log.get()).keys.map(({ vkey }) => parseVkey(vkey)),
      }
      const { checkpoint } = openCheckpoint(note, this.#trust)
      const { size, root } = checkpoint
      const known = this.#seen.get(`${size}`)
      if (known !== undefined && !equalBytes(known.root, root))
        this.#report.violation(`${server.name} has signed two logs of ${size} leaves`)
      this.#seen.set(`${size}`, known ?? checkpoint)
      return checkpoint
    } catch (error) {
      if (error instanceof LogError)
        this.#report.violation(`${server.name} sent a checkpoint: ${error.message}`)
      return undefined
    }
  }

  #clientOf({ url }: FaultyServer): Client {
    return createClient({ baseUrl: url, apiKey: this.#requests.key })
  }
}

async function noteOf({ url }: FaultyServer): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/log/checkpoint`, {
      signal: AbortSignal.timeout(answeredMilliseconds),
    })
    const text = await answer.text()
    return answer.status === 200 ? text : undefined
  } catch {
    return undefined
  }
}
