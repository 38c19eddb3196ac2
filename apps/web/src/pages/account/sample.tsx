/** `/new/sample`: publishes a sample collection, in one step. */
import { Refusal } from '../../components/form.tsx'
import { SampleForm } from '../../components/sample.tsx'
import { publishSample, sampleSlug, sampleType } from '../../data/sample.ts'
import { type FormState, formPage } from '../../form.ts'
import { Redirect, type View, type Visit } from '../../page.ts'
import { versionPath } from '../../paths.ts'

export const sample = formPage(async (visit, form) => {
  const owner = form['owner'] ?? visit.caller!.accountSlug
  await publishSample(visit, owner)
  return new Redirect(versionPath({ owner, slug: sampleSlug }, 'records', sampleType))
}, samplePage)

function samplePage({ caller }: Visit, { form, error }: FormState): View {
  const own = caller!.accountSlug
  // After `slug_taken`: the owner of the collection that has the address.
  const owner = error?.code === 'slug_taken' ? (form['owner'] ?? own) : own
  const at = `${owner}/${sampleSlug}`
  return {
    title: 'Load a sample',
    body: (
      <div class="wide content narrow-page">
        <h1>Load a sample</h1>
        {error?.code === 'slug_taken' ? (
          <p class="note bad" role="alert">
            There is a collection at this address already:{' '}
            <a href={versionPath({ owner, slug: sampleSlug })}>{at}</a>. Look at it, or change its address or
            delete it in its settings to load the sample again.
          </p>
        ) : (
          <>
            <Refusal error={error} />
            <SampleForm owner={owner} />
          </>
        )}
      </div>
    ),
  }
}
