/** Pushes that change the schema of one type: tried without a version, or committed. */
import { type DryRun, OpenPush, type PushWarning } from '@ulmus/wire'
import type { VersionResponse, VisitedCollection } from '../../data/collection.ts'
import { checked } from '../../form.ts'
import type { Visit } from '../../page.ts'
import { type Dropped, linesWithout } from './dropped-members.ts'

/** A schema to publish on top of `version`. */
export interface SchemaPush {
  readonly seen: VisitedCollection
  readonly version: VersionResponse | null
  readonly type: string
  /** Canonical JSON. */
  readonly schema: string
  readonly message: string
  /** Entries of `confirm_public`. */
  readonly confirmed: readonly string[]
  /** Properties that its records lose. Default: none. */
  readonly dropped?: Dropped | undefined
}

/** The version that a commit would make, and warnings. @throws the errors of `open` and of a commit */
export async function trySchema(
  visit: Visit,
  push: SchemaPush,
): Promise<{ dryRun: DryRun; warnings: readonly PushWarning[] }> {
  const { registry, who } = visit
  const { session_id: id, warnings } = await opened(visit, push)
  try {
    await sendRecords(visit, push, id)
    const dryRun = await registry.pushes.dryRun(who, push.seen, id)
    return { dryRun, warnings: [...warnings.filter(({ type }) => type === push.type), ...dryRun.warnings] }
  } finally {
    await cancelled(visit, push, id)
  }
}

/** Returns the semver of the new version. @throws the errors of `open` and of a commit */
export async function commitSchema(visit: Visit, push: SchemaPush): Promise<string | undefined> {
  const { session_id: id } = await opened(visit, push)
  try {
    await sendRecords(visit, push, id)
    const answer = await visit.registry.pushes.commit(visit.who, push.seen, id, { async: false })
    return answer.kind === 'committed' ? answer.result.semver : undefined
  } catch (error) {
    await cancelled(visit, push, id)
    throw error
  }
}

const opened = ({ registry, who }: Visit, push: SchemaPush) =>
  registry.pushes.open(who, push.seen, openingOf(push), (outline) => checked(OpenPush, outline))

async function sendRecords(visit: Visit, { seen, dropped }: SchemaPush, id: string): Promise<void> {
  if (dropped === undefined) return
  await visit.registry.pushes.receive(visit.who, seen, id, 'records', linesWithout(visit, seen, dropped))
}

/** A session that cannot be cancelled expires. */
const cancelled = ({ registry, who }: Visit, { seen }: SchemaPush, id: string): Promise<void> =>
  registry.pushes.cancel(who, seen, id).catch(() => {})

/** Body that opens the session. Other types keep the bytes of their schemas: they may have 4 MiB, which need no parsing. */
async function* openingOf(push: SchemaPush): AsyncGenerator<Uint8Array> {
  const { version, type, schema, message, confirmed } = push
  const rest = { base_version: version?.semver ?? null, message, confirm_public: confirmed }
  yield Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"schemas":{${JSON.stringify(type)}:${schema}`)
  for (const [name, { pieces }] of Object.entries(version?.schemas ?? {})) {
    if (name === type) continue
    yield Buffer.from(`,${JSON.stringify(name)}:`)
    // A copy: buffers of a body move to a thread, and the pieces are those of a cache.
    for (const piece of pieces) yield new Uint8Array(piece)
  }
  yield Buffer.from('}}')
}
