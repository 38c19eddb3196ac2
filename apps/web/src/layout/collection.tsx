/** Frame of all collection pages: owner, tabs, version and view. */

import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { Badge, Icon, type IconName, SavedNote, Time, Visibility } from '../components/small.tsx'
import type { VisitedCollection } from '../data/collection.ts'
import type { ReaderCounts } from '../data/readers.ts'
import { instantText, shownName } from '../format.ts'
import { accountPath, apiCollectionPath, collectionPath, versionPath, withQuery } from '../paths.ts'
import { ReadersLine } from './readers-line.tsx'
import { SavedQuestionContext, SavedQuestionHead } from './saved-question.tsx'

export type Tab = 'overview' | 'records' | 'sql' | 'questions' | 'schemas' | 'files' | 'versions' | 'settings'

interface Props {
  readonly seen: VisitedCollection
  readonly tab: Tab
  /** Type whose records the page shows; the picker of versions keeps it. */
  readonly type?: string | undefined
  /** For the overview of a private collection. */
  readonly readers?: ReaderCounts
  readonly children: ComponentChildren
}

/** Tabs with their labels, icons and keys after `g`. */
const tabs: readonly [Tab, string, IconName, string][] = [
  ['overview', 'Overview', 'book', 'o'],
  ['records', 'Records', 'table', 'r'],
  ['sql', 'SQL', 'terminal', 'q'],
  ['questions', 'Questions', 'question', 'n'],
  ['schemas', 'Schemas', 'schema', 's'],
  ['files', 'Files', 'file', 'f'],
  ['versions', 'Versions', 'history', 'v'],
]

/** Frame of a page. Every page of a collection renders its content in it. */
export const CollectionPage = ({ seen, tab, type, readers, children }: Props) => (
  <>
    <div class={tab === 'overview' ? 'collection-head' : 'collection-head compact'}>
      <div class="wide">
        <div class="title-row">
          <h1>
            <a class="owner" href={accountPath(seen.owner)}>
              {seen.owner}
            </a>
            <span class="slash">/</span>
            <a href={versionPath(seen)}>
              <bdi>{seen.slug}</bdi>
            </a>
          </h1>
          <Visibility isPublic={seen.isPublic} isHidden={seen.hiddenByOperators !== undefined} />
          <VersionPicker seen={seen} tab={tab} type={type} />
          {seen.forkedFrom !== undefined && <Badge>Fork</Badge>}
          <div class="actions">
            <Actions seen={seen} />
          </div>
        </div>
        {tab === 'overview' && seen.name !== seen.slug && (
          <p class="name" dir="auto">
            {shownName(seen.name)}
          </p>
        )}
        {tab === 'overview' && <ReadersLine seen={seen} counts={readers} />}
        <Tabs seen={seen} tab={tab} />
      </div>
    </div>
    <div class="wide content">
      {seen.saved !== undefined && <SavedNote>{seen.saved}</SavedNote>}
      {seen.hiddenByOperators !== undefined && (
        <div class="note bad">
          <p>
            The operators of this registry hid this collection <Time at={seen.hiddenByOperators.since} />:
            only its members and collaborators see it. <q>{seen.hiddenByOperators.reason}</q>
          </p>
        </div>
      )}
      {seen.openedByOperator !== undefined && (
        <div class="note bad">
          <p>
            You read this {seen.isPublic || seen.hiddenByOperators !== undefined ? '' : 'private '}collection
            as an operator until{' '}
            <time datetime={seen.openedByOperator.until}>{instantText(seen.openedByOperator.until)}</time>,
            because: <q>{seen.openedByOperator.reason}</q>
          </p>
        </div>
      )}
      <OtherVersion {...{ seen, tab, type }} />
      <Deprecation seen={seen} />
      <ViewLine seen={seen} />
      <SavedQuestionHead seen={seen} />
      {children}
    </div>
  </>
)

/** Link to the versions; with JavaScript, a menu of them that keeps the tab and the type. */
function VersionPicker({ seen, tab, type }: Omit<Props, 'children'>) {
  const semver = seen.version ?? seen.latest
  if (semver === null) return null
  return (
    <span class="version-picker">
      <a
        class="badge semver"
        href={collectionPath(seen, 'versions')}
        data-versions={withQuery(apiCollectionPath(seen, 'versions'), { limit: 20 })}
        data-to={pageIn(seen, '{version}', tab, type).replace('%7Bversion%7D', '{version}')}
      >
        {semver}
        <Icon name="chevron" />
      </a>
    </span>
  )
}

/** The same page with the same question in another version. @param version undefined: the latest one */
function pageIn(
  seen: VisitedCollection,
  version: string | undefined,
  tab: Tab,
  type: string | undefined,
): string {
  const place = { owner: seen.owner, slug: seen.slug, ...(version !== undefined && { version }) }
  if (!askingTabs.has(tab)) return seen.inView(versionPath(place))
  const below = type === undefined ? [tab] : [tab, type]
  return seen.inView(withQuery(versionPath(place, ...below), seen.question))
}

/** Tabs that show a part of a version, which other versions have, too. */
const askingTabs: ReadonlySet<Tab> = new Set(['records', 'sql', 'schemas', 'files'])

/** The tabs of versions and of questions belong to the whole collection; other tabs keep the shown version. */
const pathOf = (seen: VisitedCollection, tab: Tab): string => {
  if (tab === 'versions' || tab === 'questions') return collectionPath(seen, tab)
  return tab === 'overview' ? versionPath(seen) : versionPath(seen, tab)
}

/** False for tabs that would show nothing. */
const isOffered = (seen: VisitedCollection, tab: Tab): boolean =>
  (tab !== 'questions' || seen.hasQuestions) && (seen.latest !== null || !askingTabs.has(tab))

function Tabs({ seen, tab }: { seen: VisitedCollection; tab: Tab }) {
  const current = useContext(SavedQuestionContext) === undefined ? tab : 'questions'
  return (
    <nav class="tabs" aria-label="Collection">
      {tabs
        .filter(([name]) => current === name || isOffered(seen, name))
        .map(([name, label, icon, key]) => (
          <a
            key={name}
            href={seen.inView(pathOf(seen, name))}
            aria-current={name === current ? 'page' : undefined}
            data-key={key}
          >
            <Icon name={icon} />
            {label}
          </a>
        ))}
      {seen.may('describe') && (
        <a href={collectionPath(seen, 'settings')} aria-current={tab === 'settings' ? 'page' : undefined}>
          <Icon name="settings" />
          Settings
        </a>
      )}
    </nav>
  )
}

/** Collaborators and operators fork no private collection. */
const isForkable = ({ latest, isPublic, role }: VisitedCollection): boolean =>
  latest !== null && (isPublic || role !== null)

const Actions = ({ seen }: { seen: VisitedCollection }) => (
  <>
    {isForkable(seen) && (
      <a class="button" href={collectionPath(seen, 'fork')} rel="nofollow">
        <Icon name="fork" />
        Fork
      </a>
    )}
    {seen.may('write') && (
      <a class="button primary" href={collectionPath(seen, 'push')}>
        <Icon name="plus" />
        New version
      </a>
    )}
  </>
)

/** Notes that the shown version is not the latest. */
function OtherVersion({ seen, tab, type }: Omit<Props, 'children'>) {
  const { version } = seen
  if (version === undefined || version === seen.latest) return null
  return (
    <p class="note">
      This is version <strong>{version}</strong>. The latest is{' '}
      <a href={pageIn(seen, undefined, tab, type)}>{seen.latest}</a>.{' '}
      <a href={seen.inView(collectionPath(seen, 'compare', `${version}...${seen.latest}`))}>Compare</a>
      {seen.may('write') && (
        <>
          {' · '}
          <a href={withQuery(collectionPath(seen, 'restore'), { version })}>Publish this version again</a>
        </>
      )}
    </p>
  )
}

/** Deprecation warning of the shown version. */
const Deprecation = ({ seen: { deprecation } }: { seen: VisitedCollection }) =>
  deprecation === undefined ? null : (
    <p class="note bad">
      <strong>This version is deprecated.</strong> <bdi>{deprecation}</bdi>
    </p>
  )

/** For members and collaborators: the current view, and a link to the other one. */
function ViewLine({ seen: { difference, inOtherView, isPublic, view } }: { seen: VisitedCollection }) {
  if (difference === undefined) return null
  const publicly = isPublic ? 'the public sees it' : 'the public would see it'
  const [title, link] =
    view === 'full'
      ? ['With private content.', `Show as ${publicly}`]
      : [`As ${publicly}.`, 'Show with private content']
  return (
    <p class="note view-line">
      <Icon name={view === 'public' ? 'globe' : 'lock'} />
      <strong>{title}</strong> {difference} <a href={inOtherView}>{link}</a>
    </p>
  )
}
