/** Settings of requests to others' servers. docs/configuration.md */
import { hasPlainHost, type Outside, readAllowed } from '@ulmus/registry'
import { ConfigError, passwordEscapes, type Variables } from './variables.ts'

export interface OutsideSettings {
  /** `OUTSIDE_ALLOW` as it was given: addresses besides the public ones. */
  readonly allow: string
}

/** @returns null if the registry sends no requests to others' servers. @throws ConfigError */
export function readOutside(read: Variables): OutsideSettings | null {
  const allow = read.text('OUTSIDE_ALLOW') ?? ''
  try {
    readAllowed(allow)
  } catch (error) {
    throw new ConfigError(`OUTSIDE_ALLOW is wrong: ${(error as Error).message}.`)
  }
  return read.isOn('OUTSIDE') ? Object.freeze({ allow }) : null
}

/** The message does not repeat the value, which may have a password. @returns undefined: requests go to their servers directly. @throws ConfigError */
export function readOutsideProxy(read: Variables): string | undefined {
  const text = read.text('OUTSIDE_PROXY')
  if (text === undefined) return undefined
  const proxy = URL.parse(text)
  if (
    proxy !== null &&
    /^https?:$/.test(proxy.protocol) &&
    hasPlainHost(proxy) &&
    proxy.pathname + proxy.search + proxy.hash === '/'
  )
    return proxy.href
  throw new ConfigError(
    `OUTSIDE_PROXY must be like http://proxy.example:4750 or http://user:password@proxy.example:4750, without a path. In a password, ${passwordEscapes}.`,
  )
}

/** @param proxy as `readOutsideProxy` returns it */
export const outsideOf = (settings: OutsideSettings | null, proxy: string | undefined): Outside | null =>
  settings && {
    allowed: readAllowed(settings.allow),
    proxy: proxy === undefined ? undefined : new URL(proxy),
  }
