/** `…/erase?type=T&id=I`: removes a record from all versions. */
import { type ErasedRecord, EraseRecord, type RecordErasure } from '@ulmus/wire'
import { Field, Refusal } from '../../components/form.tsx'
import { Code, Name, Time } from '../../components/small.tsx'
import { seeCollection, type VisitedCollection } from '../../data/collection.ts'
import { checked, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { counted, cutName } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import type { Answer, Form, View, Visit } from '../../page.ts'
import { recordPath } from '../../paths.ts'
import { afterConflict } from '../publish/record/publish.ts'

export const eraseRecord = formPage(erase, erasePage)

/** Versions listed on the page; the sentence counts all. */
const listedMax = 50
const word = 'erase'

const pathOf = ({ params, url }: Visit) => ({
  owner: params['owner']!,
  slug: params['slug']!,
  type: url.searchParams.get('type') ?? '',
  id: url.searchParams.get('id') ?? '',
})

/** Answers with the receipt, which the registry does not keep. */
async function erase(visit: Visit, form: Form): Promise<Answer> {
  const path = pathOf(visit)
  const plan = await visit.registry.recordErasures.plan(visit.who, path)
  if (typed(form, 'confirm') !== word)
    throw refusedField('confirm', `Type ${word} to confirm. Nothing was removed.`)
  const wanted = checked(EraseRecord, {
    base_version: form['base'] ?? plan.latest,
    reason: typed(form, 'reason'),
  })
  const receipt = await visit.registry.recordErasures.erase(visit.who, path, wanted)
  const seen = await seeCollection(visit)
  return {
    title: `A record was removed · ${seen.owner}/${seen.slug}`,
    isPublic: false,
    body: (
      <CollectionPage seen={seen} tab="versions">
        <div class="narrow">
          <Receipt seen={seen} receipt={receipt} />
        </div>
      </CollectionPage>
    ),
  }
}

async function erasePage(visit: Visit, { form, error }: FormState): Promise<View> {
  const path = pathOf(visit)
  const plan = await visit.registry.recordErasures.plan(visit.who, path)
  const seen = await seeCollection(visit)
  const base = { latest: plan.latest, base: form['base'] }
  const refused = error && afterConflict(error, base, 'Look at the list again, then confirm.')
  return {
    title: `Remove ${cutName(path.id, 80)} from all versions · ${seen.owner}/${seen.slug}`,
    isPublic: false,
    refused,
    body: (
      <CollectionPage seen={seen} tab="records">
        <div class="narrow">
          <h2>
            Remove <Name of={path.type} /> <Name of={path.id} most={200} /> from all versions
          </h2>
          <Refusal error={refused} />
          <div class="prose">
            <Consequences plan={plan} />
          </div>
          <form method="post" class="form">
            <input type="hidden" name="base" value={plan.latest ?? ''} />
            <Field
              name="reason"
              label="Why"
              form={form}
              most={1_000}
              help="Shown to everyone who opens one of these versions: do not repeat the data. Empty: “A record was removed from all versions.”"
            />
            <Field name="confirm" label={`Type “${word}” to confirm`} form={form} required />
            <p class="actions">
              <button type="submit" class="danger">
                Remove it from all versions
              </button>
              <a href={recordPath(placeOf(seen, plan), path.type, path.id)}>Back to the record</a>
            </p>
          </form>
        </div>
      </CollectionPage>
    ),
  }
}

/** The newest readable version that has the record. */
const placeOf = ({ owner, slug }: VisitedCollection, { publishes, versions }: RecordErasure) => ({
  ...{ owner, slug },
  version: publishes === null ? versions.find(({ withdrawn }) => !withdrawn)?.semver : undefined,
})

const Consequences = ({ plan: { versions, publishes, stays, forks } }: { plan: RecordErasure }) => (
  <ul>
    {publishes !== null && (
      <li>
        Version <span class="semver">{publishes}</span> is published without the record.
      </li>
    )}
    <li>
      {counted(versions.length, 'version')} with the record {versions.length === 1 ? 'becomes' : 'become'}{' '}
      unreadable for everyone, because a version cannot lose a single record:{' '}
      {versions
        .slice(0, listedMax)
        .map(({ semver, withdrawn }) => (withdrawn ? `${semver} (withdrawn already)` : semver))
        .join(', ')}
      {versions.length > listedMax && ` and ${versions.length - listedMax} more`}. Links to{' '}
      {versions.length === 1 ? 'it' : 'them'} say so.
    </li>
    <li>
      {stays === 0 ? 'No other version stays' : counted(stays, 'other version stays', 'other versions stay')}{' '}
      readable.
    </li>
    <li>The next sweep deletes the record, and everything else that only these versions have.</li>
    <li>
      Downloads, backups and forks keep the record
      {forks > 0 && `: ${counted(forks, 'public fork')} may have it`}.{' '}
      <a href="/docs/delete-personal-data">What stays, and for how long</a>
    </li>
    <li>This cannot be undone.</li>
  </ul>
)

const Receipt = ({ seen, receipt }: { seen: VisitedCollection; receipt: ErasedRecord }) => (
  <>
    <h2>The record was removed</h2>
    <p>
      <Name of={receipt.type} /> <Name of={receipt.id} most={200} /> was removed{' '}
      <Time at={receipt.erasedAt} /> from {counted(receipt.versions.length, 'version')}
      {receipt.published !== null && (
        <>
          . <span class="semver">{receipt.published}</span> was published without it
        </>
      )}
      . The next sweep deletes it from the stores.
    </p>
    <p>Save this receipt: the registry does not keep it, because the id may be personal.</p>
    <Code>{JSON.stringify({ collection: `${seen.owner}/${seen.slug}`, ...receipt }, null, 2)}</Code>
  </>
)
