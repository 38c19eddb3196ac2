/** Publishes one line as the next version: a record, or the removal of one. */
import { compareSemver, parseSemver, recordToConfirm } from '@ulmus/content'
import { publishLine, RegistryError } from '@ulmus/registry'
import { OpenPush } from '@ulmus/wire'
import { seeVersion, type VisitedCollection, versionOf } from '../../../data/collection.ts'
import { checked, typed } from '../../../form.ts'
import type { Form, Visit } from '../../../page.ts'
import { confirmedIn } from '../confirmations.tsx'

/** The latest version for its editors: always as members see it, because saving the public view would remove private fields. */
export async function seeToEdit(visit: Visit) {
  const url = new URL(visit.url)
  url.searchParams.delete('view')
  const { seen, version } = await seeVersion({ ...visit, url })
  seen.demand('write')
  return { seen: { ...seen, difference: undefined }, version }
}

export interface RecordName {
  readonly type: string
  readonly id: string
}

interface Put extends RecordName {
  /** JSON as entered: the server refuses a number with too many digits, while parsing here would round it. */
  readonly data: string
  readonly isPrivate: boolean
  /** The editor unticked the mark of a private record. */
  readonly isMadePublic?: boolean
}

/** Returns the semver of the new version. */
export async function publishRecord(
  visit: Visit,
  seen: VisitedCollection,
  form: Form,
  put: Put,
  did: string,
) {
  const { type, id, data, isPrivate, isMadePublic = false } = put
  const place = JSON.stringify({ id, type, ...(isPrivate ? { private: true } : {}) }).slice(0, -1)
  return publish(visit, seen, form, {
    kind: 'records',
    line: `${place},"data":${data}}`,
    did,
    confirmed: [...confirmedIn(form), ...(isMadePublic ? [recordToConfirm({ type, id })] : [])],
  })
}

export const publishDelete = (
  visit: Visit,
  seen: VisitedCollection,
  form: Form,
  name: RecordName,
  did: string,
) => publish(visit, seen, form, { kind: 'deletes', line: JSON.stringify(name), did })

interface Line {
  readonly kind: 'records' | 'deletes'
  readonly line: string
  /** Message of the version, unless the form has one. */
  readonly did: string
  /** Entries of `confirm_public`. */
  readonly confirmed?: readonly string[]
}

async function publish(
  { registry, who }: Visit,
  seen: VisitedCollection,
  form: Form,
  { kind, line, did, confirmed = [] }: Line,
): Promise<string | undefined> {
  const opening = {
    base_version: form['base'] ?? seen.latest,
    message: typed(form, 'message') ?? did,
    confirm_public: [...confirmed],
  }
  const shape = (outline: unknown) => checked(OpenPush, outline)
  return publishLine(registry.pushes, who, seen, { kind, line, opening, shape })
}

/** True if the record was pushed with `private: true`. Every push must repeat it. */
export async function isPushedAsPrivate(
  { registry, who }: Visit,
  seen: VisitedCollection,
  place: RecordName,
): Promise<boolean> {
  const cursor = Buffer.from(JSON.stringify([place.type, textBefore(place.id)])).toString('base64url')
  const page = await registry.manifests.page(who, versionOf(seen), { cursor, limit: 1 })
  const [first] = page.records ?? []
  return first?.type === place.type && first.id === place.id && first.private === true
}

/** A cursor just before a text in the order of UTF-8 bytes; no existing id lies in between. */
function textBefore(text: string): string {
  const last = [...text].at(-1)!
  const point = last.codePointAt(0)!
  const before = point === 0xe000 ? 0xd7ff : point - 1
  return before < 1
    ? text.slice(0, -last.length)
    : `${text.slice(0, -last.length)}${String.fromCodePoint(before)}\u{10ffff}`
}

/** The refusal of an outdated base in words for a page that shows the form again on the latest version. */
export function afterConflict(
  error: RegistryError,
  { latest, base = '' }: { latest: string | null; base?: string | undefined },
  advice: string,
): RegistryError {
  if (error.code !== 'version_conflict') return error
  const [is, was] = [parseSemver(latest ?? ''), parseSemver(base)]
  const isWithdrawn = is !== undefined && was !== undefined && compareSemver(was, is) > 0
  const event = isWithdrawn
    ? `Version ${base}, which you edited, was withdrawn; the latest is ${latest}.`
    : `Version ${latest} was published in the meantime.`
  return inWords(error, `${event} ${advice}`)
}

/** A refusal with another sentence. */
export const inWords = ({ code, details }: RegistryError, sentence: string): RegistryError =>
  RegistryError.restored({ error: sentence, code, details: { ...details } })
