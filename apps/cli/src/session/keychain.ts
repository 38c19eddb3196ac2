/** The system's keychain, where there is one that keeps secrets over a restart. */

const service = 'ulmus'
/** Linux's kernel keyring forgets at a restart, so only the Secret Service counts. */
const lasting = { linux: { store: 'secret-service' } } as const

async function entryOf(host: string) {
  const { Entry } = await import('@napi-rs/keyring')
  return new Entry(service, host, lasting)
}

/** Undefined where there is no keychain, or no key of `host` in it. */
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

export const eraseKeychain = (host: string): Promise<unknown> =>
  attempt(async () => (await entryOf(host)).deletePassword())

/** No module for this system, no service, a locked one: all mean that the file is used. */
async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}
