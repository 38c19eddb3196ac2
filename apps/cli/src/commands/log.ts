import type { VersionItem } from '@ulmus/wire'
import type { Command } from '../context.ts'
import { referenceHere } from '../folder/here.ts'
import { pathOf } from '../reference.ts'
import { table, timeText } from '../terminal/table.ts'
import { numberText } from '../terminal/words.ts'

type LogFlags = { readonly limit: number }

/** `ulmus log [REF]` */
const log: Command<LogFlags, [reference?: string]> = async (call, flags, text) => {
  const reference = referenceHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  const versions: VersionItem[] = []
  for await (const version of client.versions.listAll(pathOf(reference))) {
    if (versions.length >= flags.limit) break
    versions.push(version)
  }
  if (flags.json) return call.json(versions)
  const rows = versions.map(({ semver, createdAt, recordCount, hash, withdrawn, deprecated, message }) => [
    semver,
    timeText(createdAt),
    numberText(recordCount),
    hash.replace(/^(\w+:.{12}).*$/, '$1'),
    withdrawn ? 'withdrawn' : deprecated ? 'deprecated' : '',
    message ?? '',
  ])
  await table(call, ['version', 'made', 'records', 'digest', 'state', 'message'], rows)
}

export default log
