/** `…/records/:type/:id/delete`: removes a record from the next version. */
import { RegistryError } from '@ulmus/registry'
import { Field, Refusal } from '../../components/form.tsx'
import { Name } from '../../components/small.tsx'
import { readRecords } from '../../data/records.ts'
import { afterSaving } from '../../data/saved.ts'
import { type FormState, formPage } from '../../form.ts'
import { cutName, shownName } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { collectionPath, recordPath, versionPath, withQuery } from '../../paths.ts'
import { afterConflict, publishDelete, seeToEdit } from './record/publish.ts'

export const deleteRecord = formPage(remove, deletePage)

/** @throws record_not_found */
async function readNamed(visit: Visit) {
  const { seen, version } = await seeToEdit(visit)
  const { type, id } = visit.params as { type: string; id: string }
  const isKnown = version !== null && Object.hasOwn(version.schemas, type)
  const { records } = isKnown
    ? await readRecords(visit, seen, { type, id, schema: undefined })
    : { records: [] }
  if (version === null || records.length === 0)
    throw new RegistryError('record_not_found', { say: { type, id } })
  return { seen, version, type, id }
}

async function remove(visit: Visit, form: Form): Promise<Answer> {
  const { seen, type, id } = await readNamed(visit)
  const did = `Deleted ${shownName(type)} ${cutName(id, 100)}`
  const made = await publishDelete(visit, seen, form, { type, id }, did)
  const path = versionPath({ owner: seen.owner, slug: seen.slug }, 'records', type)
  return new Redirect(afterSaving(path, 'deleted', made))
}

async function deletePage(visit: Visit, { form, error }: FormState): Promise<View> {
  const { seen, version, type, id } = await readNamed(visit)
  const base = { latest: seen.latest, base: form['base'] }
  const refused = error && afterConflict(error, base, 'Look at the record again, then confirm.')
  const path = recordPath({ owner: seen.owner, slug: seen.slug }, type, id)
  return {
    title: `Delete ${cutName(id, 80)} · ${seen.owner}/${seen.slug}`,
    isPublic: false,
    refused,
    body: (
      <CollectionPage seen={seen} tab="records">
        <div class="narrow">
          <h2>
            Delete <Name of={type} /> <Name of={id} most={200} />
          </h2>
          <p>
            Version <span class="semver">{seen.next.content}</span> will be published without this record.
            Versions that exist keep it{' '}
            {seen.may('withdraw') ? (
              <>
                (
                <a href={withQuery(collectionPath(seen, 'erase'), { type, id })}>
                  remove it from all versions
                </a>
                )
              </>
            ) : (
              <>
                (<a href="/docs/delete-personal-data">how to remove it there, too</a>)
              </>
            )}
            . References of other records to it stay as they are.
          </p>
          <Refusal error={refused} />
          <form method="post" class="form">
            <input type="hidden" name="base" value={version.semver} />
            <Field name="message" label="Message" form={form} help="Why, for the list of versions." />
            <p class="actions">
              <button type="submit" class="danger">
                Delete this record
              </button>
              <a href={path}>Back to the record</a>
            </p>
          </form>
        </div>
      </CollectionPage>
    ),
  }
}
