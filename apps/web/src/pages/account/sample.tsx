/** `/new/sample`: publishes a sample collection, in one step. */
import { Refusal, type Refused } from '../../components/form.tsx'
import { SampleForm } from '../../components/sample.tsx'
import { publishSample, sampleSlug, sampleType } from '../../data/sample.ts'
import { submitted } from '../../form.ts'
import { type Answer, type Page, Redirect } from '../../page.ts'
import { versionPath } from '../../paths.ts'

export const sample: Page = {
  needsCaller: true,
  show: async (visit) => samplePage(visit.caller!.accountSlug),
  act: (visit, form) => {
    const owner = form['owner'] ?? visit.caller!.accountSlug
    return submitted(
      async () => {
        await publishSample(visit, owner)
        return new Redirect(versionPath({ owner, slug: sampleSlug }, 'records', sampleType))
      },
      (error) => samplePage(error.code === 'slug_taken' ? owner : visit.caller!.accountSlug, error),
    )
  },
}

/** @param owner of the sample; after `slug_taken`, of the collection in its way */
function samplePage(owner: string, error?: Refused): Answer {
  const at = `${owner}/${sampleSlug}`
  return {
    title: 'Load a sample',
    isPublic: false,
    refused: error,
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
