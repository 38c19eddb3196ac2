/** Folders of the command line: the XDG base directories, or their equivalents on other systems. */
import { homedir } from 'node:os'
import { join } from 'node:path'

const windowsBase = (env: NodeJS.ProcessEnv): string | undefined =>
  process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined

/** Settings, and credentials if there is no keychain. */
export const configFolder = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CONFIG_HOME'] || windowsBase(env) || join(homedir(), '.config'), 'ulmus')

/** Cache folder. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CACHE_HOME'] || windowsBase(env) || join(homedir(), '.cache'), 'ulmus')
