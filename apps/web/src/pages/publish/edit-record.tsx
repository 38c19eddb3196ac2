/** `…/records/:type/:id/edit`: edits one record by a form, or as JSON. Saving makes a version. */
import { RegistryError } from '@ulmus/registry'
import type { Refused } from '../../components/form.tsx'
import { schemaIn } from '../../data/collection.ts'
import { readRecords } from '../../data/records.ts'
import { submitted } from '../../form.ts'
import { cutText } from '../../format.ts'
import { type Answer, type Form, type Page, Redirect, type Visit } from '../../page.ts'
import { recordPath } from '../../paths.ts'
import { allControls, initialText } from './record/controls.ts'
import { atInputs } from './record/entries.ts'
import { dataIn, type Edited, inputsOf, isJsonForm, isPrivateIn, recordFormPage } from './record/form.tsx'
import { afterConflict, isPushedAsPrivate, publishRecord, seeToEdit } from './record/publish.ts'

export const editRecord: Page = {
  needsCaller: true,
  show: (visit) => editPage(visit, {}),
  act: (visit, form) =>
    submitted(
      () => save(visit, form),
      (error) => editPage(visit, { form, error }),
    ),
}

interface EditedRecord extends Edited {
  readonly id: string
  readonly hash: string
}

/** @param base a former version; default: the latest. @throws record_not_found, also if the record is too large for a page */
async function readEdited(visit: Visit, base?: string): Promise<EditedRecord> {
  const { seen, version } = await seeToEdit(visit)
  const { type, id } = visit.params as { type: string; id: string }
  const schema = version === null ? undefined : schemaIn(version, type)
  const at = base === undefined ? seen : { ...seen, version: base }
  const [record] = schema === undefined ? [] : (await readRecords(visit, at, { type, id, schema })).records
  if (version === null || schema === undefined || record?.data === undefined)
    throw new RegistryError('record_not_found', { say: { type, id } })
  const isPrivate = await isPushedAsPrivate(visit, at, { type, id })
  return { seen, version, type, id, schema, data: record.data, hash: record.hash, isPrivate }
}

async function save(visit: Visit, form: Form): Promise<Answer> {
  const edited = await readEdited(visit)
  const { seen, type, id } = edited
  const put = { type, id, data: dataIn(edited, form), isPrivate: isPrivateIn(edited, form) }
  await publishRecord(visit, seen, form, put, `Changed ${type} ${cutText(id, 100)}`)
  return new Redirect(recordPath({ owner: seen.owner, slug: seen.slug }, type, id))
}

async function editPage(
  visit: Visit,
  { form = {}, error }: { form?: Form; error?: Refused },
): Promise<Answer> {
  const edited = await readEdited(visit)
  const { type, id } = edited
  const { form: kept, error: refused } =
    error?.code === 'version_conflict'
      ? await movedToLatest(visit, edited, form, error)
      : { form, error: atInputs(error, inputsOf(edited) ?? []) }
  const heading = (
    <>
      Edit <bdi>{type}</bdi> <bdi>{cutText(id, 200)}</bdi>
    </>
  )
  const title = `Edit ${cutText(id, 80)}`
  return recordFormPage({ title, heading, edited, visit, form: kept, error: refused })
}

/**
 * Moves a form to the latest version: its edited entries stay, others get the present values. As JSON, entries cannot be told apart, so
 * the base remains if the record itself changed.
 */
async function movedToLatest(visit: Visit, edited: EditedRecord, form: Form, error: RegistryError) {
  const { seen, version } = edited
  const before = await readEdited(visit, form['base']).catch((cause: unknown) => {
    if (!(cause instanceof RegistryError)) throw cause
  })
  const isSame = before?.hash === edited.hash
  if (before === undefined || (!isSame && isJsonForm(visit, form)))
    return {
      form,
      error: afterConflict(
        error,
        seen.latest,
        'Open this page again in another tab, and repeat your change there.',
      ),
    }
  const former = new Map(formerTexts(before))
  const isEdited = ([name, text]: [string, string]) =>
    name === 'private'
      ? (text === 'yes') !== before.isPrivate
      : former.get(name) !== text.replaceAll('\r\n', '\n')
  const kept = Object.fromEntries(Object.entries(form).filter(isEdited))
  const advice = 'Your entries are kept. Check them, then save again.'
  return { form: { ...kept, base: version.semver }, error: afterConflict(error, seen.latest, advice) }
}

const formerTexts = (edited: Edited): [string, string][] =>
  allControls(inputsOf(edited) ?? []).map((control) => [control.pointer, initialText(control)])
