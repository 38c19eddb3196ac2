/** `…/records/:type/:id/edit`: edits one record by a form, or as JSON. Saving makes a version. */
import { RegistryError } from '@ulmus/registry'
import { Name } from '../../components/small.tsx'
import { schemaIn } from '../../data/collection.ts'
import { readRecords } from '../../data/records.ts'
import { afterSaving } from '../../data/saved.ts'
import { type FormState, formPage } from '../../form.ts'
import { cutName, shownName } from '../../format.ts'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { recordPath } from '../../paths.ts'
import { allControls, initialText } from './record/controls.ts'
import { atInputs } from './record/entries.ts'
import { dataIn, type Edited, inputsOf, isJsonForm, isPrivateIn, recordFormPage } from './record/form.tsx'
import { afterConflict, inWords, isPushedAsPrivate, publishRecord, seeToEdit } from './record/publish.ts'

export const editRecord = formPage(save, editPage)

interface EditedRecord extends Edited {
  readonly id: string
  /** Undefined: the latest version lacks the record. */
  readonly hash: string | undefined
}

/**
 * The latest record, or the one that a sent form was made from if the latest version lacks it.
 * @throws record_not_found, also if the record is too large for a page
 */
async function readEdited(visit: Visit, form: Form = {}): Promise<EditedRecord> {
  const { seen, version } = await seeToEdit(visit)
  const { type, id } = visit.params as { type: string; id: string }
  const schema = version === null ? undefined : schemaIn(version, type)
  const missing = () => new RegistryError('record_not_found', { say: { type, id } })
  if (version === null || schema === undefined) throw missing()
  const named = { seen, version, type, id, schema }
  const present = await readAt(visit, named, seen.version)
  if (present !== undefined) return { ...named, ...present }
  const from = form['from'] ?? form['base']
  if (from === undefined) throw missing()
  const former = await formerRecord(visit, named, from)
  const gone = { from, sentence: await removedText(visit, named) }
  return { ...named, data: {}, isPrivate: false, ...former, hash: undefined, gone }
}

type Named = Pick<EditedRecord, 'seen' | 'type' | 'id' | 'schema'>

/** @param at a version; undefined: the latest. @throws record_not_found if the record is too large for a page */
async function readAt(visit: Visit, { seen, type, id, schema }: Named, at: string | undefined) {
  const place = { ...seen, version: at }
  const [record] = (await readRecords(visit, place, { type, id, schema })).records
  if (record === undefined) return undefined
  if (record.data === undefined) throw new RegistryError('record_not_found', { say: { type, id } })
  return {
    data: record.data as unknown,
    hash: record.hash,
    isPrivate: await isPushedAsPrivate(visit, place, { type, id }),
  }
}

/** Undefined: the version, or the record in it, can no longer be read. */
async function formerRecord(visit: Visit, named: Named, version: string) {
  try {
    return await readAt(visit, named, version)
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error
    return undefined
  }
}

/** Sentence about a record that the latest version lacks. */
async function removedText({ registry }: Visit, { seen, type, id }: Named): Promise<string> {
  const { items } = await registry.histories
    .list(seen.who, { ...seen, type, id }, { limit: 1 })
    .catch((error: unknown) => {
      if (!(error instanceof RegistryError)) throw error
      return { items: [] }
    })
  const [last] = items
  return last?.change === 'removed'
    ? `The record was deleted in version ${last.semver}.`
    : `Version ${seen.latest}, now the latest, lacks this record.`
}

async function save(visit: Visit, form: Form): Promise<Answer> {
  const edited = await readEdited(visit, form)
  const { seen, type, id, gone } = edited
  if (gone !== undefined && form['from'] === undefined)
    throw new RegistryError('version_conflict', {
      details: { currentVersion: seen.latest },
      say: { baseVersion: form['base'] },
    })
  const isPrivate = isPrivateIn(edited, form)
  const put = {
    type,
    id,
    data: dataIn(edited, form),
    isPrivate,
    isMadePublic: edited.isPrivate && !isPrivate,
  }
  const did = `${gone === undefined ? 'Changed' : 'Added'} ${shownName(type)} ${cutName(id, 100)}`
  const made = await publishRecord(visit, seen, form, put, did)
  const path = recordPath({ owner: seen.owner, slug: seen.slug }, type, id)
  return new Redirect(afterSaving(path, gone === undefined ? 'changed' : 'added', made))
}

async function editPage(visit: Visit, { form, error }: FormState): Promise<View> {
  const edited = await readEdited(visit, form)
  const { type, id } = edited
  const { form: kept, error: refused } =
    error?.code === 'version_conflict'
      ? await movedToLatest(visit, edited, form, error)
      : { form, error: atInputs(error, inputsOf(edited) ?? []) }
  const heading = (
    <>
      {edited.gone === undefined ? 'Edit' : 'Add'} <Name of={type} /> <Name of={id} most={200} />
      {edited.gone !== undefined && ' again'}
    </>
  )
  const title = `Edit ${cutName(id, 80)}`
  return recordFormPage({ title, heading, edited, visit, form: kept, error: refused })
}

/**
 * Moves a form to the latest version: its edited entries stay, others get the present values. As JSON, entries cannot be told apart, so
 * the base remains if the record itself changed. If the record cannot be read in the former or the latest version, all entries stay.
 */
async function movedToLatest(visit: Visit, edited: EditedRecord, form: Form, error: RegistryError) {
  const { seen, version, gone } = edited
  const onLatest = { ...form, base: version.semver }
  if (gone !== undefined) {
    const advice = `${gone.sentence} Nothing was stored. Your entries are kept: the button adds the record again.`
    return { form: onLatest, error: inWords(error, advice) }
  }
  const base = form['base'] ?? ''
  const before = await formerRecord(visit, edited, base)
  const conflict = (advice: string) => afterConflict(error, { latest: seen.latest, base }, advice)
  if (before === undefined)
    return {
      form: onLatest,
      error: conflict('All your entries are kept. Check each of them, then save again.'),
    }
  if (before.hash !== edited.hash && isJsonForm(visit, form))
    return { form, error: conflict('Open this page again in another tab, and repeat your change there.') }
  const former = new Map(formerTexts({ ...edited, ...before }))
  const isEdited = ([name, text]: [string, string]) =>
    name === 'private'
      ? (text === 'yes') !== before.isPrivate
      : former.get(name) !== text.replaceAll('\r\n', '\n')
  const kept = Object.fromEntries(Object.entries(form).filter(isEdited))
  return {
    form: { ...kept, base: version.semver },
    error: conflict('Your entries are kept. Check them, then save again.'),
  }
}

const formerTexts = (edited: Edited): [string, string][] =>
  allControls(inputsOf(edited) ?? []).map((control) => [control.pointer, initialText(control)])
