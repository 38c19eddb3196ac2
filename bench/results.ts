/** Results of a run and its machine, as a JSON file. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { DatabaseKind, Figure } from './figures.ts'

export interface Results {
  /** Start of the run, ISO 8601. */
  readonly at: string
  readonly minutes: number
  readonly machine: string
  /** Commit of the sources. */
  readonly commit: string
  /** True if every benchmark ran. */
  readonly complete: boolean
  readonly sizes: readonly number[]
  readonly databases: readonly DatabaseKind[]
  /** `benchmark (database, size): reason`, for each that failed. */
  readonly failures: readonly string[]
  readonly figures: readonly Figure[]
}

const folder = join(import.meta.dirname, 'results')

/** Cores, memory, system and Node in one line. */
export function describeMachine(): string {
  const cores = cpus()
  const model = cores[0]?.model.trim() || 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cores.length} cores (${model}), ${memory} GiB of memory, ${type()} ${release()}, Node ${process.versions.node}`
}

export function commitOfSources(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`
  } catch {
    return 'unknown'
  }
}

/** @returns the path of the file */
export function saveResults(results: Results): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${results.at.slice(0, 16).replace(':', '')}.json`)
  const figures = results.figures.map((figure) => `    ${JSON.stringify(figure)}`).join(',\n')
  const { figures: _, ...facts } = results
  const head = JSON.stringify(facts, null, 2).replace(/\n\}$/, '')
  writeFileSync(path, `${head},\n  "figures": [\n${figures}\n  ]\n}\n`)
  return path
}

export const readResults = (path: string): Results => JSON.parse(readFileSync(path, 'utf8')) as Results
