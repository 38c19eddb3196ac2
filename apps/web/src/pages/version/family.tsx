/** The family of a collection: the source of a fork, and its forks. */
import type { Family } from '@ulmus/wire'
import type { VisitedCollection } from '../../data/collection.ts'
import { counted, countText } from '../../format.ts'
import { collectionPath, versionPath } from '../../paths.ts'

interface FamilyProps {
  readonly seen: VisitedCollection
  /** Semver of the page. */
  readonly version: string
  readonly family: Family
}

/** Forks in the list. */
const forksShown = 5

/** The source of a fork, and the forks of the collection. */
export function FamilyFacts({ seen, version, family: { source, forks, publicForks } }: FamilyProps) {
  return (
    <>
      {source !== null && (
        <>
          <dt>Forked from</dt>
          <dd>
            <a href={versionPath(source)}>
              {source.owner}/{source.slug} {source.version}
            </a>
            , <Behind of={source} source={source} /> ·{' '}
            <a
              href={collectionPath(
                seen,
                'compare',
                source.owner,
                `${source.slug}@${source.version}...${version}`,
              )}
            >
              what differs
            </a>
          </dd>
        </>
      )}
      {forks.length > 0 && (
        <>
          <dt>Forks</dt>
          <dd>
            {countText(Math.max(publicForks, forks.length))}
            <ul class="forks">
              {forks.slice(0, forksShown).map((fork) => (
                <li key={`${fork.owner}/${fork.slug}`}>
                  <a href={versionPath({ owner: fork.owner, slug: fork.slug })}>
                    {fork.owner}/{fork.slug}
                  </a>
                  , <Behind of={fork} source={seen} />
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </>
  )
}

interface BehindProps {
  readonly of: Pick<Family['forks'][number], 'version' | 'behind'>
  readonly source: { readonly owner: string; readonly slug: string; readonly latest: string | null }
}

/** `2 versions behind`, with a link to what the fork lacks. */
const Behind = ({ of: { version, behind }, source }: BehindProps) =>
  behind === 0 || source.latest === null ? (
    <>up to date</>
  ) : (
    <a href={collectionPath(source, 'compare', `${version}...${source.latest}`)}>
      {behind >= 1_000 ? 'at least ' : ''}
      {counted(behind, 'version')} behind
    </a>
  )
