/** Small parts used by all pages. */
import type { ComponentChildren } from 'preact'
import { cutName, cutText, isBlank, relativeText, shortHash, withoutUnseen } from '../format.ts'
import { withQuery } from '../paths.ts'
import { Icon } from './icon.tsx'

/** Relative time, with the exact instant on hover. @param at ISO 8601 */
export const Time = ({ at }: { at: string }) => (
  <time datetime={at} title={at.replace('T', ' ').replace(/\.000Z$/, ' UTC')}>
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

export const Badge = ({ children, tone }: { children: ComponentChildren; tone?: 'private' | 'warn' }) => (
  <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>
)

export const Visibility = ({ isPublic }: { isPublic: boolean }) =>
  isPublic ? <Badge>Public</Badge> : <Badge tone="private">Private</Badge>

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
