import { counted, countText } from '@ulmus/content/quantities'
import type { Version } from '@ulmus/wire'
import { command, noun } from '../../command.ts'
import type { Call, CommonFlags, TrustedFlag } from '../../context.ts'
import { readBase } from '../../folder/base/state.ts'
import { checkView, readBaseVersion, readHead } from '../../folder/base/verified-version.ts'
import { readFolder } from '../../folder/changes/changes.ts'
import { cacheOf, checkedCollection, inFolder, type Remote, remoteOf } from '../../folder/changes/open.ts'
import { settlePush } from '../../folder/push/push.ts'
import type { Resolution } from '../../folder/update/merge-records.ts'
import { type Updated, updateFolder } from '../../folder/update/update.ts'
import { flag, trusted } from '../../parameters.ts'
import { warnIfDeprecated } from '../../terminal/deprecated.ts'
import { usageError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'
import { conflictError } from './conflicts.ts'

type PullFlags = TrustedFlag & {
  readonly ours: boolean
  readonly theirs: boolean
}

/** `ulmus pull`: merges the latest version into the folder, after settling an interrupted push. */
const pull = command<PullFlags>({
  brief: 'Merge the latest version into this folder',
  page: 'Merge the latest version. `--ours`, `--theirs`: see [conflicts](cli.md#conflicts)',
  flags: {
    ours: flag('On conflict, keep the record of this folder'),
    theirs: flag('On conflict, take the record of the registry and back up the local one'),
    trusted,
  },
  run: (call, flags) => {
    if (flags.ours && flags.theirs)
      throw usageError('--ours and --theirs exclude each other. Use one of them.')
    const resolution: Resolution = flags.ours ? 'ours' : flags.theirs ? 'theirs' : 'stop'
    return inFolder(call, async (before, state) => {
      const remote = await remoteOf(call, state, flags.trusted)
      const { source, host } = remote
      const { latestVersion } = await checkedCollection(before.root, state, remote)
      await settlePush(before.root, before.base, before.index, source, host)
      const folder = await readFolder(before.root, readBase(before.root), before.index)
      const { base } = folder
      if (base !== null && base.semver === latestVersion?.semver)
        return upToDate(call, flags, remote, await readBaseVersion(source, base))
      if (base !== null) await checkView(source, base)
      if (latestVersion === null) return upToDate(call, flags, remote, null)
      const head = await readHead(source, latestVersion.semver)
      const progress = openProgress(call, flags.quiet)
      const onProgress = ({ records }: { records: number }) => progress.show(`${countText(records)} records`)
      const updated = await updateFolder({
        folder,
        source,
        head,
        resolution,
        discardsOurs: false,
        cache: cacheOf(call),
        onProgress,
      })
      progress.end()
      warnIfDeprecated(call, head.version)
      if (resolution === 'stop' && updated.totalConflicts > 0)
        throw conflictError(source.collection, head.version.semver, updated)
      await tell(call, flags, head.version, base?.semver, updated)
    })
  },
})

async function upToDate(
  call: Call,
  flags: CommonFlags,
  { source }: Remote,
  latest: Version | null,
): Promise<void> {
  if (latest !== null) warnIfDeprecated(call, latest)
  const semver = latest?.semver ?? null
  if (flags.json) return call.json({ semver, records: 0, conflicts: [] })
  call.say(semver === null ? `${source.collection} has no version yet.` : `Up to date with ${semver}.`)
}

async function tell(
  call: Call,
  flags: CommonFlags,
  { semver, hash }: { semver: string; hash: string },
  from: string | undefined,
  { records, totalConflicts, conflicts, setAside }: Updated,
): Promise<void> {
  if (flags.json)
    return call.json({ from: from ?? null, semver, hash, records, totalConflicts, conflicts, setAside })
  await call.line(semver)
  call.say(
    `${from === undefined ? 'Downloaded' : `${from} → ${semver}:`} ${counted(records, 'changed record')}.`,
  )
  if (totalConflicts > 0)
    call.say(
      `${counted(totalConflicts, 'conflict')} resolved with the records of ${setAside === undefined ? 'this folder' : 'the registry'}.`,
    )
  if (setAside !== undefined) call.say(`The replaced records are in ${setAside}.`)
}

export default noun({
  section: 'The working folder',
  words: {
    pull: { command: pull, group: 'Publish', place: 50, line: ['pull', 'merge the latest version'] },
  },
})
