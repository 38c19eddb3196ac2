/** Facts about a version beside its overview, and its verification. */
import type { Family } from '@ulmus/wire'
import { Icon, Name, ShortHash, Time } from '../../components/small.tsx'
import { WorkloadLine } from '../../components/workload.tsx'
import type { CitedVersion } from '../../data/citation.ts'
import type { VisitedCollection } from '../../data/collection.ts'
import { licenseOf } from '../../data/licence.ts'
import { countText, cutText, hashDigits, sizeText } from '../../format.ts'
import type { Visit } from '../../page.ts'
import { accountPath, apiCollectionPath, collectionPath, versionPath } from '../../paths.ts'
import { FamilyFacts } from './family.tsx'

/** Longer messages and licences are cut. Characters. */
const messageMax = 1_000

/** A link for SPDX identifiers and addresses. */
const Licence = ({ text }: { text: string }) => {
  const url = licenseOf(text)?.url
  const rendered = <bdi>{cutText(text, messageMax)}</bdi>
  return url === undefined ? (
    rendered
  ) : (
    <a href={url} rel="license nofollow noopener ugc">
      {rendered}
    </a>
  )
}

interface AboutProps {
  readonly seen: VisitedCollection
  readonly version: CitedVersion
  readonly family: Family
}

export function About({ seen, version, family }: AboutProps) {
  const { license } = version.metadata as { license?: unknown }
  return (
    <>
      <h2 class="sr-only">About</h2>
      <dl class="facts-list">
        <dt>Version</dt>
        <dd>
          <a class="semver" href={versionPath({ ...seen, version: version.semver })}>
            {version.semver}
          </a>
          , <Time at={version.createdAt} />
        </dd>
        {version.message !== null && (
          <>
            <dt>Message</dt>
            <dd dir="auto">{cutText(version.message, messageMax)}</dd>
          </>
        )}
        {version.workload !== undefined && (
          <>
            <dt>Published by</dt>
            <dd>
              <WorkloadLine workload={version.workload} />
            </dd>
          </>
        )}
        <dt>Licence</dt>
        <dd>
          {typeof license === 'string' ? <Licence text={license} /> : <span class="quiet">None stated</span>}
        </dd>
        <dt>Records</dt>
        <dd class="number">{countText(version.recordCount)}</dd>
        <dt>Files</dt>
        <dd class="number">{countText(version.fileCount)}</dd>
        <dt>Size</dt>
        <dd>{sizeText(version.totalBytes)}</dd>
        <dt>Owner</dt>
        <dd>
          <a href={accountPath(seen.owner)}>
            <Name of={seen.ownerName} />
          </a>
        </dd>
        <FamilyFacts {...{ seen, family }} version={version.semver} />
        <dt>Digest</dt>
        <dd>
          <ShortHash hash={seen.isPublic ? version.publicHash : version.hash} />
        </dd>
        {seen.isPublic && hashDigits(version.hash) !== hashDigits(version.publicHash) && (
          <>
            <dt>In full</dt>
            <dd>
              <ShortHash hash={version.hash} />
            </dd>
          </>
        )}
      </dl>
      <p>
        <a href={`${apiCollectionPath(seen, 'export')}?version=${version.semver}`} download>
          Download (.tar.gz)
        </a>
      </p>
      {!seen.readsAll && (
        <p>
          <a class="quiet" href={collectionPath(seen, 'report')} rel="nofollow">
            Report this collection
          </a>
        </p>
      )}
      {seen.may('write') && (
        <p>
          <a href={collectionPath(seen, 'edit')}>Edit description, topics, readme and licence</a>
        </p>
      )}
    </>
  )
}

/** Verification of the whole version in the browser. The attribute names the worker's script, because scripts cannot know its hash. */
export const Verify = ({
  seen,
  version,
  visit,
}: {
  seen: VisitedCollection
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
