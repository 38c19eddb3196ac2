/**
 * Files of a working folder replaced together: what is new is staged, then the moves are written down, then made. A program that
 * is killed in between leaves the moves written down, and the next command makes those that are left. So a folder is never half of
 * one version and half of another.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { CommandError } from '../terminal/failure.ts'
import { paths } from './layout.ts'

/** `.ulmus/replacement.json`. Paths from the root. */
export interface Replacement {
  /** From staged files to their places. */
  readonly moves: readonly (readonly [from: string, to: string])[]
  /** Files that go. */
  readonly removes: readonly string[]
}

export function replaceAll(root: string, replacement: Replacement): void {
  writeWhole(root, paths.replacement, JSON.stringify(replacement))
  carryOut(root, replacement)
}

/**
 * Makes the moves that a killed program left. Harmless when there are none.
 * @throws CommandError for moves out of the folder: nobody wrote them down but whoever made the folder for somebody else to use
 */
export function finishReplacement(root: string): void {
  const file = join(root, paths.replacement)
  if (!existsSync(file)) return
  const left = JSON.parse(readFileSync(file, 'utf8')) as Replacement
  const named = [...left.moves.flat(), ...left.removes]
  const strange = named.find((path) => typeof path !== 'string' || !isInside(root, path))
  if (strange !== undefined)
    throw new CommandError(
      `${file} names a file outside of the folder: ${JSON.stringify(strange)}. Do not trust this folder; clone the collection anew.`,
    )
  carryOut(root, left)
}

function isInside(root: string, path: string): boolean {
  const inside = relative(root, resolve(root, path))
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
}

function carryOut(root: string, { moves, removes }: Replacement): void {
  for (const path of removes) rmSync(join(root, path), { force: true })
  for (const [from, to] of moves) {
    // A move that was made before the kill has no source any more.
    if (!existsSync(join(root, from))) continue
    mkdirSync(dirname(join(root, to)), { recursive: true })
    renameSync(join(root, from), join(root, to))
  }
  rmSync(join(root, paths.replacement), { force: true })
}

/** Writes a small file whole or not at all. */
export function writeWhole(root: string, path: string, text: string | Uint8Array): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.draft`
  writeFileSync(draft, text)
  renameSync(draft, file)
}
