/** `…/withdraw?version=v1.1.0`: deprecates or withdraws a version, or erases a withdrawn one. */
import { DeprecateVersion, WithdrawVersion } from '@ulmus/wire'
import { Field, Refusal } from '../../components/form.tsx'
import { seeCollection, type VisitedCollection } from '../../data/collection.ts'
import { checked, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { collectionPath, versionPath } from '../../paths.ts'

export const withdraw = formPage((visit, form) => (acts.get(form['do']) ?? warn)(visit, form), withdrawPage)

const pathOf = ({ params, url }: Visit) => ({
  owner: params['owner']!,
  slug: params['slug']!,
  v: url.searchParams.get('version') ?? 'latest',
})

type Marks = Awaited<ReturnType<Visit['registry']['withdrawals']['marks']>>

/** Resolves the version, which the query may give as `latest`. */
async function marked(visit: Visit) {
  const path = pathOf(visit)
  const marks = await visit.registry.withdrawals.marks(visit.who, path)
  return { path: { ...path, v: marks.semver }, marks }
}

/** Like `marked`, for a caller who may withdraw the version. A wrong field is no answer for others. */
async function withdrawable(visit: Visit) {
  const seen = await seeCollection(visit)
  seen.demand('withdraw')
  return marked(visit)
}

/** @throws invalid_request */
function demandConfirmed(form: Form, version: string, otherwise: string): void {
  const message = `Type ${version} to confirm. ${otherwise}`
  if (typed(form, 'confirm') !== version) throw refusedField('confirm', message)
}

async function take(visit: Visit, form: Form): Promise<Answer> {
  const { path } = await withdrawable(visit)
  demandConfirmed(form, path.v, 'Nothing was withdrawn.')
  const wanted = checked(WithdrawVersion, {
    reason: typed(form, 'reason') ?? '',
    erase: form['erase'] === 'yes',
  })
  await visit.registry.withdrawals.withdraw(visit.who, path, wanted)
  return new Redirect(collectionPath(path, 'versions'))
}

async function erase(visit: Visit, form: Form): Promise<Answer> {
  const { path, marks } = await withdrawable(visit)
  if (marks.withdrawn === undefined) throw refusedField('version', 'This version must be withdrawn first.')
  demandConfirmed(form, path.v, 'Nothing was erased.')
  const { reason } = marks.withdrawn
  await visit.registry.withdrawals.withdraw(visit.who, path, { reason, erase: true })
  return new Redirect(collectionPath(path, 'versions'))
}

async function warn(visit: Visit, form: Form): Promise<Answer> {
  const { path } = await marked(visit)
  const { message } = checked(DeprecateVersion, { message: typed(form, 'message') ?? null })
  await visit.registry.withdrawals.deprecate(visit.who, path, message)
  return new Redirect(versionPath({ ...path, version: path.v }))
}

// A map, because a form may name a member that every object has.
const acts = new Map<string | undefined, typeof warn>([
  ['withdraw', take],
  ['erase', erase],
])

async function withdrawPage(visit: Visit, { form, error }: FormState): Promise<View> {
  const seen = await seeCollection(visit)
  // A version is marked as withdrawn by those alone who may withdraw it; others may warn of it.
  seen.demand('deprecate')
  const { marks } = await marked(visit)
  const { semver, withdrawn } = marks
  const mayWithdraw = seen.may('withdraw')
  if (withdrawn !== undefined) seen.demand('withdraw')
  return {
    title: `${withdrawn !== undefined ? 'Erase' : mayWithdraw ? 'Withdraw' : 'Warn of'} ${semver} · ${seen.owner}/${seen.slug}`,
    body: (
      <CollectionPage seen={seen} tab="versions">
        <div class="narrow">
          <Refusal error={error} />
          {withdrawn === undefined ? (
            <>
              <Warning marks={marks} form={form} />
              {mayWithdraw && <Withdrawal seen={seen} semver={semver} form={form} />}
            </>
          ) : (
            <Erasure semver={semver} withdrawn={withdrawn} form={form} />
          )}
        </div>
      </CollectionPage>
    ),
  }
}

const Warning = ({ marks, form }: { marks: Marks; form: Form }) => (
  <>
    <h2>Warn the readers of {marks.semver}</h2>
    <form method="post" class="form">
      <Field
        name="message"
        label="Warning"
        form={form}
        value={marks.deprecated?.message ?? ''}
        most={1_000}
        help="Shown wherever the version is shown. Empty: no warning. The version itself does not change."
      />
      <button type="submit" name="do" value="warn">
        Save
      </button>
    </form>
  </>
)

const whatGoes =
  'The next sweep deletes data that no other version uses. Forks and downloads keep their copies.'

const Withdrawal = ({ seen, semver, form }: { seen: VisitedCollection; semver: string; form: Form }) => (
  <section class="danger-zone">
    <h2>Withdraw {semver}</h2>
    <p>
      The version becomes unreadable for everyone. Its number is not reused
      {seen.latest === semver && ', and the version before it becomes the latest'}. This cannot be undone.
    </p>
    <form method="post" class="form">
      <Field
        name="reason"
        label="Why"
        form={form}
        required
        most={1_000}
        help="Shown to everyone who opens the version: do not repeat leaked data."
      />
      <label class="check">
        <input type="checkbox" name="erase" value="yes" checked={form['erase'] === 'yes'} />
        <span>
          Erase it, too
          <span class="help"> {whatGoes}</span>
        </span>
      </label>
      <Field name="confirm" label={`Type “${semver}” to confirm`} form={form} required />
      <button type="submit" class="danger" name="do" value="withdraw">
        Withdraw this version
      </button>
    </form>
  </section>
)

interface ErasureProps {
  readonly semver: string
  readonly withdrawn: NonNullable<Marks['withdrawn']>
  readonly form: Form
}

/** Form for a withdrawn version. */
const Erasure = ({ semver, withdrawn, form }: ErasureProps) => (
  <>
    <p class="note">
      {semver} is withdrawn. <bdi>{withdrawn.reason}</bdi>
    </p>
    {withdrawn.erase ? (
      <p>It is erased, or will be by the next sweep. There is nothing more to do.</p>
    ) : (
      <section class="danger-zone">
        <h2>Erase {semver}</h2>
        <p>It is still stored. {whatGoes} This cannot be undone.</p>
        <form method="post" class="form">
          <Field name="confirm" label={`Type “${semver}” to confirm`} form={form} required />
          <button type="submit" class="danger" name="do" value="erase">
            Erase this version
          </button>
        </form>
      </section>
    )}
  </>
)
