import type { Command } from '../../context.ts'
import { readKnownLog, replaceKnownLog } from '../../log/known-logs.ts'
import { differencesOf } from '../../log/open-log.ts'
import { hostOf } from '../../session/connect.ts'
import { confirmTyped } from '../../terminal/ask.ts'
import { CommandError } from '../../terminal/failure.ts'

type TrustFlags = { readonly yes: boolean }

/** `ulmus trust REGISTRY`: prints how its log differs from the remembered one, and forgets that. The next verification remembers anew. */
const trust: Command<TrustFlags, [registry: string]> = async (call, flags, registry) => {
  const { env } = call.terminal
  const host = hostOf(registry)
  const known = readKnownLog(env, host)
  if (known === undefined) throw new CommandError(`Nothing is remembered of a log of ${host}.`)
  const { client } = await call.connect({ host })
  const differences = await differencesOf(client, known).catch((error: Error) => [
    `The log cannot be read now: ${error.message}`,
  ])
  for (const line of differences.length === 0 ? ['Nothing differs.'] : differences) call.warn(line)
  if (!flags.yes) {
    const loss = `Then the next verification trusts any log of ${host}.`
    await confirmTyped(call.terminal, loss, host, 'Nothing was forgotten.')
  }
  if (!(await replaceKnownLog(env, host, known, undefined)))
    throw new CommandError('Another ulmus has changed known_logs meanwhile. Try again.')
  if (flags.json) return call.json({ host, differences, forgotten: known })
  call.say(`The log of ${host} is forgotten: ${known.origin} with ${known.size} entries.`)
}

export default trust
