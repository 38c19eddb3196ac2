/** Small parts that every page is made of. */
import type { ComponentChildren } from 'preact'
import { cutText, relativeText, shortHash, withoutUnseen } from '../format.ts'
import { Icon } from './icon.tsx'

/** How long ago, with the exact instant on hover. @param at ISO 8601 */
export const Time = ({ at }: { at: string }) => (
  <time datetime={at} title={at.replace('T', ' ').replace(/\.000Z$/, ' UTC')}>
    {relativeText(at)}
  </time>
)

/** A hash by its first digits; a button copies the whole. */
export const ShortHash = ({ hash }: { hash: string }) => (
  <span class="hash">
    <code title={hash}>{shortHash(hash)}</code>
    <CopyButton text={hash} what="the hash" />
  </span>
)

/**
 * Does nothing without JavaScript, and is hidden then.
 * @param text what it copies; default: the text of the element before it. @param what the same, as screen readers say it
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

/** Links to the next and the previous page of a list. @param next, prev paths; undefined: there is no such page */
export function Pager({ next, prev }: { next?: string | undefined; prev?: string | undefined }) {
  if (next === undefined && prev === undefined) return null
  return (
    <nav class="pager" aria-label="Pages">
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

/** Says that a list is empty, and what to do about it. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
)

/** A command or a piece of code to copy. */
export const Code = ({ children }: { children: string }) => (
  <div class="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
    <pre tabIndex={0}>
      <code>{children}</code>
    </pre>
    <CopyButton what="the code" />
  </div>
)

/** Scrolls content wider than the page, also by keyboard. @param label for screen readers */
export const TableScroll = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
  <section class="table-scroll" tabIndex={0} aria-label={label}>
    {children}
  </section>
)

/** A sentence with its names, between backquotes, as code. */
export const Words = ({ text }: { text: string }) => (
  <>
    {text
      .split('`')
      .map((part, index) =>
        index % 2 === 1 ? <code key={part}>{cutText(part, 100)}</code> : withoutUnseen(part),
      )}
  </>
)
