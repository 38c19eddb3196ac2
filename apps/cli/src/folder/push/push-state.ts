/** `.ulmus/push/state.json`, a format on disk: an unfinished push. It is resumed from this state, and never published twice. */
import type { ResumedPush } from '@ulmus/client'
import { parseJson } from '@ulmus/content'
import { jsonText } from '../base/state.ts'
import { readInside, removeFile, removeFolder, writeWhole } from '../files/inside.ts'
import { paths } from '../files/layout.ts'

export interface PushState {
  /** Identifies the plan of the push and its message. */
  readonly digest: string
  readonly host: string
  readonly collection: string
  readonly session: ResumedPush
}

const statePath = `${paths.push}/state.json`

/** Undefined if no push is unfinished, or the file is damaged. */
export function readPushState(root: string): PushState | undefined {
  const bytes = readInside(root, statePath)
  if (bytes === undefined) return undefined
  try {
    return parseJson(bytes.toString()) as PushState
  } catch {
    // Writes are atomic, so another program changed the file. Start a new push.
    return undefined
  }
}

export const writePushState = (root: string, state: PushState): void =>
  writeWhole(root, statePath, jsonText(state))

/** Removes the state but keeps the planned changes, before a new push begins. */
export const forgetState = (root: string): void => removeFile(root, statePath)

/** Removes the state of a push that is finished or starts over. */
export const forgetPush = (root: string): void => removeFolder(root, paths.push)
