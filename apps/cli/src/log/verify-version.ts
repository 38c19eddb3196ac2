/** Verifies a version in the signed log, once its digest has been computed from its content. */
import { UlmusError } from '@ulmus/client'
import { LogError, type LoggedVersion, type Statement, verifyInLog } from '@ulmus/client/log'
import { countText } from '@ulmus/content/quantities'
import type { Call } from '../context.ts'
import type { Connection } from '../session/connect.ts'
import { CommandError } from '../terminal/failure.ts'
import { type PolicyFlag, withLog } from './open-log.ts'

export type LogFlags = PolicyFlag & {
  /** False: `--no-log`. */
  readonly log: boolean
}

/** The version whose digest was computed. */
export interface ComputedVersion {
  /** `owner/slug` */
  readonly collection: string
  /** Id of the collection, if known. */
  readonly id?: string | undefined
  readonly semver: string
  readonly digest: string
  /** When the version was made, as the registry says; undefined: not known. */
  readonly createdAt?: string | undefined
}

/** Place in the log, as `--json` prints it. Null: not looked for, or there is no log. */
export type LogPlace =
  | (Pick<LoggedVersion, 'index' | 'signedBy'> & LoggedVersion['checkpoint'] & Pick<Statement, 'at'>)
  | null

/**
 * Verifies a version in the log of its registry, if it has one.
 * @throws CommandError `not_what_the_log_says`, `not_logged`
 */
export async function verifyLogged(
  call: Call,
  connection: Pick<Connection, 'client' | 'host'>,
  flags: LogFlags,
  { collection, id, semver, digest, createdAt }: ComputedVersion,
): Promise<LogPlace> {
  const logged = await withLog(
    call,
    connection,
    flags,
    async ({ client, keys, policy, checkpoint: before, collections }) => {
      const known = Object.hasOwn(collections, collection) ? collections[collection] : undefined
      const expected = { semver, digest, collection: id ?? known }
      const done = await verifyInLog(client, collection, expected, { keys, policy, before })
      const { at } = done.statement
      if (createdAt !== undefined && Date.parse(at) !== Date.parse(createdAt))
        throw new LogError(
          `The registry says that ${semver} was made at ${createdAt}, and its log says ${at}.`,
        )
      return { ...done, collections: { [collection]: done.statement.collection } }
    },
  ).catch((error: unknown) => {
    throw error instanceof UlmusError ? sayWayOut(error, `${collection}@${semver}`) : error
  })
  if (logged === undefined) {
    call.say(`${connection.host} signs no log, so only the digest was verified.`)
    return null
  }
  const { index, signedBy, checkpoint, statement } = logged
  const { origin, size } = checkpoint
  call.say(
    `${collection}@${semver} is entry ${countText(index)} of the log ${origin}, which has ${countText(size)}.`,
  )
  return { ...checkpoint, index, signedBy, at: statement.at }
}

function sayWayOut(error: UlmusError, name: string): Error {
  if (error.code !== 'not_logged') return error
  // A registry could hide any other content behind this answer.
  return new CommandError(
    `The content of ${name} matches its digest, but the log has no statement about it. It was made before the log, or while it was off, or its statement was erased, or the registry gives you another version than other readers. If you know the digest from another source, verify without the log: --no-log --digest DIGEST`,
    { code: error.code, cause: error },
  )
}
