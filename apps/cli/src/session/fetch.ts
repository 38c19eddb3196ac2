/** `fetch` through the proxy in the usual environment variables. It follows no redirect, so that keys and codes reach no other address. */
import { arch, platform } from 'node:os'
import { version } from '../version.ts'

export const userAgent = `ulmus/${version} (${platform()} ${arch()}; node ${process.versions.node})`

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

/** The proxy client is loaded only if a variable names a proxy. */
export async function fetchOf(env: NodeJS.ProcessEnv): Promise<typeof globalThis.fetch> {
  const send = proxyVariables.some((name) => env[name]) ? await fetchByProxy() : globalThis.fetch
  return (input, init) =>
    send(input, { redirect: 'manual', ...init, headers: { ...init?.headers, 'user-agent': userAgent } })
}

/** The global `fetch` ignores proxy variables in Node 20 and 22. */
async function fetchByProxy(): Promise<typeof globalThis.fetch> {
  // A CommonJS module: once bundled, it has only a default export.
  const { EnvHttpProxyAgent, fetch } = (await import('undici')).default
  const dispatcher = new EnvHttpProxyAgent()
  return ((input: never, init: object) =>
    fetch(input, { ...init, dispatcher })) as unknown as typeof globalThis.fetch
}
