/** Commands that warn about versions, withdraw them, and erase records from them. */
import type { RecordErasure } from '@ulmus/client'
import { counted } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import { referenceHere, versionHere } from '../../folder/base/here.ts'
import { flag, optional, required, text } from '../../parameters.ts'
import { pathOf } from '../../reference.ts'
import { confirmTyped } from '../../terminal/ask.ts'
import { usageError } from '../../terminal/failure.ts'

const version = required('owner/slug@version', 'Version number or digest')

type DeprecateFlags = { readonly clear: boolean }

/** `ulmus deprecate owner/slug@version [MESSAGE]`: warns readers of the version; `--clear` removes the warning. */
const deprecate = command<DeprecateFlags, [reference: string, message?: string]>({
  brief: 'Warn the readers of a version',
  page: 'Warn the readers of a version; `--clear` removes the warning',
  flags: { clear: flag('Remove the warning') },
  positional: { kind: 'tuple', parameters: [version, optional('message', 'Warning for readers')] },
  run: async (call, flags, text, message) => {
    if ((message !== undefined) === flags.clear)
      throw usageError('Give either a message for readers, or --clear to remove the warning.')
    const reference = versionHere(call.terminal.cwd, text)
    const { client } = await call.connect({ host: reference.host })
    const done = await client.versions.deprecate(pathOf(reference), reference.version, message ?? null)
    if (flags.json) return call.json(done)
    call.say(
      `${pathOf(reference)}@${reference.version} is ${flags.clear ? 'no longer deprecated' : 'deprecated'}.`,
    )
  },
})

type WithdrawFlags = { readonly reason: string; readonly erase: boolean; readonly yes: boolean }

const erasure =
  'Records, schemas, metadata and files that no other version of any collection has are erased at the next sweep, for good; forks, downloads and backups keep what they have.'

/** `ulmus withdraw owner/slug@version --reason TEXT`: makes the version permanently unreadable. */
const withdraw = command<WithdrawFlags, [reference: string]>({
  brief: 'Withdraw a version, so that it can no longer be read',
  description:
    'Cannot be undone; the version number is not reused. With --erase, the next sweep deletes records, schemas, metadata and files that no other version of any collection uses. Forks, downloads and backups keep their copies.',
  page: 'Make the version unreadable, also for members. This cannot be undone. `--reason` is shown to its readers. With `--erase`, the next sweep deletes data that no other version of any collection uses: [what stays](organizations.md#withdrawing-a-version). Asks you to type the version, unless `--yes`',
  flags: {
    reason: {
      kind: 'parsed',
      parse: String,
      placeholder: 'text',
      brief: 'Reason shown to readers of the version',
    },
    erase: flag('Erase data that no other version uses'),
    yes: flag('Skip the confirmation'),
  },
  positional: { kind: 'tuple', parameters: [version] },
  run: async (call, flags, text) => {
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
  },
})

type EraseFlags = { readonly reason?: string; readonly dryRun: boolean; readonly yes: boolean }

/** `ulmus erase owner/slug#Type/id`: removes a record from all versions. */
const erase = command<EraseFlags, [reference: string]>({
  brief: 'Remove a record from all versions',
  description:
    'Publishes a version without the record, then withdraws and erases every version that has it: a version cannot lose a single record. Cannot be undone. Forks, downloads and backups keep their copies.',
  page: '[Remove a record from all versions](delete-personal-data.md): publish one without it, withdraw and erase those that have it. This cannot be undone. `--dry-run` only lists what would happen; `--reason` is shown to readers of these versions. Asks you to type the id, unless `--yes`; `--json` prints a receipt',
  flags: {
    reason: text('text', 'Reason shown to readers of these versions; do not repeat the data'),
    dryRun: flag('Show what would be removed, without removing it'),
    yes: flag('Skip the confirmation'),
  },
  positional: {
    kind: 'tuple',
    parameters: [required('owner/slug#Type/id', 'Record, without a version')],
  },
  run: async (call, flags, text) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const { type, id, version } = reference
    if (type === undefined || id === undefined || version !== undefined)
      throw usageError(
        `Name one record, without a version: \`${pathOf(reference)}#Type/id\`. It is removed from all versions.`,
      )
    const { client } = await call.connect({ host: reference.host })
    const collection = pathOf(reference)
    const plan = await client.records.erasure(collection, type, id)
    if (flags.dryRun) return flags.json ? call.json(plan) : call.say(lossOf(plan))
    if (!flags.yes) await confirmTyped(call.terminal, lossOf(plan), id, 'Nothing was removed.')
    const receipt = await client.records.erase(collection, type, id, {
      base_version: plan.latest,
      reason: flags.reason,
    })
    if (flags.json) return call.json({ collection, ...receipt })
    call.say(
      `${type}/${id} was removed from ${counted(receipt.versions.length, 'version')}: ${receipt.versions.join(', ')}.`,
    )
    if (receipt.published !== null) call.say(`Published ${collection}@${receipt.published} without it.`)
    call.say('The next sweep deletes it. To keep a receipt, use --json: the registry stores none.')
  },
})

function lossOf({ type, id, versions, publishes, stays, forks }: RecordErasure): string {
  const names = versions.map(({ semver }) => semver).join(', ')
  const [become, only] = versions.length === 1 ? ['becomes', 'it has'] : ['become', 'they have']
  return [
    `${counted(versions.length, 'version')} with ${type}/${id} ${become} unreadable, also for members: ${names}.`,
    publishes === null ? '' : ` ${publishes} is published without the record.`,
    ` The next sweep deletes what only ${only}.`,
    ` ${stays === 0 ? 'No other version stays' : counted(stays, 'other version stays', 'other versions stay')} readable.`,
    ` Downloads, backups and forks keep the record${forks === 0 ? '' : `: ${counted(forks, 'public fork')} may have it`}.`,
    ' This cannot be undone.',
  ].join('')
}

export default noun({
  section: 'Collections and versions',
  words: {
    deprecate: {
      command: deprecate,
      group: 'Manage',
      place: 70,
      line: ['deprecate, withdraw', 'warn about a version, or make it unreadable'],
    },
    withdraw: { command: withdraw, group: 'Manage', place: 80 },
    erase: {
      command: erase,
      group: 'Manage',
      place: 90,
      line: ['erase RECORD', 'remove a record from all versions'],
    },
  },
})
