import { counted, countText } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import type { Call } from '../../context.ts'
import { type FolderState, isPublicView } from '../../folder/base/state.ts'
import {
  type Counts,
  changesOf,
  type Folder,
  folderRecordChanges,
  isChanged,
} from '../../folder/changes/changes.ts'
import { inFolder } from '../../folder/changes/open.ts'
import { paths } from '../../folder/files/layout.ts'
import { painted, type Text } from '../../terminal/text.ts'

/** `ulmus status`: compares the folder with its base. Sends no request. */
const status = command<Record<never, never>>({
  brief: 'Show what a push would publish',
  page: 'Show what a push would publish',
  run: (call, flags) =>
    inFolder(call, async (folder, state) => {
      const found = await statusOf(folder)
      if (flags.json) return call.json({ ...state, base: baseOf(folder), ...found })
      await tell(call, folder, state, found)
    }),
})

/** Printed by `ulmus status --json`, with the state of the folder. Scripts use these names: keep them. */
export interface Status {
  readonly clean: boolean
  /** By type; omits types without changes. */
  readonly records: Readonly<Record<string, Counts>>
  readonly schemas: readonly { type: string; change: 'added' | 'updated' | 'removed' }[]
  /** Names of changed members of the metadata, including `readme`. */
  readonly metadata: readonly string[]
  /** Paths of files that the base lacks. */
  readonly files: readonly string[]
  /** Hashes of files that the base has and the folder lacks. A push keeps them, so the folder may still count as unchanged. */
  readonly missingFiles: readonly string[]
}

async function statusOf(folder: Folder): Promise<Status> {
  const changes = changesOf(folder)
  const records = new Map<string, { added: number; updated: number; removed: number }>()
  for await (const { type, before, after } of folderRecordChanges(folder)) {
    const counts = records.get(type) ?? { added: 0, updated: 0, removed: 0 }
    records.set(type, counts)
    counts[before === undefined ? 'added' : after === undefined ? 'removed' : 'updated']++
  }
  return {
    clean: records.size === 0 && !isChanged(changes),
    records: Object.fromEntries(records),
    schemas: changes.schemas.map(({ type, before, after }) => ({
      type,
      change: before === undefined ? 'added' : after === undefined ? 'removed' : 'updated',
    })),
    metadata: Object.keys(changes.metadata),
    files: changes.addedFiles.map(({ path }) => path),
    missingFiles: changes.missingFiles,
  }
}

const baseOf = ({ base }: Folder) => (base === null ? null : { semver: base.semver, hash: base.digest })

async function tell(call: Call, folder: Folder, state: FolderState, found: Status): Promise<void> {
  const { base } = folder
  const name = state.collection ?? 'no collection yet'
  const view = base !== null && isPublicView(base) ? ', as the public sees it' : ''
  await call.line(`${name}, ${base === null ? 'before its first version' : `at ${base.semver}${view}`}`)
  if (found.clean) {
    await call.line('Nothing changed.')
    return tellMissing(call, folder)
  }
  const rows: [string, Text][] = Object.entries(found.records).map(([type, counts]) => [
    type,
    countsText(counts),
  ])
  if (found.schemas.length > 0)
    rows.push([paths.schemas, found.schemas.map(({ type, change }) => `${type} ${change}`).join(', ')])
  if (found.metadata.length > 0) rows.push(['metadata', found.metadata.join(', ')])
  if (found.files.length > 0) rows.push([paths.files, `${counted(found.files.length, 'new file')}`])
  const width = Math.max(...rows.map(([label]) => label.length))
  for (const [label, text] of rows) await call.line(['  ', painted('bold', label.padEnd(width)), '  ', text])
  call.say('`ulmus diff` shows it, `ulmus push` publishes it.')
  tellMissing(call, folder)
}

/** Reports files that were removed from the folder. Only a snapshot push removes them from the version. */
export function tellMissing(call: Call, folder: Folder): void {
  const { length } = changesOf(folder).missingFiles
  if (length === 0) return
  call.say(
    `${counted(length, 'file')} of ${folder.base!.semver} ${length === 1 ? 'is' : 'are'} no longer under ${paths.files}/. ` +
      '`ulmus push` keeps them. `ulmus push --snapshot` drops files that no record refers to.',
  )
}

/** `+3 added  ~1 updated`; omits zeros. */
export function countsText({ added, updated, removed }: Counts): Text {
  const parts = [
    added > 0 ? [painted('green', `+${countText(added)} added`)] : [],
    updated > 0 ? [painted('yellow', `~${countText(updated)} updated`)] : [],
    removed > 0 ? [painted('red', `-${countText(removed)} removed`)] : [],
  ].flat()
  return parts.flatMap((part, index) => (index === 0 ? [part] : ['  ', part]))
}

export default noun({
  section: 'The working folder',
  words: {
    status: { command: status, group: 'Publish', place: 20, line: ['status, diff', 'show what changed'] },
  },
})
