/** Chooses the registry and the key. */
import { type Client, createClient } from '@ulmus/client'
import { originOf } from '../reference.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { CommandError, usageError } from '../terminal/failure.ts'
import { shellWord } from '../terminal/shell-word.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { fetchOf } from './fetch.ts'
import { readKeychain } from './keychain.ts'
import { readSettings } from './settings.ts'

export interface Wanted {
  /** The host of a reference or of a working folder. */
  readonly host?: string
  /** The flag `--host`. */
  readonly flag?: string
}

export interface Connection {
  readonly client: Client
  /** The registry's address, without a path or a slash at its end. */
  readonly host: string
  /** Undefined: not signed in there. */
  readonly key: string | undefined
  readonly fetch: typeof globalThis.fetch
}

/**
 * The order: `--host`, the host of the reference or folder, `ULMUS_HOST`, the registry of the last login.
 * @throws CommandError when none is named
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
  const login = Object.hasOwn(settings.logins, host) ? settings.logins[host] : undefined
  const kept = login === undefined ? undefined : (login.key ?? (await readKeychain(host)))
  const key = tokenFor(host, env, wanted, settings.host) ?? kept
  const fetch = await fetchOf(env)
  return { client: createClient({ baseUrl: host, apiKey: key, fetch }), host, key, fetch }
}

/** For what only a member may do: nothing is sent to a registry that the person never signed in to. */
export const notSignedIn = (host: string): CommandError =>
  new CommandError(`You are not signed in to ${host}.`, {
    exitCode: exitCodes.denied,
    code: 'unauthenticated',
    next: [`ulmus login --host ${shellWord(host)}`],
  })

/** The address of a registry as it is kept: scheme, name, port. @throws CommandError (usage) */
export function hostOf(text: string): string {
  const origin = originOf(text)
  if (origin === undefined)
    throw usageError(
      `\`${text}\` is not the address of a registry. Use the form \`https://registry.example\`.`,
    )
  return origin
}

/**
 * `ULMUS_TOKEN`, for the registry that the person names in the same breath: by `--host`, `ULMUS_HOST` or the last login. A reference
 * that someone sent, or a folder that someone made, must not lead the key elsewhere.
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
  // No command is proposed: the host may come from a stranger's folder or reference, and pasting one would send the key there.
  throw new CommandError(
    `ULMUS_TOKEN is set, but not for ${host}. If the key is from there, set ULMUS_HOST to that address; otherwise unset ULMUS_TOKEN.`,
    { code: 'token_of_another_host' },
  )
}
