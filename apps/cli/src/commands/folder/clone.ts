import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { counted, countText } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import type { Call, TrustedFlag } from '../../context.ts'
import { type Bringing, bringVersion } from '../../folder/base/bring.ts'
import { type FolderState, folderFormat, writeState } from '../../folder/base/state.ts'
import { readHead } from '../../folder/base/verified-version.ts'
import { cacheOf } from '../../folder/changes/open.ts'
import { fileAt, removeFolder, writeWhole } from '../../folder/files/inside.ts'
import { dotFolder, paths } from '../../folder/files/layout.ts'
import { withFolder } from '../../folder/files/lock.ts'
import { optional, required, trusted } from '../../parameters.ts'
import { demandCollectionName, parseReference, pathOf } from '../../reference.ts'
import { warnIfDeprecated } from '../../terminal/deprecated.ts'
import { CommandError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'

/** `ulmus clone owner/slug[@version] [DIR]`: downloads a version into an empty folder. An interrupted clone can be repeated. */
const clone = command<TrustedFlag, [reference: string, folder?: string]>({
  brief: 'Download a version into a new working folder',
  page: 'Download a version. This command, `pull`, `checkout` and `export` warn if it is deprecated',
  flags: { trusted },
  positional: {
    kind: 'tuple',
    parameters: [
      required('owner/slug[@version]', 'Collection and version (default: the latest)'),
      optional('folder', 'Folder to create (default: named after the collection)'),
    ],
  },
  run: async (call, flags, text, folder) => {
    const reference = parseReference(text)
    demandCollectionName(pathOf(reference))
    const collection = pathOf(reference)
    const { client, host } = await call.connect({
      host: reference.host,
      jobOf: flags.trusted ? collection : undefined,
    })
    const source = { client, collection, signal: call.signal }
    const { id, latestVersion } = await client.collections.get(collection)
    const root = targetOf(call, folder ?? reference.slug)
    const state: FolderState = { format: folderFormat, host, collection, id }
    mkdirSync(root, { recursive: true })
    writeWhole(root, `${dotFolder}/.gitignore`, '*\n')
    if (latestVersion === null && reference.version === undefined) {
      writeState(root, state)
      if (flags.json) return call.json({ ...state, folder: root, semver: null, hash: null })
      return call.say(`${collection} has no version yet: ${root} is an empty working folder of it.`)
    }
    const head = await readHead(source, reference.version ?? 'latest')
    const progress = openProgress(call, flags.quiet)
    const onProgress: Bringing['onProgress'] = ({ records, files }) =>
      progress.show(
        `${countText(records)} of ${counted(head.version.recordCount, 'record')}${files === 0 ? '' : `, ${countText(files)} of ${counted(head.files.length, 'file')}`}`,
        { done: records + files, total: head.version.recordCount + head.files.length },
      )
    await withFolder(root, () =>
      bringVersion({ root, state, source, head, cache: cacheOf(call), onProgress }),
    )
    progress.end()
    warnIfDeprecated(call, head.version)
    const { semver, hash, recordCount, fileCount } = head.version
    if (flags.json) return call.json({ ...state, folder: root, semver, hash, recordCount, fileCount })
    call.say(
      `${collection}@${semver} is in ${root}: ${counted(recordCount, 'record')}, ${counted(fileCount, 'file')}.`,
    )
    call.say(`Verified against the digest ${hash}.`)
    if (hash.startsWith('public:'))
      call.say('This is the public view. Members see private data when they clone signed in.')
  },
})

/** @throws CommandError if the folder is not empty, unless an interrupted clone left its content */
function targetOf(call: Call, folder: string): string {
  const root = resolve(call.terminal.cwd, folder)
  const stats = lstatSync(root, { throwIfNoEntry: false })
  // A symbolic link in a folder of another user could redirect the clone.
  if (stats?.isSymbolicLink())
    throw new CommandError(`${root} is a symbolic link. Name the folder that it leads to, or another one.`, {
      code: 'unsafe_path',
    })
  if (stats?.isDirectory() === false)
    throw new CommandError(`${root} is a file. Name another folder: \`ulmus clone REF FOLDER\`.`)
  const names = stats === undefined ? [] : readdirSync(root)
  const isLeftover = names.length === 1 && names[0] === dotFolder && fileAt(root, paths.state) === undefined
  if (names.length > 0 && !isLeftover)
    throw new CommandError(`${root} is not empty. Name another folder: \`ulmus clone REF FOLDER\`.`)
  if (isLeftover) removeFolder(root, paths.staged)
  return root
}

export default noun({
  section: 'The working folder',
  words: {
    clone: {
      command: clone,
      group: 'Start',
      place: 20,
      line: ['clone owner/slug', 'download a collection into a folder'],
    },
  },
})
