import type { Command } from '../../context.ts'
import { versionHere } from '../../folder/base/here.ts'
import { pathOf } from '../../reference.ts'
import { confirmTyped } from '../../terminal/ask.ts'

type WithdrawFlags = { readonly reason: string; readonly erase: boolean; readonly yes: boolean }

const erasure =
  'Records, schemas, metadata and files that no other version of any collection has are erased at the next sweep, for good; forks, downloads and backups keep what they have.'

/** `ulmus withdraw owner/slug@version --reason TEXT`: makes the version permanently unreadable. */
const withdraw: Command<WithdrawFlags, [reference: string]> = async (call, flags, text) => {
  const reference = versionHere(call.terminal.cwd, text)
  const version = `${pathOf(reference)}@${reference.version}`
  const { client } = await call.connect({ host: reference.host })
  const { reason, erase } = flags
  if (!flags.yes) {
    const loss = `${version} would become unreadable, also for members. This cannot be undone.${erase ? ` ${erasure}` : ''}`
    await confirmTyped(call.terminal, loss, version, 'Nothing was withdrawn.')
  }
  const done = await client.versions.withdraw(pathOf(reference), reference.version, { reason, erase })
  if (flags.json) return call.json(done)
  call.say(
    `${version} is withdrawn. ${done.latest === null ? 'No version is left.' : `\`latest\` is now ${done.latest}.`}`,
  )
  if (done.erase) call.say(erasure)
}

export default withdraw
