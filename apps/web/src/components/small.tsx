/** Small parts used by all pages. */
import { type ComponentChildren, Fragment } from 'preact'
import { cutName, cutText, instantText, isBlank, relativeText, shortHash, withoutUnseen } from '../format.ts'
import { type FeedLink, feedTypes } from '../page.ts'
import { withQuery } from '../paths.ts'

/** Relative time, with the exact instant on hover. @param at ISO 8601 */
export const Time = ({ at }: { at: string }) => (
  <time datetime={at} title={instantText(at)}>
    {relativeText(at)}
  </time>
)

/** First digits of a hash, with a button that copies the whole hash. */
export const ShortHash = ({ hash }: { hash: string }) => (
  <span class="hash">
    <code title={hash}>{shortHash(hash)}</code>
    <CopyButton text={hash} what="the hash" />
  </span>
)

/**
 * Hidden without JavaScript.
 * @param text to copy; default: the text of the previous element. @param what name of that text, for screen readers
 */
export const CopyButton = ({ text, what }: { text?: string; what: string }) => (
  <button type="button" class="copy" data-copy={text} aria-label={`Copy ${what}`} hidden>
    <Icon name="copy" />
  </button>
)

export const Badge = ({
  children,
  tone,
}: {
  children: ComponentChildren
  tone?: 'public' | 'private' | 'warn'
}) => <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>

interface VisibilityProps {
  readonly isPublic: boolean
  /** True: operators hide it. */
  readonly isHidden: boolean
}

export function Visibility({ isPublic, isHidden }: VisibilityProps) {
  if (isHidden) return <Badge tone="warn">Hidden</Badge>
  return isPublic ? <Badge tone="public">Public</Badge> : <Badge tone="private">Private</Badge>
}

/** Topics of a collection, as links to the public collections that have them. */
export const Topics = ({ topics }: { topics: readonly string[] }) =>
  topics.length === 0 ? null : (
    <ul class="chips" aria-label="Topics">
      {topics.map((topic) => (
        <li key={topic}>
          <a class="chip" href={withQuery('/explore', { topic })}>
            <bdi>{topic}</bdi>
          </a>
        </li>
      ))}
    </ul>
  )

/** Links to the first, the previous and the next page of a list: their paths; undefined: no such page. */
export interface Pages {
  readonly first?: string | undefined
  readonly prev?: string | undefined
  readonly next?: string | undefined
}

export function Pager({ first, prev, next }: Pages) {
  if (next === undefined && prev === undefined) return null
  return (
    <nav class="pager" aria-label="Pages">
      {first !== undefined && <a href={first}>First</a>}
      {prev === undefined ? (
        <span />
      ) : (
        <a rel="prev" href={prev}>
          ← Previous
        </a>
      )}
      {next === undefined ? (
        <span />
      ) : (
        <a rel="next" href={next}>
          Next →
        </a>
      )}
    </nav>
  )
}

/** Confirms the form before the page. */
export const SavedNote = ({ children }: { children: string }) => (
  <p class="note saved" role="status">
    <Icon name="check" />
    {children}
  </p>
)

/** Note that a list is empty, and how to fill it. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
)

/** A command or code with a copy button. */
export const Code = ({ children }: { children: string }) => (
  <div class="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
    <pre tabIndex={0}>
      <code>{children}</code>
    </pre>
    <CopyButton what="the code" />
  </div>
)

/** Makes content wider than the page scrollable, also by keyboard. @param label for screen readers */
export const TableScroll = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
  <section class="table-scroll" tabIndex={0} aria-label={label}>
    {children}
  </section>
)

/** Longer sentences are cut: they may name fields of a collection. Characters. */
const sentenceMax = 2_000

/** A name of users, apart from the direction of the text around it. Blanks are words for screen readers, which skip quotes. */
export const Name = ({ of, most = nameMax }: { of: string; most?: number }) => (
  <>
    {isBlank(of) && <span class="sr-only">blank </span>}
    <bdi>{cutName(of, most)}</bdi>
  </>
)

/** Names of accounts and collections are no longer. UTF-16 units. */
const nameMax = 400

/** A sentence; names between backquotes become code. */
export const Words = ({ text }: { text: string }) => (
  <>
    {text
      .split('`')
      .map((part, index) =>
        index % 2 === 1 ? (
          <code key={part}>{cutText(part, 100)}</code>
        ) : (
          withoutUnseen(cutText(part, sentenceMax))
        ),
      )}
  </>
)

/** Icons of Lucide (ISC License, lucide.dev) on a grid of 24. They are decorative: the text beside them has the meaning. */
const paths = {
  book: 'M4 19.5v-15A2.5 2.5 0 0 1 6.5 2H20v20H6.5a2.5 2.5 0 0 1 0-5H20',
  check: 'M20 6 9 17l-5-5',
  chevron: 'm6 9 6 6 6-6',
  compare: 'M8 3 4 7l4 4M4 7h16M16 21l4-4-4-4M20 17H4',
  copy: 'M8 8h12v12H8zM4 16V4h12',
  download: 'M12 15V3M7 10l5 5 5-5M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4',
  edit: 'M12 20h9M16.500 3.500a2.100 2.100 0 0 1 3 3L7 19l-4 1 1-4z',
  file: 'M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7zM14 2v6h6',
  fork: 'M6 3v6a6 6 0 0 0 6 6 6 6 0 0 0 6-6V3M12 15v6',
  globe: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20M2 12h20M12 2a15 15 0 0 1 0 20 15 15 0 0 1 0-20',
  history: 'M3 12a9 9 0 1 0 3-6.7L3 8M3 3v5h5M12 7v5l4 2',
  key: 'm21 2-9.6 9.6M15.5 7.5l3 3L22 7l-3-3M7.5 21a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11',
  lock: 'M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4',
  plus: 'M12 5v14M5 12h14',
  question: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20M9.100 9a3 3 0 0 1 5.800 1c0 2-3 3-3 3M12 17h.01',
  schema: 'M3 3h7v7H3zM14 14h7v7h-7zM6.5 10v4a3 3 0 0 0 3 3H14',
  search: 'm21 21-4.3-4.3M11 3a8 8 0 1 0 0 16 8 8 0 0 0 0-16',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  shield: 'M20 13c0 5-3.5 7.5-8 9-4.5-1.5-8-4-8-9V5l8-3 8 3zM9 12l2 2 4-4',
  table: 'M3 3h18v18H3zM3 9h18M3 15h18M9 3v18',
  terminal: 'm4 17 6-5-6-5M12 19h8',
  users:
    'M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2M9 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8M22 21v-2a4 4 0 0 0-3-3.9M16 3.1a4 4 0 0 1 0 7.8',
} as const

export type IconName = keyof typeof paths

/** An icon beside a text. Screen readers skip it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

/** An elm leaf, whose halves begin at different heights. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
    <path d="M12 1C5 5 3.4 10.4 5 15.4c.9 2.8 3.2 4.7 6.2 5.2V23h1.6v-3.4c3-.9 5.3-3 6-6.2C19.9 8.6 18 4.4 12 1z" />
    <path
      class="vein"
      d="M12 5v14M12 9l3.6-2.4M12 12.5l4.6-2.6M12 16l4-2M12 9.800 8.800 8M12 13.5 7.5 11M12 17l-4.2-2.4"
    />
  </svg>
)

/** A text as one word of a shell. */
export const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Links to feeds of new versions. */
export const FeedLinks = ({ feeds }: { feeds: readonly FeedLink[] }) => (
  <p class="quiet">
    {'New versions as a feed: '}
    {feeds.map(({ format, path }, index) => (
      <Fragment key={format}>
        {index > 0 && ', '}
        <a href={path} type={feedTypes[format]}>
          {format}
        </a>
      </Fragment>
    ))}
  </p>
)
