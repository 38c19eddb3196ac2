import { counted, countText } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import type { TrustedFlag } from '../../context.ts'
import { checkView, readHead } from '../../folder/base/verified-version.ts'
import { changesOf, type Folder, folderRecordChanges, isChanged } from '../../folder/changes/changes.ts'
import { adviceBehind, cacheOf, checkedCollection, inFolder, remoteOf } from '../../folder/changes/open.ts'
import { updateFolder } from '../../folder/update/update.ts'
import { flag, required, trusted } from '../../parameters.ts'
import { warnIfDeprecated } from '../../terminal/deprecated.ts'
import { CommandError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'
import { shellWord } from '../../terminal/shell-word.ts'

type CheckoutFlags = TrustedFlag & {
  readonly force: boolean
}

/** `ulmus checkout VERSION`: switches the folder to a version. Refuses a folder with changes, unless `--force` discards them. */
const checkout = command<CheckoutFlags, [version: string]>({
  brief: 'Switch this folder to another version',
  page: 'Switch to another version. `--force` discards local changes and backs up changed records',
  flags: { force: flag('Discard local changes (records are backed up)'), trusted },
  positional: { kind: 'tuple', parameters: [required('version', 'Version, such as v1.2.0')] },
  run: (call, flags, version) =>
    inFolder(call, async (folder, state) => {
      const remote = await remoteOf(call, state, flags.trusted)
      const { source } = remote
      if (!flags.force && (await hasChanges(folder)))
        throw new CommandError('This folder has unpublished changes. Publish or discard them.', {
          code: 'has_changes',
          next: [
            'ulmus push',
            `ulmus checkout ${shellWord(version)} --force    # discards the changes; records are backed up`,
          ],
        })
      const { latestVersion } = await checkedCollection(folder.root, state, remote)
      if (folder.base !== null) await checkView(source, folder.base)
      const head = await readHead(source, version)
      const progress = openProgress(call, flags.quiet)
      const onProgress = ({ records }: { records: number }) => progress.show(`${countText(records)} records`)
      const updated = await updateFolder({
        folder,
        source,
        head,
        resolution: 'theirs',
        discardsOurs: flags.force,
        cache: cacheOf(call),
        onProgress,
      })
      progress.end()
      warnIfDeprecated(call, head.version)
      const { semver, hash } = head.version
      const { records, setAside } = updated
      if (flags.json) return call.json({ from: folder.base?.semver ?? null, semver, hash, records, setAside })
      await call.line(semver)
      call.say(`Switched to ${semver}: ${counted(records, 'record')} changed.`)
      const latest = latestVersion?.semver ?? semver
      if (latest !== semver) for (const line of adviceBehind(semver, latest)) call.say(line)
      if (setAside !== undefined) call.say(`The discarded records are in ${setAside}.`)
    }),
})

async function hasChanges(folder: Folder): Promise<boolean> {
  if (isChanged(changesOf(folder))) return true
  const { done } = await folderRecordChanges(folder).next()
  return done !== true
}

export default noun({
  section: 'The working folder',
  words: {
    checkout: {
      command: checkout,
      group: 'Publish',
      place: 60,
      line: ['checkout VERSION', 'switch to another version'],
    },
  },
})
