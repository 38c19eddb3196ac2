/** The latest schema with the changes of a submitted form, also if the form was made from another version. */
import type { PlainSchema } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import { schemaIn, seeVersion, type VersionResponse, type VisitedCollection } from '../../data/collection.ts'
import { cutText } from '../../format.ts'
import type { Form, Visit } from '../../page.ts'
import { droppedMax } from './dropped-members.ts'
import {
  entriesOf,
  onLatest,
  type Rebased,
  rebased,
  type SchemaEdit,
  submittedEntries,
  submittedNewEntries,
  wordsIn,
} from './schema-entries.ts'

/** The latest version with the submitted changes on top of it. */
export interface Draft {
  readonly seen: VisitedCollection
  readonly version: VersionResponse | null
  /** Undefined: the form asks for the name of a new type. */
  readonly type: string | undefined
  /** Schema in the latest version, or an empty one. */
  readonly schema: PlainSchema
  /** True if the latest version lacks the type. */
  readonly isNew: boolean
  readonly edit: SchemaEdit
  /** Sentences about the latest version if the form was made from another one. */
  readonly moved: string | undefined
}

/** Schema of a new type before its properties. */
const emptySchema: PlainSchema = { type: 'object', additionalProperties: false }

/** True: the form can remove properties from the records of the type, of which there are some. */
export function canDrop({ version, type }: Draft): boolean {
  const records = type === undefined ? 0 : (version?.typeCounts[type] ?? 0)
  return records > 0 && records <= droppedMax
}

/** @throws collection_not_found, not_a_member, type_not_found */
export async function draftOf(visit: Visit, form: Form): Promise<Draft> {
  const { seen, version } = await seeVersion(visit)
  seen.demand('write')
  const { type } = visit.params
  const known = type === undefined || version === null ? undefined : schemaIn(version, type)
  // A form that was sent is kept if its type was removed meanwhile.
  if (type !== undefined && known === undefined && form['base'] === undefined) {
    const types = Object.keys(version?.schemas ?? {}).slice(0, 20)
    throw new RegistryError('type_not_found', { say: { type, types: types.join(', ') } })
  }
  const schema = known ?? emptySchema
  const draft = { seen, version, type, schema, isNew: known === undefined }
  return { ...draft, ...(await editIn(visit, form, draft)) }
}

/** The submitted changes. If they were made on another version, only what differs from it. */
async function editIn(
  visit: Visit,
  form: Form,
  { version, type, schema, isNew }: Omit<Draft, 'edit' | 'moved'>,
): Promise<Pick<Draft, 'edit' | 'moved'>> {
  const [base, latest, words] = [form['base'], entriesOf(schema), wordsIn(schema)]
  const added = submittedNewEntries(form)
  if (base === undefined) return { edit: { ...words, entries: latest, added }, moved: undefined }
  const typedWords = wordsIn({ ...words, ...form })
  if (base === (version?.semver ?? ''))
    return { edit: { ...typedWords, entries: submittedEntries(form, latest), added }, moved: undefined }
  const readBase = type === undefined ? 'new' : await schemaAt(visit, base, type)
  const before = typeof readBase === 'object' && !isNew ? readBase : undefined
  const was = before === undefined ? undefined : wordsIn(before)
  const entries = before === undefined ? [] : entriesOf(before)
  const moved: Rebased =
    before === undefined ? onLatest(form, latest) : rebased(latest, entries, submittedEntries(form, entries))
  return {
    edit: {
      title: typedWords.title === was?.title ? words.title : typedWords.title,
      description: typedWords.description === was?.description ? words.description : typedWords.description,
      entries: moved.entries,
      added: [...moved.added, ...added],
    },
    moved: movedText({
      ...{ base, latest: version?.semver, isGone: readBase === undefined },
      removed: type !== undefined && isNew ? type : undefined,
      hasNew: moved.added.length > 0,
    }),
  }
}

interface MovedAsk {
  readonly base: string
  readonly latest: string | undefined
  /** True if the version of the form can no longer be read. */
  readonly isGone: boolean
  /** The type, if the latest version lacks it. */
  readonly removed: string | undefined
  readonly hasNew: boolean
}

function movedText({ base, latest, isGone, removed, hasNew }: MovedAsk): string {
  const event = isGone
    ? `${cutText(base, 40)}, which you edited, was withdrawn.`
    : `${latest} was published while you edited ${base === '' ? 'the first version' : cutText(base, 40)}.`
  const place = latest === undefined ? '' : `, on top of ${latest}`
  const lacks = latest === undefined ? 'There is no version now' : `${latest} has no`
  return [
    ...[event, 'Nothing was stored.'],
    ...(removed === undefined
      ? []
      : [
          latest === undefined
            ? `${lacks}.`
            : `${lacks} type ${cutText(removed, 100)}: saving adds it again.`,
        ]),
    `All that you typed is kept below${place}: check it again.`,
    ...(hasNew && removed === undefined
      ? [`Properties that ${latest} lacks are at the end, as new ones.`]
      : []),
  ].join(' ')
}

/** Undefined: there is no such version now, or it has no such type. */
async function schemaAt(visit: Visit, version: string, type: string): Promise<PlainSchema | undefined> {
  try {
    const at = await seeVersion({ ...visit, params: { ...visit.params, version } })
    return schemaIn(at.version!, type)
  } catch (error) {
    if (error instanceof RegistryError && (error.kind === 'missing' || error.kind === 'gone'))
      return undefined
    throw error
  }
}
