/** `.ulmus/push/state.json`: a push that was begun, so that a killed one is gone on with and never done twice. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ResumedPush } from '@ulmus/client'
import { paths } from './layout.ts'
import { writeWhole } from './replace.ts'
import { jsonText } from './state.ts'

export interface PushState {
  /** Of the plan that is being pushed, and its message. */
  readonly digest: string
  readonly host: string
  readonly collection: string
  readonly session: ResumedPush
}

const statePath = `${paths.push}/state.json`

export function readPushState(root: string): PushState | undefined {
  const file = join(root, statePath)
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PushState
  } catch {
    // Written whole or not at all, so somebody else changed it; without it the push begins anew.
    return undefined
  }
}

export const writePushState = (root: string, state: PushState): void =>
  writeWhole(root, statePath, jsonText(state))

export const forgetState = (root: string): void => rmSync(join(root, statePath), { force: true })

/** Ends what is known of a push: it is done, or begins anew. */
export const forgetPush = (root: string): void =>
  rmSync(join(root, paths.push), { recursive: true, force: true })
