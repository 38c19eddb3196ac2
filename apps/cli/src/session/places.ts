/** Folders of the command line: the XDG base directories, or what the system has in their place. */
import { homedir } from 'node:os'
import { join } from 'node:path'

const windowsBase = (env: NodeJS.ProcessEnv): string | undefined =>
  process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined

/** Settings and, where there is no keychain, credentials. */
export const configFolder = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CONFIG_HOME'] || windowsBase(env) || join(homedir(), '.config'), 'ulmus')

/** Cache folder. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CACHE_HOME'] || windowsBase(env) || join(homedir(), '.cache'), 'ulmus')
