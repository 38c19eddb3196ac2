/** `…/withdraw?version=v1.1.0`: warns the readers of a version, or takes it from them. */
import { demand } from '@ulmus/registry'
import { DeprecateVersion, type VersionItem, WithdrawVersion } from '@ulmus/wire'
import { Field, Refusal, type Refused } from '../../components/form.tsx'
import { type SeenCollection, seeCollection } from '../../data/collection.ts'
import { checked, refusedField, submitted, typed } from '../../form.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, type Page, Redirect, readJson, type Visit } from '../../page.ts'
import { collectionPath, versionPath } from '../../paths.ts'

export const withdraw: Page = {
  needsCaller: true,
  show: (visit) => withdrawPage(visit, {}),
  act: (visit, form) =>
    submitted(
      () => (form['do'] === 'withdraw' ? take(visit, form) : warn(visit, form)),
      (error) => withdrawPage(visit, { form, error }),
    ),
}

const pathOf = ({ params, url }: Visit) => ({
  owner: params['owner']!,
  slug: params['slug']!,
  v: url.searchParams.get('version') ?? 'latest',
})

/** With the number of the version, which may be asked for as `latest`. */
async function namedPath(visit: Visit) {
  const path = pathOf(visit)
  const { semver } = await visit.registry.versions.detail(visit.who, path)
  return { ...path, v: semver }
}

async function take(visit: Visit, form: Form): Promise<Answer> {
  const path = await namedPath(visit)
  if (typed(form, 'confirm') !== path.v) {
    const message = `must be “${path.v}”: nothing was withdrawn`
    throw refusedField('confirm', message)
  }
  const wanted = checked(WithdrawVersion, {
    reason: typed(form, 'reason') ?? '',
    erase: form['erase'] === 'yes',
  })
  await visit.registry.withdrawals.withdraw(visit.who, path, wanted)
  return new Redirect(collectionPath(path, 'versions'))
}

async function warn(visit: Visit, form: Form): Promise<Answer> {
  const path = await namedPath(visit)
  const { message } = checked(DeprecateVersion, { message: typed(form, 'message') ?? null })
  await visit.registry.withdrawals.deprecate(visit.who, path, message)
  return new Redirect(versionPath({ ...path, version: path.v }))
}

async function withdrawPage(
  visit: Visit,
  { form = {}, error }: { form?: Form; error?: Refused },
): Promise<Answer> {
  const seen = await seeCollection(visit)
  demand(seen.deletion, { owner: seen.owner, needed: 'admin' })
  const version = readJson<VersionItem>(await visit.registry.versions.detail(visit.who, pathOf(visit)))
  return {
    title: `Withdraw ${version.semver} · ${seen.owner}/${seen.slug}`,
    isPublic: false,
    refused: error,
    body: (
      <CollectionPage seen={seen} tab="versions">
        <div class="narrow">
          <h2>Warn the readers of {version.semver}</h2>
          <Refusal error={error} />
          <form method="post" class="form">
            <Field
              name="message"
              label="What they should know"
              form={form}
              value={version.deprecated?.message ?? ''}
              most={1_000}
              help="Shown wherever the version is. Empty: nothing. The version itself stays what it is."
            />
            <button type="submit" name="do" value="warn">
              Save
            </button>
          </form>
          <Withdrawal seen={seen} version={version} form={form} />
        </div>
      </CollectionPage>
    ),
  }
}

const Withdrawal = ({ seen, version, form }: { seen: SeenCollection; version: VersionItem; form: Form }) => (
  <section class="danger-zone">
    <h2>Withdraw {version.semver}</h2>
    <p>
      Nobody reads it any more, members neither. Its number stays taken
      {seen.latest === version.semver && ', and the version before it becomes the latest'}. It cannot be taken
      back.
    </p>
    <form method="post" class="form">
      <Field
        name="reason"
        label="Why"
        form={form}
        required
        most={1_000}
        help="Told to everyone who asks for the version: do not repeat what leaked."
      />
      <label class="check">
        <input type="checkbox" name="erase" value="yes" checked={form['erase'] === 'yes'} />
        <span>
          Erase it, too
          <span class="help">
            {' '}
            What no other version has goes from the server’s disks with the next sweep. Forks and downloads
            keep what they have.
          </span>
        </span>
      </label>
      <Field name="confirm" label={`Type “${version.semver}” to confirm`} form={form} required />
      <button type="submit" class="danger" name="do" value="withdraw">
        Withdraw this version
      </button>
    </form>
  </section>
)
