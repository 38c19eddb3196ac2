/** `…/records/:type/new`: adds a record by a form, or as JSON. Saving makes a version. */
import { RegistryError } from '@ulmus/registry'
import { Name } from '../../components/small.tsx'
import { schemaIn } from '../../data/collection.ts'
import { readRecords } from '../../data/records.ts'
import { afterSaving } from '../../data/saved.ts'
import { type FormState, formPage, refusedField, typed } from '../../form.ts'
import { cutName, shownName } from '../../format.ts'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { recordPath } from '../../paths.ts'
import { atInputs } from './record/entries.ts'
import { dataIn, inputsOf, isPrivateIn, recordFormPage } from './record/form.tsx'
import { afterConflict, publishRecord, seeToEdit } from './record/publish.ts'

export const newRecord = formPage(save, newPage)

/** @throws type_not_found */
async function readType(visit: Visit) {
  const { seen, version } = await seeToEdit(visit)
  const type = visit.params['type']!
  const schema = version === null ? undefined : schemaIn(version, type)
  if (version === null || schema === undefined)
    throw new RegistryError('type_not_found', {
      say: { type, types: Object.keys(version?.schemas ?? {}).join(', ') },
    })
  return { seen, version, type, schema, data: undefined, isPrivate: false }
}

async function save(visit: Visit, form: Form): Promise<Answer> {
  const edited = await readType(visit)
  const { seen, type } = edited
  const id = typed(form, 'id')
  if (id === undefined) throw refusedField('id', 'Every record needs an id.')
  const { records } = await readRecords(visit, seen, { type, id, schema: undefined })
  if (records.length > 0)
    throw refusedField('id', 'A record of this type has this id. Choose another id, or edit that record.')
  const put = { type, id, data: dataIn(edited, form), isPrivate: isPrivateIn(edited, form) }
  const made = await publishRecord(visit, seen, form, put, `Added ${shownName(type)} ${cutName(id, 100)}`)
  const path = recordPath({ owner: seen.owner, slug: seen.slug }, type, id)
  return new Redirect(afterSaving(path, 'added', made))
}

async function newPage(visit: Visit, { form, error }: FormState): Promise<View> {
  const edited = await readType(visit)
  const { seen, version, type } = edited
  const advice = 'Your entries are kept. Check them, then save again.'
  const base = { latest: seen.latest, base: form['base'] }
  const refused = atInputs(error && afterConflict(error, base, advice), inputsOf(edited) ?? [])
  const heading = (
    <>
      Add a record of type <Name of={type} />
    </>
  )
  const onLatest = { ...form, base: version.semver }
  const title = `Add a record · ${shownName(type)}`
  return recordFormPage({ title, heading, edited, visit, form: onLatest, error: refused })
}
