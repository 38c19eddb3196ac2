/** `…/report`: reports the collection to the operators. For every reader, signed in or not. */
import { ReportCollection, type ReportReason, reportReasons } from '@ulmus/wire'
import { Choice, Field, Refusal } from '../../components/form.tsx'
import { seeCollection } from '../../data/collection.ts'
import { Again, checked, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import type { View, Visit } from '../../page.ts'
import { versionPath } from '../../paths.ts'

interface Sent {
  /** `earlier`: an earlier report stands, and this one is not kept. */
  readonly sent: 'new' | 'earlier'
}

export const report = formPage<Sent>(
  async (visit, form) => {
    const path = { owner: visit.params['owner']!, slug: visit.params['slug']! }
    if (!Object.hasOwn(reportReasons, form['reason'] ?? ''))
      throw refusedField('reason', 'Choose a reason for the report.')
    const given = { reason: form['reason'], text: typed(form, 'text') ?? '', contact: typed(form, 'contact') }
    const isNew = await visit.registry.reports.make(visit.who, path, checked(ReportCollection, given))
    return new Again({ sent: isNew ? 'new' : 'earlier' })
  },
  reportPage,
  { isForAnyone: true },
)

async function reportPage(visit: Visit, { form, error, sent }: FormState<Sent>): Promise<View> {
  const seen = await seeCollection(visit)
  return {
    title: `Report ${seen.owner}/${seen.slug}`,
    body: (
      <CollectionPage seen={seen} tab="overview">
        <div class="narrow">
          <h2>Report this collection</h2>
          {sent !== undefined ? (
            <div class={sent === 'new' ? 'note saved' : 'note'} role="status">
              <p>
                {sent === 'new' ? 'The operators have your report.' : earlierText(visit)}{' '}
                <a href={seen.inView(versionPath(seen))}>Back to the collection</a>
              </p>
            </div>
          ) : (
            <>
              <p>
                The operators of this registry read every report, and hide a collection that breaks the law or
                their rules. They see {visit.caller === undefined ? 'your network address' : 'your account'},
                and the owner of the collection does not learn of the report. Of several reports{' '}
                {visit.caller === undefined ? 'from one network' : 'of yours'}, they get the first until they
                have decided.
              </p>
              <Refusal error={error} />
              <form method="post" class="form">
                <Choice
                  name="reason"
                  label="What is wrong?"
                  form={form}
                  value=""
                  options={Object.entries(reportReasons) as [ReportReason, string][]}
                />
                <Field
                  name="text"
                  label="What is it, and where?"
                  form={form}
                  required
                  most={2_000}
                  lines={6}
                  help="Name the records, columns or files."
                />
                <Field
                  name="contact"
                  label="How to answer you"
                  form={form}
                  most={200}
                  help="Such as an e-mail address. Optional: without it you get no answer."
                />
                <button type="submit" class="primary">
                  Send the report
                </button>
              </form>
            </>
          )}
        </div>
      </CollectionPage>
    ),
  }
}

/** Others may share the network of a visitor without a session. */
const earlierText = ({ caller }: Visit) =>
  caller === undefined
    ? 'This report was not sent: an earlier one from your network is open, and the operators have that one alone. Sign in to send yours.'
    : 'This report was not sent: the operators have your earlier one, and have not decided yet.'
