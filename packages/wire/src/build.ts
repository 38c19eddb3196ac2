/** Commit and date of the running program (`@ulmus/wire/build`). Only for Node: browsers never load it. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface Build {
  /** Abbreviated hash. Undefined if the program was built without git. */
  readonly commit?: string
  /** Day of the commit: `2026-11-29`. */
  readonly date?: string
}

/** Commit and day of a released package; `release/bundle.ts` defines it. */
declare const RELEASED_BUILD: string | undefined

/** From sources, git is asked. */
export function findBuild(
  text = typeof RELEASED_BUILD === 'undefined' ? buildOfSources() : RELEASED_BUILD,
): Build {
  const [, commit, date] = /^([0-9a-f]{7,40}) (\d{4}-\d\d-\d\d)$/.exec(text.trim()) ?? []
  return commit === undefined || date === undefined ? {} : { commit, date }
}

/** `5852009b 2026-11-29`; empty if these sources are no checkout, or git is missing. */
export function buildOfSources(folder = join(import.meta.dirname, '../../..')): string {
  // Sources inside another repository must not take its commit.
  if (!existsSync(join(folder, '.git'))) return ''
  try {
    const format = ['log', '-1', '--format=%h %cs', '--abbrev=8']
    return execFileSync('git', ['-C', folder, ...format], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    })
  } catch {
    return ''
  }
}

/** `0.1.0 (5852009b, 2026-11-29)`, or the version alone. */
export const releaseName = (version: string, { commit, date } = findBuild()): string =>
  commit === undefined ? version : `${version} (${commit}, ${date})`
