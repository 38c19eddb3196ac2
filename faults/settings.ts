/** Settings of a run, from the environment. */
import { randomInt } from 'node:crypto'

export type StageName = 'embedded' | 'servers'

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
}

const stageNames: readonly StageName[] = ['embedded', 'servers']

/** @throws Error with a sentence for an invalid value */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const number = (name: string, usual: number): number => {
    const value = Number(environment[name] ?? usual)
    if (Number.isFinite(value) && value > 0) return value
    throw new Error(`${name} must be a number above 0; it is "${environment[name]}".`)
  }
  const stage = environment['FAULTS_STAGE']
  if (stage !== undefined && !stageNames.some((name) => name === stage))
    throw new Error(`FAULTS_STAGE must be one of ${stageNames.join(', ')}; it is "${stage}".`)
  const seconds = number('FAULTS_SECONDS', 300)
  return {
    seed: environment['FAULTS_SEED'] ?? String(randomInt(1_000_000_000)),
    seconds,
    stages: stageNames.filter((name) => stage === undefined || stage === name),
    lastsMax: number('FAULTS_LONGEST_SECONDS', seconds < 600 ? 8 : 30) * 1_000,
    plant: environment['FAULTS_PLANT'],
    only: environment['FAULTS_ONLY'],
  }
}
