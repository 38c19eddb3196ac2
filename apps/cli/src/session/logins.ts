/** Stores keys of registries in the system's keychain, else in the settings, readable only by their owner. */
import { eraseKeychain, writeKeychain } from './keychain.ts'
import { readSettings, writeSettings } from './settings.ts'

export interface KeptLogin {
  readonly host: string
  readonly account: string
  readonly key: string
  readonly keyId?: string
}

/** Stores a login and makes its registry the default. @returns the place of the key */
export async function keepLogin(
  env: NodeJS.ProcessEnv,
  { host, account, key, keyId }: KeptLogin,
): Promise<'keychain' | 'file'> {
  const isInKeychain = await writeKeychain(host, key)
  const { logins } = readSettings(env)
  const login = { account, keyId, ...(isInKeychain ? {} : { key }) }
  writeSettings(env, { host, logins: { ...logins, [host]: login } })
  return isInKeychain ? 'keychain' : 'file'
}

/** Removes the key of a registry from the keychain and the settings. */
export async function forgetLogin(env: NodeJS.ProcessEnv, host: string): Promise<void> {
  await eraseKeychain(host)
  const { [host]: _forgotten, ...logins } = readSettings(env).logins
  writeSettings(env, { host: readSettings(env).host, logins })
}
