/** Settings of a run, from the environment. */
import { randomInt } from 'node:crypto'

export type StageName = 'embedded' | 'servers' | 'failover'

export interface Settings {
  /** The same seed gives the same order of operations and faults. */
  readonly seed: string
  /** Duration of the whole run, divided equally among the stages. Start, checks and end are not included. */
  readonly seconds: number
  readonly stages: readonly StageName[]
  /** Maximum duration of a fault. Milliseconds. */
  readonly lastsMax: number
  /** A violation to plant, to check that the run finds it. */
  readonly plant: string | undefined
  /** Only faults whose kind contains this text. */
  readonly only: string | undefined
  /** True: callers ask expensive questions, and the event loop and memory are watched. */
  readonly isHostile: boolean
}

const stageNames: readonly StageName[] = ['embedded', 'servers', 'failover']

/** @throws Error with a sentence for an invalid value */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const number = (name: string, usual: number): number => {
    const value = Number(environment[name] ?? usual)
    if (Number.isFinite(value) && value > 0) return value
    throw new Error(`${name} must be a number above 0; it is "${environment[name]}".`)
  }
  const given = environment['FAULTS_STAGE']?.split(',') ?? stageNames
  const strange = given.find((one) => !stageNames.some((name) => name === one))
  if (strange !== undefined)
    throw new Error(
      `FAULTS_STAGE must be of ${stageNames.join(', ')}, with commas between; it has "${strange}".`,
    )
  const seconds = number('FAULTS_SECONDS', 300)
  return {
    seed: environment['FAULTS_SEED'] ?? String(randomInt(1_000_000_000)),
    seconds,
    stages: stageNames.filter((name) => given.includes(name)),
    lastsMax: number('FAULTS_LONGEST_SECONDS', seconds < 600 ? 8 : 30) * 1_000,
    plant: environment['FAULTS_PLANT'],
    only: environment['FAULTS_ONLY'],
    isHostile: environment['FAULTS_HOSTILE'] === 'true',
  }
}
