/** Publishes a source: its first version if there is none, then one with changes, and metadata updates in between. */
import { type Client, type PushResult, UlmusError } from '@ulmus/client'
import { parseSemver, recordOf, versionDigest } from '@ulmus/content'
import type { RecordLine } from '@ulmus/wire'
import { bytesText, countText, type Report } from './report.ts'
import type { Source } from './sources/source.ts'

/** Creates the collection if it does not exist, and its first and next versions. */
export async function publish(client: Client, owner: string, source: Source, report: Report): Promise<void> {
  const ref = `${owner}/${source.slug}`
  report.section(source.name)
  await report.step(
    `collection ${ref}`,
    () => ensureCollection(client, owner, source),
    (is) => is,
  )
  const before = (await client.collections.get(ref)).latestVersion
  if (before === null) {
    const { hash } = await report.step(
      'first version',
      (progress) => pushAll(client, ref, source, progress),
      versionText,
    )
    await report.step(
      'its digest, computed here',
      () => expectDigest(source, hash),
      (digest) => digest,
    )
  } else {
    report.line(`  its first version is there already; the latest is ${before.semver}`)
  }
  await updateMetadata(client, ref, report)
  await report.step(
    'version with changes',
    () => pushChanges(client, ref, source),
    (said) => said,
  )
}

async function ensureCollection(client: Client, owner: string, source: Source): Promise<string> {
  try {
    await client.collections.create(owner, { slug: source.slug, name: source.name, public: source.public })
    return 'made'
  } catch (error) {
    if (error instanceof UlmusError && error.code === 'slug_taken') return 'is there already'
    throw error
  }
}

function pushAll(
  client: Client,
  ref: string,
  source: Source,
  progress: (now: string) => void,
): Promise<PushResult> {
  const begun = performance.now()
  return client.push(
    ref,
    {
      baseVersion: null,
      schemas: source.schemas,
      metadata: source.metadata,
      records: source.records(),
      message: 'First version',
      appId: 'demo',
    },
    {
      onProgress: ({ phase, recordsSent, bytesSent }) => {
        const pace = Math.round(recordsSent / ((performance.now() - begun) / 1_000))
        progress(
          `${phase}: ${countText(recordsSent)} records, ${bytesText(bytesSent)}, ${countText(pace)} a second`,
        )
      },
    },
  )
}

const versionText = ({ semver, recordCount, changes }: PushResult): string =>
  `${semver}, ${countText(recordCount)} records (+${countText(changes.added)} ~${countText(changes.updated)} −${countText(changes.removed)})`

/** The registry's digest must equal the digest that the content package computes. */
async function expectDigest(source: Source, hash: string): Promise<string> {
  const records = Array.from(source.records(), (line: RecordLine) => recordOf(line.id, line.type, line.data))
  const digest = await versionDigest('private', { ...source, records, files: [] })
  if (digest !== hash)
    throw new Error(`${source.slug}: the digest here is ${digest}, the registry's ${hash}.`)
  return `${digest.slice(0, 24)}… as the registry says`
}

async function updateMetadata(client: Client, ref: string, report: Report): Promise<void> {
  const at = new Date().toISOString()
  await report.step(
    'metadata, updated at once',
    () => client.metadata.patch(ref, { demo: { at, by: 'the demo' } }),
    ({ semver }) => semver,
  )
  await report.step(
    'metadata, updated by a job',
    async () => {
      const job = await client.metadata.patchAsync(ref, { demo: { at, by: 'the demo, by a job' } })
      return client.metadata.waitForJob(ref, job.job_id)
    },
    ({ semver }) => semver,
  )
}

async function pushChanges(client: Client, ref: string, source: Source): Promise<string> {
  const { latestVersion } = await client.collections.get(ref)
  const base = parseSemver(latestVersion!.semver)!
  const changes = await source.changes(base.minor + 1)
  try {
    const pushed = await client.push(ref, { baseVersion: latestVersion!.semver, appId: 'demo', ...changes })
    return `${versionText(pushed)}: ${changes.message}`
  } catch (error) {
    if (error instanceof UlmusError && error.code === 'no_changes')
      return 'nothing new: earlier runs made these changes'
    throw error
  }
}
