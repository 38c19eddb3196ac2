/** Selects the registry and the key of a call. No key may reach a registry that the user did not name or sign in to. */
import { type Client, createClient } from '@ulmus/client'
import { originOf } from '../reference.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { CommandError, usageError } from '../terminal/failure.ts'
import { shellWord } from '../terminal/shell-word.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { fetchOf } from './fetch.ts'
import { readKeychain } from './keychain.ts'
import { retryOf } from './outage.ts'
import { readSettings, type Settings } from './settings.ts'

/** Addresses that may name the registry, apart from the environment and the settings. */
export interface Wanted {
  /** Host of a reference or of a working folder. */
  readonly host?: string
  /** The flag `--host`. */
  readonly flag?: string
  /** `owner/slug`: connect as a job of a trusted publisher of this collection. */
  readonly jobOf?: string | undefined
  /** True: send no key, for answers that all readers get. */
  readonly withoutKey?: boolean
  /** Longest retry of its requests, for answers that a command can do without. Seconds, default: `ULMUS_RETRY_SECONDS`. */
  readonly retrySeconds?: number
}

export interface Connection {
  readonly client: Client
  /** Address of the registry, without a path or a final slash. */
  readonly host: string
  /** Undefined: not signed in to this registry. */
  readonly key: string | undefined
  readonly fetch: typeof globalThis.fetch
}

/**
 * Connects to, in this order: `--host`, the host of the reference or folder, `ULMUS_HOST`, the registry of the last login.
 * @throws CommandError if none is given
 */
export async function connect(terminal: Terminal, wanted: Wanted): Promise<Connection> {
  const { env } = terminal
  const settings = readSettings(env)
  const named = wanted.flag ?? wanted.host ?? (env['ULMUS_HOST'] || settings.host)
  if (named === undefined)
    throw new CommandError('No registry given. Sign in to one, or set --host or ULMUS_HOST.', {
      code: 'no_host',
      next: ['ulmus login --host https://registry.example'],
    })
  const host = hostOf(named)
  const fetch = await fetchOf(env)
  const key = wanted.withoutKey ? undefined : await keyFor(host, env, wanted, settings)
  const options = { baseUrl: host, apiKey: key, fetch, retry: retryOf(terminal, host, wanted.retrySeconds) }
  return { client: createClient(options), host, key, fetch }
}

/** The key of a registry: `ULMUS_TOKEN`, else the one of the login. */
async function keyFor(host: string, env: NodeJS.ProcessEnv, wanted: Wanted, settings: Settings) {
  const login = Object.hasOwn(settings.logins, host) ? settings.logins[host] : undefined
  const kept = login === undefined ? undefined : (login.key ?? (await readKeychain(host)))
  return tokenFor(host, env, wanted, settings.host) ?? kept
}

/** Error for operations of members: nothing is sent to a registry that the user never signed in to. */
export const notSignedIn = (host: string): CommandError =>
  new CommandError(`You are not signed in to ${host}.`, {
    exitCode: exitCodes.denied,
    code: 'unauthenticated',
    next: [`ulmus login --host ${shellWord(host)}`],
  })

/** Stored form of a registry's address: scheme, name, port. @throws CommandError (usage) */
export function hostOf(text: string): string {
  const origin = originOf(text)
  if (origin === undefined)
    throw usageError(
      `\`${text}\` is not the address of a registry. Use the form \`https://registry.example\`.`,
    )
  return origin
}

/**
 * `ULMUS_TOKEN`, for a registry that the user named: by `--host`, `ULMUS_HOST` or the last login. A reference or folder from another person
 * must not redirect the key.
 */
function tokenFor(
  host: string,
  env: NodeJS.ProcessEnv,
  wanted: Wanted,
  usual: string | undefined,
): string | undefined {
  const token = env['ULMUS_TOKEN']
  if (!token) return undefined
  const trusted = wanted.flag ?? (env['ULMUS_HOST'] || usual)
  if (trusted !== undefined && hostOf(trusted) === host) return token
  // Propose no command: the host may come from an untrusted folder or reference, and a pasted command would send the key there.
  throw new CommandError(
    `ULMUS_TOKEN is set, but not for ${host}. If the key is from there, set ULMUS_HOST to that address; otherwise unset ULMUS_TOKEN. If a working folder names an address that the registry had before, correct it in .ulmus/folder.json.`,
    { code: 'token_of_another_host' },
  )
}
