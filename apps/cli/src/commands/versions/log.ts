import { parseSemver } from '@ulmus/content'
import type { Command } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { pathOf } from '../../reference.ts'
import { table, timeText } from '../../terminal/table.ts'
import { numberText } from '../../terminal/words.ts'
import { limited } from '../limited.ts'
import { jobText } from './job.ts'

type LogFlags = { readonly limit?: number }

/** `ulmus log [REF]`: lists versions, newest first, with the level of each change. */
const log: Command<LogFlags, [reference?: string]> = async (call, flags, text) => {
  const reference = referenceHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  const versions = await limited(call, client.versions.listAll(pathOf(reference)), flags.limit)
  if (flags.json) return call.json(versions)
  await call.terminal.page()
  const rows = versions.map((version) => [
    version.semver,
    levelOf(version.semver),
    timeText(version.createdAt),
    jobText(version.workload) || (version.actor?.slug ?? ''),
    numberText(version.recordCount),
    version.hash.replace(/^(\w+:.{12}).*$/, '$1'),
    version.withdrawn ? 'withdrawn' : version.deprecated ? 'deprecated' : '',
    version.message ?? '',
  ])
  await table(call, ['version', 'change', 'made', 'by', 'records', 'digest', 'state', 'message'], rows)
}

/** Level of the change: the last part of the version number that is not 0. */
function levelOf(semver: string): string {
  const { major, minor, patch } = parseSemver(semver) ?? { major: 0, minor: 0, patch: 0 }
  if (patch > 0) return 'patch'
  if (minor > 0) return 'minor'
  return major === 1 ? 'first' : 'major'
}

export default log
