import { Icon } from '../../components/icon.tsx'
import type { CitedVersion } from '../../data/citation.ts'
import type { SeenCollection } from '../../data/collection.ts'
import type { Visit } from '../../page.ts'

/** Verification of the whole version in the browser. The attribute names the worker's script, because scripts cannot know its hash. */
export const Verify = ({
  seen,
  version,
  visit,
}: {
  seen: SeenCollection
  version: CitedVersion
  visit: Visit
}) => (
  <section class="verify">
    <h2>Verify</h2>
    <p class="quiet">
      Check that what you got is what was published. <a href="/docs/verifying">How it is done</a>
    </p>
    <button
      type="button"
      id="verify-version"
      data-collection={`${seen.owner}/${seen.slug}`}
      data-version={version.semver}
      data-digest={version.hash}
      data-worker={visit.script('verify-version-worker')}
      hidden
    >
      <Icon name="shield" />
      Verify here
    </button>
    <noscript>
      <p class="quiet">
        Verifying here needs JavaScript. <code>ulmus verify</code> and <code>verify.py</code> do the same.
      </p>
    </noscript>
    <p id="verified-version" aria-live="polite" />
    <div id="logged-version" aria-live="polite" hidden />
  </section>
)
