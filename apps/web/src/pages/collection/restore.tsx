/** `…/restore?version=v1.1.0`: publishes an earlier version again. */
import { RestoreVersion } from '@ulmus/wire'
import { Field, Refusal } from '../../components/form.tsx'
import { seeVersion } from '../../data/collection.ts'
import { afterSaving } from '../../data/saved.ts'
import { checked, type FormState, formPage, typed } from '../../form.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { collectionPath, versionPath, withQuery } from '../../paths.ts'
import { Confirmations, confirmedIn, inFormWords } from '../publish/confirmations.tsx'
import { afterConflict } from '../publish/record/publish.ts'

export const restore = formPage(publishAgain, restorePage)

/** The version of the query in the frame of the latest one. @throws version_not_found, version_withdrawn */
async function seeNamed(visit: Visit) {
  const version = visit.url.searchParams.get('version') ?? ''
  const { seen } = await seeVersion({ ...visit, params: { ...visit.params, version } })
  seen.demand('write')
  return { seen: { ...seen, version: undefined, difference: undefined }, version: seen.version! }
}

async function publishAgain(visit: Visit, form: Form): Promise<Answer> {
  const { seen, version } = await seeNamed(visit)
  const wanted = checked(RestoreVersion, {
    base_version: form['base'] ?? seen.latest ?? undefined,
    message: typed(form, 'message'),
    confirm_public: confirmedIn(form),
  })
  const path = { owner: seen.owner, slug: seen.slug }
  const made = await visit.registry.restores.restore(visit.who, { ...path, v: version }, wanted)
  return new Redirect(
    made.unchanged === true
      ? withQuery(versionPath(path), { saved: 'same-content' })
      : afterSaving(versionPath(path), 'restored', made.semver),
  )
}

async function restorePage(visit: Visit, { form, error }: FormState): Promise<View> {
  const { seen, version } = await seeNamed(visit)
  const base = { latest: seen.latest, base: form['base'] }
  const refused = inFormWords(error && afterConflict(error, base, 'Compare again, then confirm.'))
  return {
    title: `Publish ${version} again · ${seen.owner}/${seen.slug}`,
    isPublic: false,
    refused,
    body: (
      <CollectionPage seen={seen} tab="versions">
        <div class="narrow">
          <h2>Publish {version} again</h2>
          {version === seen.latest ? (
            <p>
              {version} is the latest version: there is nothing to go back from.{' '}
              <a href={collectionPath(seen, 'versions')}>Choose an earlier one</a>
            </p>
          ) : (
            <>
              <p>
                The next version will have the records, files, schemas and metadata of {version}. All versions
                stay readable, and {seen.latest} can be published again in the same way.{' '}
                <a href={collectionPath(seen, 'compare', `${seen.latest}...${version}`)}>
                  See what would change
                </a>
              </p>
              <Refusal error={refused} />
              <form method="post" class="form">
                <input type="hidden" name="base" value={seen.latest ?? ''} />
                <Field
                  name="message"
                  label="Message"
                  form={form}
                  most={2_000}
                  help={`Why, for the list of versions. Empty: “Restore ${version}”.`}
                />
                <Confirmations error={error} form={form} />
                <p class="actions">
                  <button type="submit" class="primary">
                    Publish {version} again
                  </button>
                  <a href={versionPath({ owner: seen.owner, slug: seen.slug, version })}>Back to {version}</a>
                </p>
              </form>
            </>
          )}
        </div>
      </CollectionPage>
    ),
  }
}
