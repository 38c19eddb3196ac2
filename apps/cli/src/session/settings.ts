/** `settings.json`: the default registry, and where the key of each registry is stored. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseJson } from '@ulmus/content'
import { CommandError } from '../terminal/failure.ts'
import { configFolder } from './places.ts'

export interface Settings {
  /** The registry of the last login. */
  readonly host?: string
  /** By address of the registry. */
  readonly logins: Readonly<Record<string, Login>>
}

/** `key` is set only if there is no keychain. */
export interface Login {
  readonly account: string
  readonly key?: string
  /** Id of the key, with which `logout` revokes it. */
  readonly keyId?: string
}

const fileOf = (env: NodeJS.ProcessEnv): string => join(configFolder(env), 'settings.json')

/** Empty settings if there is no file yet. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const file = fileOf(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { logins: {} }
    throw error
  }
  try {
    return { logins: {}, ...(parseJson(text) as Partial<Settings>) }
  } catch (cause) {
    throw new CommandError(`${file} is not JSON. Fix it, or delete it and sign in again.`, { cause })
  }
}

/** Writes atomically, with access for the owner only. */
export function writeSettings(env: NodeJS.ProcessEnv, settings: Settings): void {
  const file = fileOf(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}
