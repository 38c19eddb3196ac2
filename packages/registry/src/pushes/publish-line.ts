/** Publishes one line as the next version: a record, or the removal of one. For forms. */
import type { CollectionPath } from '@ulmus/wire'
import type { Principal } from '../principal.ts'
import type { Shape } from './opening/opening.ts'
import type { PushOpening } from './opening/opening-body.ts'
import type { Pushes } from './pushes.ts'

export interface LinePush {
  readonly kind: 'records' | 'deletes'
  /** JSON. */
  readonly line: string
  readonly opening: PushOpening
  /** Check of the opening. Default: none, for one that no user gave. */
  readonly shape?: Shape<PushOpening>
}

/** Returns the semver of the new version. @throws the errors of a push, after its session is cancelled */
export async function publishLine(
  pushes: Pushes,
  who: Principal,
  path: CollectionPath,
  { kind, line, opening, shape = (outline) => outline as PushOpening }: LinePush,
): Promise<string | undefined> {
  const { session_id: session } = await pushes.open(who, path, once(JSON.stringify(opening)), shape)
  try {
    await pushes.receive(who, path, session, kind, once(`${line}\n`))
    const answer = await pushes.commit(who, path, session, { async: false })
    return answer.kind === 'committed' ? answer.result.semver : undefined
  } catch (error) {
    await pushes.cancel(who, path, session).catch(() => {})
    throw error
  }
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
