import { hostname, userInfo } from 'node:os'
import { createClient } from '@ulmus/client'
import type { Call, Command, CommonFlags } from '../../context.ts'
import { hostOf } from '../../session/connect.ts'
import { awaitDeviceKey, startDeviceLogin } from '../../session/device-login.ts'
import { fetchOf } from '../../session/fetch.ts'
import { keepLogin } from '../../session/logins.ts'
import { configFolder } from '../../session/places.ts'
import { readSettings } from '../../session/settings.ts'
import { openInBrowser } from '../../terminal/browser.ts'
import { usageError } from '../../terminal/failure.ts'
import { timeText } from '../../terminal/table.ts'
import { painted } from '../../terminal/text.ts'

type LoginFlags = {
  readonly withToken: boolean
  readonly scope: 'read' | 'write' | 'admin'
  readonly collection?: string
  readonly label?: string
  readonly browser: boolean
}

/** `ulmus login`: gets a key by approval in a browser, or reads one from standard input, and stores it. */
const login: Command<LoginFlags> = async (call, flags) => {
  const { env } = call.terminal
  const named = flags.host ?? (env['ULMUS_HOST'] || readSettings(env).host)
  if (named === undefined)
    throw usageError('No registry given. Name the one to sign in to.', [
      'ulmus login --host https://registry.example',
    ])
  const host = hostOf(named)
  const fetch = await fetchOf(env)
  const given = flags.withToken
    ? { key: await readToken(), id: undefined, expiresAt: null }
    : await allowed(call, flags, host, fetch)
  const account = await createClient({ baseUrl: host, apiKey: given.key, fetch }).accounts.me()
  const place = await keepLogin(env, { host, account: account.slug, key: given.key, keyId: given.id })
  if (flags.json) return call.json({ host, account: account.slug, expiresAt: given.expiresAt, kept: place })
  call.say(`Signed in to ${host} as ${account.slug}.`)
  if (given.expiresAt !== null)
    call.say(`The key expires ${timeText(given.expiresAt)}. Run \`ulmus login\` again to replace it.`)
  if (place === 'file')
    call.say(
      `No system keychain: the key is stored in ${configFolder(env)}/settings.json, which only you can read.`,
    )
}

async function allowed(
  call: Call,
  flags: LoginFlags & CommonFlags,
  host: string,
  fetch: typeof globalThis.fetch,
) {
  const registry = { host, fetch, signal: call.signal }
  const label = flags.label ?? `${userInfo().username}@${hostname()}`
  const code = await startDeviceLogin(registry, { scope: flags.scope, collection: flags.collection, label })
  const { terminal } = call
  call.warn([
    'Open ',
    painted('cyan', code.verification_uri),
    ' and enter the code ',
    painted('bold', code.user_code),
  ])
  // Never open an address on another host.
  const isOurs = code.verification_uri_complete.startsWith(`${host}/`)
  if (
    flags.browser &&
    isOurs &&
    terminal.canAsk &&
    (await openInBrowser(code.verification_uri_complete, terminal.env))
  )
    call.say('Opened a browser.')
  call.say('Waiting for approval…')
  return awaitDeviceKey(registry, code)
}

/** Stop reading standard input after this many characters: no token is that long. */
const tokenLengthMax = 1_000

async function readToken(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.length > tokenLengthMax || text.includes('\n')) break
  }
  const token = text.trim()
  if (/^ul_[0-9A-Za-z]+$/.test(token)) return token
  throw usageError('Standard input has no API key. A key starts with `ul_`.', [
    'echo "$ULMUS_TOKEN" | ulmus login --with-token',
  ])
}

export default login
