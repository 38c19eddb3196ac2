import { UlmusError } from '@ulmus/client'
import type { Command } from '../../context.ts'
import { forgetLogin } from '../../session/logins.ts'
import { readSettings } from '../../session/settings.ts'

/** `ulmus logout`: revokes the key if its id is known, then removes the stored key, even if the registry refused. */
const logout: Command<Record<never, never>> = async (call, flags) => {
  const { env } = call.terminal
  const { client, host } = await call.connect()
  const { logins } = readSettings(env)
  const login = Object.hasOwn(logins, host) ? logins[host] : undefined
  let isRevoked = false
  if (login?.keyId !== undefined) {
    try {
      await client.keys.revoke(login.keyId)
      isRevoked = true
    } catch (error) {
      // Remove the local key even if the registry is unreachable or has already revoked it.
      if (!(error instanceof UlmusError)) throw error
      call.warn(`The registry did not revoke the key: ${error.message}`)
    }
  }
  await forgetLogin(env, host)
  if (flags.json) return call.json({ host, revoked: isRevoked })
  call.say(login === undefined ? `Not signed in to ${host}.` : `Signed out of ${host}.`)
}

export default logout
