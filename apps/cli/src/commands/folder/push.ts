import { type MaxRemoved, type PushProgress, type PushResult, UlmusError } from '@ulmus/client'
import { counted, countText, sizeText } from '@ulmus/content/quantities'
import type { Collection } from '@ulmus/wire'
import { command, noun } from '../../command.ts'
import type { Call, CommonFlags } from '../../context.ts'
import { type FolderState, readBase, writeState } from '../../folder/base/state.ts'
import { readBaseVersion } from '../../folder/base/verified-version.ts'
import { type Folder, readFolder } from '../../folder/changes/changes.ts'
import {
  adviceBehind,
  checkedCollection,
  inFolder,
  type Remote,
  remoteOf,
} from '../../folder/changes/open.ts'
import {
  checkBase,
  dryRunFolder,
  type Pushing,
  pushFolder,
  settlePush,
  snapshotFolder,
} from '../../folder/push/push.ts'
import { type PushPlan, planPush } from '../../folder/push/push-plan.ts'
import { guardRemovals, removalsOf } from '../../folder/push/removal-guard.ts'
import { flag, maxRemoved, text, trusted } from '../../parameters.ts'
import { notSignedIn } from '../../session/connect.ts'
import { brieflySeconds } from '../../session/outage.ts'
import { CommandError } from '../../terminal/failure.ts'
import { openProgress, type Progress } from '../../terminal/progress.ts'
import { type VisibilityFlags, visibilityIn, visibilityMade } from '../../visibility.ts'
import { countsText, tellMissing } from './status.ts'

type PushFlags = VisibilityFlags & {
  readonly message?: string
  readonly dryRun: boolean
  readonly trusted: boolean
  readonly snapshot: boolean
  readonly publishPrivate: boolean
  readonly maxRemoved?: MaxRemoved
}

/** `ulmus push`: publishes the changes of the folder. All local checks run before anything is created or sent. */
const push = command<PushFlags>({
  brief: 'Publish changes as a new version',
  description:
    'Checks all records against their schemas before sending. Resumes an interrupted push.\n\n--trusted takes the token of the job from ULMUS_ID_TOKEN, else from GitHub, else from the file /var/run/secrets/ulmus/token. On other CI systems, set ULMUS_ID_TOKEN to a token with the address of the registry as its audience.',
  examples: [
    'ulmus push -m "Oslo grew"',
    'ulmus clone --trusted ada/cities && cd cities && ulmus push --trusted',
  ],
  page: 'Publish changes. A type whose schema you deleted is removed (`null` in the delta); a folder [follows a renamed collection](cli.md#the-working-folder). `-m`, `--message` describes the version; `--dry-run` only shows what would be published; `--snapshot` publishes exactly this folder, which drops files that no record refers to; `--trusted` publishes as a job of a trusted publisher; `--publish-private` allows private data to become public; `--max-removed` ([limit](cli.md#limit-removals)); `--public` or `--private` for a new collection',
  flags: {
    message: text('text', 'Message of the version'),
    dryRun: flag('Show what would be published, without publishing'),
    snapshot: flag('Publish exactly this folder, without files that no record refers to'),
    trusted,
    publishPrivate: flag('Allow private data to become public'),
    maxRemoved,
    public: flag('Make a new collection public'),
    private: flag('Make a new collection private'),
  },
  aliases: { m: 'message' },
  run: (call, flags) =>
    inFolder(call, async (before, state) => {
      const visibility = visibilityIn(flags)
      const remote = await remoteOf(call, state, flags.trusted)
      const folder = await settled(call, before, remote)
      const plan = await planPush(folder, flags.publishPrivate)
      if (!flags.snapshot) tellMissing(call, folder)
      if (plan.isEmpty && !flags.snapshot) return nothing(call, flags, folder, state, remote)
      if (remote.key === undefined) throw notSignedIn(remote.host)
      for (const [type, counts] of plan.counts) call.say([`${type}  `, countsText(counts)])
      for (const what of plan.exposed) call.say(`Becomes public: ${what}.`)
      const detail = await presentCollection(folder, state, remote)
      if (detail === undefined) {
        if (flags.dryRun)
          return call.say(
            `${remote.source.collection} does not exist yet: \`ulmus push\` creates it. All local checks passed.`,
          )
        const id = await makeCollection(call, visibility, remote)
        writeState(folder.root, { ...state, id })
      }
      await checkBase(remote.source, folder.base, detail?.latestVersion?.semver ?? null)
      await guardRemovals(removalsOf(folder.root, plan), {
        max: flags.maxRemoved,
        canAsk: call.terminal.canAsk,
        what: 'This push would remove',
        otherwise: 'Nothing was pushed.',
      })
      const progress = openProgress(call, flags.quiet)
      const pushing: Pushing = {
        folder,
        plan,
        source: remote.source,
        host: remote.host,
        message: flags.message,
        onProgress: (now) => showProgress(progress, now, changesIn(plan)),
        onExposed: (what) => call.say(`Becomes public: ${what}.`),
      }
      const result = flags.dryRun
        ? await dryRunFolder(pushing, flags.snapshot)
        : flags.snapshot
          ? await snapshotFolder(pushing)
          : await pushFolder(pushing)
      progress.end()
      if (result === undefined) return nothing(call, flags, folder, state, remote)
      await tell(call, flags, remote, result)
    }),
})

/** Settles an earlier interrupted push, and returns the folder in its new state. */
async function settled(call: Call, folder: Folder, { source, host }: Remote): Promise<Folder> {
  const { root, base, index } = folder
  const done = await settlePush(root, base, index, source, host)
  if (done === undefined) return folder
  call.say(`The previous push was interrupted after it had published ${done.semver}.`)
  return readFolder(root, readBase(root), index)
}

async function nothing(
  call: Call,
  flags: PushFlags & CommonFlags,
  folder: Folder,
  state: FolderState,
  remote: Remote,
): Promise<void> {
  const { base } = folder
  const advice = await adviceFor(call, flags, folder, state, remote)
  if (flags.json)
    return call.json({ unchanged: true, semver: base?.semver ?? null, hash: base?.digest ?? null })
  if (base === null) return call.say('There is nothing to publish yet.')
  call.say(`Nothing changed since ${base.semver}.`)
  for (const line of advice) call.say(line)
}

/** Ways on from an unchanged folder. Without a connection there are none, but that nothing changed is right. */
async function adviceFor(
  call: Call,
  { trusted }: PushFlags,
  { root, base }: Folder,
  state: FolderState,
  remote: Remote,
): Promise<string[]> {
  if (base === null) return []
  const { collection } = remote.source
  const jobOf = trusted ? collection : undefined
  const { client } = await call.connect({ host: remote.host, jobOf, retrySeconds: brieflySeconds })
  const source = { ...remote.source, client }
  const now = await checkedCollection(root, state, { ...remote, source }).catch((error: unknown) => {
    if (error instanceof CommandError && error.code === 'another_collection') throw error
  })
  if (!now) return []
  await readBaseVersion(source, base)
  const latest = now.latestVersion?.semver ?? base.semver
  return latest === base.semver ? [] : adviceBehind(base.semver, latest)
}

/** Reads the collection. Returns undefined if the first push must create it. */
async function presentCollection(
  { root, base }: Folder,
  state: FolderState,
  remote: Remote,
): Promise<Collection | undefined> {
  try {
    return await checkedCollection(root, state, remote)
  } catch (error) {
    const isAbsent = error instanceof UlmusError && error.code === 'collection_not_found'
    if (isAbsent && base === null) return undefined
    throw error
  }
}

/** Creates the collection at the first push. @returns its id */
async function makeCollection(
  call: Call,
  wanted: ReturnType<typeof visibilityIn>,
  { source, collection: { owner, slug } }: Remote,
): Promise<string> {
  const { id } = await source.client.collections.create(owner, { slug, ...wanted })
  const visibility = await visibilityMade(source.client, source.collection, wanted)
  call.say(`Created the collection ${source.collection}, ${visibility}.`)
  return id
}

/** Number of lines that a push sends. */
const changesIn = ({ counts }: PushPlan): number =>
  [...counts.values()].reduce((sum, { added, updated, removed }) => sum + added + updated + removed, 0)

function showProgress(
  progress: Progress,
  { phase, recordsSent, deletesSent, bytesSent, retries }: PushProgress,
  total: number,
): void {
  const again = retries === 0 ? '' : `, tried again ${counted(retries, 'time')}`
  const sent = `${countText(recordsSent + deletesSent)} sent, ${sizeText(bytesSent)}`
  progress.show(
    phase === 'committing' || phase === 'checking' ? `${phase}: ${sent}${again}` : `${sent}${again}`,
    { done: recordsSent + deletesSent, total },
  )
}

async function tell(
  call: Call,
  flags: PushFlags & CommonFlags,
  { host, source }: Remote,
  result: PushResult,
): Promise<void> {
  if (flags.json) return call.json(result)
  for (const { message } of result.warnings ?? []) call.warn(`warning: ${message}`)
  if (flags.dryRun)
    return call.say(`This would be ${result.semver}, with ${counted(result.recordCount, 'record')}.`)
  await call.line(result.semver)
  // Readers without membership can verify only the public digest, so cite that one.
  const isPublic = (await visibilityMade(source.client, source.collection, {})) === 'public'
  const digest = isPublic ? result.publicHash : result.hash
  call.say(
    `Published ${source.collection}@${result.semver}: ${counted(result.recordCount, 'record')}, ${digest}`,
  )
  call.say(`${host}/${source.collection}`)
}

export default noun({
  section: 'The working folder',
  words: {
    push: { command: push, group: 'Publish', place: 40, line: ['push -m MESSAGE', 'publish a version'] },
  },
})
