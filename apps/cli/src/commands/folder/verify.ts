import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UlmusError, verifyProof } from '@ulmus/client'
import { parseDigestLabel, parseJson } from '@ulmus/content'
import { counted, countText } from '@ulmus/content/quantities'
import type { ProvenRecord } from '@ulmus/wire'
import { command, noun } from '../../command.ts'
import type { Call, CommonFlags, TrustedFlag } from '../../context.ts'
import { digestOfFolder } from '../../folder/base/digest.ts'
import { readBase, readState } from '../../folder/base/state.ts'
import { readHead, readVerified, tampered } from '../../folder/base/verified-version.ts'
import { fileAt } from '../../folder/files/inside.ts'
import { findRoot, paths } from '../../folder/files/layout.ts'
import { type ComputedVersion, type LogFlags, type LogPlace, verifyLogged } from '../../log/verify-version.ts'
import { optional, policy, text, trusted } from '../../parameters.ts'
import { parseReference, pathOf } from '../../reference.ts'
import type { Connection } from '../../session/connect.ts'
import { brieflySeconds } from '../../session/outage.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'

type VerifyFlags = TrustedFlag &
  LogFlags & {
    /** Digest from a trusted source. Default: the one sent with the data. */
    readonly digest?: string
  }

/**
 * `ulmus verify [REF | FOLDER | proof.json]`: recomputes a digest, and finds it in the signed log of the registry. A file is a proof; a
 * path without a folder is a reference.
 */
const verify = command<VerifyFlags, [what?: string]>({
  brief: 'Recompute a digest, compare it, and find it in the signed log',
  description:
    'The first time, remembers the keys of the log. Later, refuses a log that is smaller, has another history or unknown keys. `ulmus trust` forgets them.',
  page: "Recompute a digest: of the folder, of a version, or of one record with its proof (`ulmus api GET '/collections/ada/cities/versions/v1.0.0/records/City/OSL?proof=true' > proof.json`). `--digest` gives the expected one, from a source you trust. If the registry signs a log, finds the version [in the log](cli.md#verify-in-the-signed-log), too: `--policy FILE` demands witnesses, `--no-log` skips it",
  flags: {
    digest: text('digest', 'Expected digest, from a source you trust'),
    policy,
    log: { kind: 'boolean', default: true, brief: 'Find it in the log of the registry, too (default)' },
    trusted,
  },
  positional: {
    kind: 'tuple',
    parameters: [optional('what', 'Version, working folder, or file with a record and its proof')],
  },
  run: async (call, flags, what) => {
    const path = resolve(call.terminal.cwd, what ?? '.')
    if (what !== undefined && existsSync(path) && statSync(path).isFile())
      return verifyRecord(call, flags, path)
    const root =
      what === undefined ? findRoot(path) : fileAt(path, paths.state) === undefined ? undefined : path
    if (root !== undefined) return verifyFolder(call, flags, root)
    if (what === undefined)
      throw usageError('Nothing to verify. Name a version, a working folder or a proof.')
    if (!what.includes('/')) throw new CommandError(`${path} does not exist.`)
    return verifyVersion(call, flags, what)
  },
})

/** Fetches a complete version and recomputes its digest. */
async function verifyVersion(call: Call, flags: VerifyFlags & CommonFlags, text: string): Promise<void> {
  const reference = parseReference(text)
  const collection = pathOf(reference)
  const connection = await call.connect({
    host: reference.host,
    jobOf: flags.trusted ? collection : undefined,
  })
  const { client } = connection
  const source = { client, collection, signal: call.signal }
  const head = await readHead(source, reference.version ?? 'latest')
  const { semver, hash, recordCount, createdAt } = head.version
  const progress = openProgress(call, flags.quiet)
  let records = 0
  await readVerified(source, head, () =>
    progress.show(`${countText(++records)} of ${counted(recordCount, 'record')}`),
  )
  progress.end()
  // A digest in the reference names what the content must be.
  const named = parseDigestLabel(reference.version ?? '') === undefined ? undefined : reference.version
  await answer(
    call,
    { ...flags, digest: flags.digest ?? named },
    {
      ...{
        collection,
        semver,
        digest: hash,
        records: recordCount,
        name: `${collection}@${semver}`,
        createdAt,
      },
      isFolder: false,
      connect: () => Promise.resolve(connection),
    },
  )
}

/** Recomputes the digest of the folder's current records, schemas, metadata and files, and compares it with the digest of its version. */
async function verifyFolder(call: Call, flags: VerifyFlags & CommonFlags, root: string): Promise<void> {
  const base = readBase(root)
  if (base === null)
    throw new CommandError('This folder has no base version, so there is no digest to compare with.')
  const { host, collection, id } = readState(root)
  const found = await digestOfFolder(root, base)
  if (found.digest !== base.digest)
    throw new CommandError(
      `This folder is not ${collection}@${base.semver}: its digest is ${found.digest}, but the version has ${base.digest}.`,
      { code: 'not_what_the_digest_says', next: ['ulmus status', 'ulmus diff'] },
    )
  await answer(call, flags, {
    ...{
      collection: collection ?? '',
      id,
      semver: base.semver,
      digest: found.digest,
      records: found.records,
    },
    name: `This folder (${collection}@${base.semver})`,
    isFolder: true,
    connect: () =>
      call.connect({
        host: host ?? undefined,
        jobOf: flags.trusted ? (collection ?? undefined) : undefined,
        // Offline the folder is verified all the same.
        ...(flags.policy === undefined && { retrySeconds: brieflySeconds }),
      }),
  })
}

/** Verifies one record with its proof, as saved by `ulmus api GET …?proof=true`. Sends no request. */
async function verifyRecord(call: Call, flags: VerifyFlags & CommonFlags, path: string): Promise<void> {
  const record = readProof(path)
  const digest = flags.digest ?? record.digest
  if (digest === undefined)
    throw usageError(
      'A proof needs the digest to check against. Give it with --digest, from a source that you trust.',
    )
  const result = verifyProof(digest, record)
  if (!result.ok) throw tampered(result.reason)
  if (flags.json) return call.json({ ok: true, digest, type: record.type, id: record.id })
  await call.line(`${record.type} ${JSON.stringify(record.id)} belongs to ${digest}.`)
}

function readProof(path: string): ProvenRecord & { digest?: string } {
  try {
    const value = parseJson(readFileSync(path, 'utf8')) as ProvenRecord & { digest?: string }
    if (typeof value.id === 'string' && typeof value.type === 'string') return value
  } catch (cause) {
    throw new CommandError(`${path} is not JSON.`, { cause })
  }
  throw new CommandError(`${path} is not a record with a proof.`)
}

interface Verified extends ComputedVersion {
  readonly records: number
  /** A folder is verified without its registry if that cannot be asked. */
  readonly isFolder: boolean
  /** Subject of a sentence. */
  readonly name: string
  connect(): Promise<Connection>
}

async function answer(call: Call, flags: VerifyFlags & CommonFlags, verified: Verified): Promise<void> {
  const { name, digest, semver, records } = verified
  if (flags.digest !== undefined && flags.digest !== digest) {
    const isOfPublic = flags.digest.startsWith('public:') && digest.startsWith('private:')
    const why = isOfPublic
      ? ' You named a digest of the public view, and members read the full one. Verify signed out.'
      : ''
    throw tampered(`${name} is intact, but its digest is ${digest}, not the expected ${flags.digest}.${why}`)
  }
  const log = flags.log ? await findInLog(call, flags, verified) : null
  if (flags.json) return call.json({ ok: true, digest, semver, records, log })
  await call.line(`${name} is what its digest says: ${digest}`)
  call.say(`${counted(records, 'record')} computed again.`)
  call.say(
    log === null
      ? 'Not proven, the registry only says so: number, time, message and author.'
      : `Not proven, the registry only says so: message and author. The log says ${log.at}, by the clock of the registry.`,
  )
}

/** Codes of errors before a request is answered. */
const unasked = new Set(['network', 'no_host', 'token_of_another_host'])

async function findInLog(call: Call, flags: VerifyFlags, verified: Verified): Promise<LogPlace> {
  try {
    return await verifyLogged(call, await verified.connect(), flags, verified)
  } catch (error) {
    const isUnread = error instanceof UlmusError || (error instanceof CommandError && unasked.has(error.code))
    if (!isUnread) throw error
    const { message, code } = error
    if (verified.isFolder && flags.policy === undefined) {
      call.warn(`The signed log was not checked: ${message}`)
      return null
    }
    if (code !== 'network') throw error
    throw new CommandError(
      `${message}\nThe content matches its digest, but the log cannot be read. Add --no-log to verify without it.`,
      { code, cause: error },
    )
  }
}

export default noun({
  section: 'The working folder',
  words: {
    verify: {
      command: verify,
      group: 'Read',
      place: 80,
      line: ['verify', 'recompute a digest; find it in the signed log'],
    },
  },
})
