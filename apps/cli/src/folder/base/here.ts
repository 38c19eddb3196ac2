/** Collection of the current folder, as the default for references. */
import { type CollectionName, parseReference, pathOf, type Reference } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { findRoot } from '../files/layout.ts'
import { collectionOf, readState } from './state.ts'

/** Undefined outside of working folders, and in a folder without a collection. */
export function collectionHere(cwd: string): CollectionName | undefined {
  const root = findRoot(cwd)
  if (root === undefined) return undefined
  const state = readState(root)
  return state.collection === null ? undefined : collectionOf(state)
}

/** Returns the given reference, or else the collection of the current folder. @throws CommandError (usage) */
export function referenceHere(cwd: string, text: string | undefined): Reference {
  // A complete reference ignores the folder, so a damaged folder must not matter.
  if (text !== undefined) return parseReference(text, () => collectionHere(cwd))
  const here = collectionHere(cwd)
  if (here !== undefined) return here
  throw usageError('No collection given. Name one as `owner/slug`, or run the command in a working folder.')
}

/**
 * Version for a command that changes it permanently; in a working folder its number suffices. Refuses `latest`, which could name a different version in the next request.
 * @throws CommandError (usage)
 */
export function versionHere(cwd: string, text: string): Reference & { readonly version: string } {
  const isNumber = /^v?\d+\.\d+\.\d+$/.test(text) && collectionHere(cwd) !== undefined
  const reference = referenceHere(cwd, isNumber ? `@${text}` : text)
  const { version, type } = reference
  const next = [`ulmus log ${shellWord(pathOf(reference))}`]
  if (type !== undefined) throw usageError('This works on whole versions only. Remove the part from `#`.')
  if (version === undefined)
    throw usageError(
      `\`${text}\` has no version. Use the form \`${shellWord(`${pathOf(reference)}@v1.2.0`)}\`.`,
      next,
    )
  if (version === 'latest')
    throw usageError('`latest` is not a fixed version. Name the version by its number.', next)
  return { ...reference, version }
}
