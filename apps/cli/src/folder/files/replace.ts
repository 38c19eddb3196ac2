/**
 * Replaces files of a working folder together: stages the new files, writes a journal of their paths, then moves them. After a kill, the
 * next command finishes the moves, so a folder never mixes two versions.
 */
import { parseJson } from '@ulmus/content'
import { CommandError } from '../../terminal/failure.ts'
import { fileAt, moveInside, readInside, removeFile, writeWhole } from './inside.ts'
import { dotFolder, paths } from './layout.ts'

/** `.ulmus/replacement.json`. Paths from the root. */
export interface Replacement {
  /** Staged files, each at `stagedPath`. */
  readonly places: readonly string[]
  /** Files to remove. */
  readonly removes: readonly string[]
}

/** Path of the staged copy of the new file `path`. */
export const stagedPath = (path: string): string => `${paths.staged}/new/${path}`

/** Moves staged files into place. Writes the journal before the first move, and removes it after the last. */
export function replaceAll(root: string, replacement: Replacement): void {
  demandOwn(replacement)
  writeWhole(root, paths.replacement, JSON.stringify(replacement))
  carryOut(root, replacement)
}

/**
 * Finishes the moves of a killed program. Does nothing if there are none.
 * @throws CommandError if the list names a path outside of `own`: the folder came from an untrusted source
 */
export function finishReplacement(root: string): void {
  const bytes = readInside(root, paths.replacement)
  if (bytes === undefined) return
  const left = parseJson(bytes.toString()) as Replacement
  demandOwn(left)
  carryOut(root, left)
}

/** A file name that is not hidden, so neither `.git` nor `.envrc`. */
const name = '[^./][^/]*'
/** Matches the files that this program may replace or remove. */
const own = new RegExp(
  `^(?:${[
    'README\\.md',
    'metadata\\.json',
    `schemas/${name}\\.json`,
    `records/(?:${name}/)?${name}\\.ndjson`,
    `files/(?:${name}/)*${name}`,
    `${dotFolder}/folder\\.json`,
    `${dotFolder}/base/version\\.json`,
    `${dotFolder}/base/records/${name}\\.ndjson`,
    `${dotFolder}/set-aside/${name}\\.ndjson`,
  ].join('|')})$`,
)

function demandOwn({ places, removes }: Partial<Replacement>): void {
  const named = [places, removes].flatMap((paths) => (Array.isArray(paths) ? paths : [null]))
  const strange = named.find((path) => typeof path !== 'string' || !own.test(path))
  if (strange !== undefined)
    throw new CommandError(
      `${paths.replacement} names ${JSON.stringify(strange)}, which ulmus never replaces. Do not trust this folder: clone the collection again.`,
      { code: 'unsafe_path' },
    )
}

function carryOut(root: string, { places, removes }: Replacement): void {
  for (const path of removes) removeFile(root, path)
  // Files that were moved before the kill have no staged copy.
  for (const path of places)
    if (fileAt(root, stagedPath(path)) !== undefined) moveInside(root, stagedPath(path), path)
  removeFile(root, paths.replacement)
}
