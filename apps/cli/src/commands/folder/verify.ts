import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { verifyProof } from '@ulmus/client'
import type { ProvenRecord } from '@ulmus/wire'
import type { Call, Command, CommonFlags, TrustedFlag } from '../../context.ts'
import { digestOfFolder } from '../../folder/base/digest.ts'
import { readBase, readState } from '../../folder/base/state.ts'
import { readHead, readVerified, tampered } from '../../folder/base/verified-version.ts'
import { fileAt } from '../../folder/files/inside.ts'
import { findRoot, paths } from '../../folder/files/layout.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'
import { counted, numberText } from '../../terminal/words.ts'

type VerifyFlags = TrustedFlag & {
  /** Digest from a trusted source. Default: the one sent with the data. */
  readonly digest?: string
}

/** `ulmus verify [REF | FOLDER | proof.json]`: recomputes a digest. A file is a proof; a path without a folder is a reference. */
const verify: Command<VerifyFlags, [what?: string]> = async (call, flags, what) => {
  const path = resolve(call.terminal.cwd, what ?? '.')
  if (what !== undefined && existsSync(path) && statSync(path).isFile())
    return verifyRecord(call, flags, path)
  const root =
    what === undefined ? findRoot(path) : fileAt(path, paths.state) === undefined ? undefined : path
  if (root !== undefined) return verifyFolder(call, flags, root)
  if (what === undefined) throw usageError('Nothing to verify. Name a version, a working folder or a proof.')
  if (!what.includes('/')) throw new CommandError(`${path} does not exist.`)
  return verifyVersion(call, flags, what)
}

/** Fetches a complete version and recomputes its digest. */
async function verifyVersion(call: Call, flags: VerifyFlags & CommonFlags, text: string): Promise<void> {
  const reference = parseReference(text)
  const collection = pathOf(reference)
  const { client } = await call.connect({
    host: reference.host,
    jobOf: flags.trusted ? collection : undefined,
  })
  const source = { client, collection, signal: call.signal }
  const head = await readHead(source, reference.version ?? 'latest')
  const { semver, hash, recordCount } = head.version
  const progress = openProgress(call, flags.quiet)
  let records = 0
  await readVerified(source, head, () =>
    progress.show(`${numberText(++records)} of ${counted(recordCount, 'record')}`),
  )
  progress.end()
  await answer(call, flags, hash, { semver, records: recordCount }, `${source.collection}@${semver}`)
}

/** Recomputes the digest of the folder's current records, schemas, metadata and files, and compares it with the digest of its version. */
async function verifyFolder(call: Call, flags: VerifyFlags & CommonFlags, root: string): Promise<void> {
  const base = readBase(root)
  if (base === null)
    throw new CommandError('This folder has no base version, so there is no digest to compare with.')
  const { collection } = readState(root)
  const found = await digestOfFolder(root, base)
  if (found.digest !== base.digest)
    throw new CommandError(
      `This folder is not ${collection}@${base.semver}: its digest is ${found.digest}, but the version has ${base.digest}.`,
      { code: 'not_what_the_digest_says', next: ['ulmus status', 'ulmus diff'] },
    )
  await answer(
    call,
    flags,
    found.digest,
    { semver: base.semver, records: found.records },
    `This folder (${collection}@${base.semver})`,
  )
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
    const value = JSON.parse(readFileSync(path, 'utf8')) as ProvenRecord & { digest?: string }
    if (typeof value.id === 'string' && typeof value.type === 'string') return value
  } catch (cause) {
    throw new CommandError(`${path} is not JSON.`, { cause })
  }
  throw new CommandError(`${path} is not a record with a proof.`)
}

async function answer(
  call: Call,
  flags: VerifyFlags & CommonFlags,
  digest: string,
  facts: { semver: string; records: number },
  what: string,
): Promise<void> {
  if (flags.digest !== undefined && flags.digest !== digest)
    throw tampered(`${what} is whole, and its digest is ${digest}: not the one that you named.`)
  if (flags.json) return call.json({ ok: true, digest, ...facts })
  await call.line(`${what} is what its digest says: ${digest}`)
  call.say(`${counted(facts.records, 'record')} computed again.`)
}

export default verify
