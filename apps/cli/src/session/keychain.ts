/** Keychain of the system, if it keeps secrets across restarts. */

const service = 'ulmus'
/** Linux's kernel keyring loses its content at a restart, so use only the Secret Service. */
const lasting = { linux: { store: 'secret-service' } } as const

async function entryOf(host: string) {
  const { Entry } = await import('@napi-rs/keyring')
  return new Entry(service, host, lasting)
}

/** Undefined if there is no keychain, or no key of `host` in it. */
export async function readKeychain(host: string): Promise<string | undefined> {
  return (await attempt(async () => (await entryOf(host)).getPassword())) ?? undefined
}

/** Stores a key. @returns false if the keychain refused */
export async function writeKeychain(host: string, key: string): Promise<boolean> {
  const written = await attempt(async () => {
    const entry = await entryOf(host)
    entry.setPassword(key)
    return entry.getPassword() === key
  })
  return written === true
}

/** Removes a key, if there is one. */
export const eraseKeychain = (host: string): Promise<unknown> =>
  attempt(async () => (await entryOf(host)).deletePassword())

/** Returns undefined on any error: no module for this system, no service, a locked keychain. The caller then uses the file. */
async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}
