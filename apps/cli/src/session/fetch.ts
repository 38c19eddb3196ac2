/** `fetch` through the proxy that the usual variables name. It follows no redirect, so that keys and codes reach no other address. */
import { arch, platform } from 'node:os'
import { version } from '../version.ts'

export const userAgent = `ulmus/${version} (${platform()} ${arch()}; node ${process.versions.node})`

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

export async function fetchOf(env: NodeJS.ProcessEnv): Promise<typeof globalThis.fetch> {
  const send = proxyVariables.some((name) => env[name]) ? await fetchByProxy() : globalThis.fetch
  return (input, init) =>
    send(input, { redirect: 'manual', ...init, headers: { ...init?.headers, 'user-agent': userAgent } })
}

/** The global `fetch` reads no proxy variables in Node 20 and 22. */
async function fetchByProxy(): Promise<typeof globalThis.fetch> {
  // CommonJS: once it is bundled, it has a default export alone.
  const { EnvHttpProxyAgent, fetch } = (await import('undici')).default
  const dispatcher = new EnvHttpProxyAgent()
  return ((input: never, init: object) =>
    fetch(input, { ...init, dispatcher })) as unknown as typeof globalThis.fetch
}
