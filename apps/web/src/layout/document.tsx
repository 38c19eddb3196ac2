/** HTML document around every page: head, header, footer. The server calls it for pages and for refusals. */

import type { Caller } from '@ulmus/registry'
import { renderToString } from 'preact-render-to-string'
import { RefusedContext } from '../components/form.tsx'
import { Icon, Logo } from '../components/small.tsx'
import { cutText, withoutUnseen } from '../format.ts'
import { feedTypes, type Site, type View } from '../page.ts'
import { signInPath } from '../paths.ts'

/** Properties of a document apart from its view. */
export interface Frame {
  readonly caller: Caller | undefined
  readonly url: URL
  readonly origin: string
  readonly site: Site
  /** Paths of scripts and styles by their names in the source. */
  readonly assets: { readonly style: string; script(name: string): string }
}

/** Renders the complete document as HTML. */
export const documentOf = (view: View, frame: Frame): string =>
  `<!doctype html>${renderToString(<Document view={view} frame={frame} />)}`

const Document = ({ view, frame }: { view: View; frame: Frame }) => (
  <html lang="en">
    <Head view={view} frame={frame} />
    <body>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Header frame={frame} />
      <main id="content" data-awaits={awaitedOf(view)}>
        <RefusedContext.Provider value={view.refused}>{view.body}</RefusedContext.Provider>
      </main>
      <p class="wide print-only">
        {frame.origin}
        {view.onPaper ?? `${frame.url.pathname}${frame.url.search}`}
      </p>
      <Footer site={frame.site} />
    </body>
  </html>
)

/** For the script of pages: the page itself follows, or some parts of it. */
const awaitedOf = ({ reloadSeconds, isPartial }: View): 'page' | 'parts' | undefined =>
  reloadSeconds !== undefined ? 'page' : isPartial ? 'parts' : undefined

/** Maximum length of a title or description for tabs and search results. Characters. */
const headMax = 500

const plainText = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : cutText(withoutUnseen(text), headMax)

function Head({ view, frame }: { view: View; frame: Frame }) {
  const { origin, site, assets } = frame
  const isFound = view.refused === undefined
  const [title, description] = [view.title, view.description].map(plainText)
  const canonical = `${origin}${view.canonical ?? frame.url.pathname}`
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · ${site.name}`}</title>
      {site.color !== undefined && <meta name="theme-color" content={site.color} />}
      {description !== undefined && <meta name="description" content={description} />}
      {view.reloadSeconds !== undefined && (
        <noscript>
          <meta http-equiv="refresh" content={`${view.reloadSeconds}`} />
        </noscript>
      )}
      {(view.isPublic === false || !isFound) && <meta name="robots" content="noindex" />}
      {isFound && <link rel="canonical" href={canonical} />}
      {view.json !== undefined && <link rel="alternate" type="application/json" href={view.json} />}
      {view.feeds?.map(({ format, path, title = 'Versions' }) => (
        <link key={format} rel="alternate" type={feedTypes[format]} href={path} title={title} />
      ))}
      {isFound && view.isPublic !== false && (
        <>
          <meta property="og:type" content="website" />
          <meta property="og:site_name" content={site.name} />
          <meta property="og:title" content={title} />
          <meta property="og:url" content={canonical} />
          {description !== undefined && <meta property="og:description" content={description} />}
        </>
      )}
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="manifest" href="/site.webmanifest" />
      <link rel="stylesheet" href={assets.style} />
      {view.dataset !== undefined && (
        <script
          type="application/ld+json"
          dangerouslySetInnerHTML={{ __html: JSON.stringify(view.dataset).replaceAll('<', '\\u003c') }}
        />
      )}
      {['page', ...(view.islands ?? [])].map((name) => (
        <script key={name} type="module" src={assets.script(name)} />
      ))}
    </head>
  )
}

const Header = ({ frame }: { frame: Frame }) => (
  <header class="top">
    {frame.site.color !== undefined && (
      <svg class="site-line" width="100%" height="4" aria-hidden="true">
        <rect width="100%" height="4" fill={frame.site.color} />
      </svg>
    )}
    <div class="wide">
      <a class="home" href="/">
        {frame.site.logo === undefined ? <Logo /> : <img src={frame.site.logo} alt="" height="22" />}
        {frame.site.name}
      </a>
      <search class="search">
        <form action="/explore">
          <Icon name="search" />
          <input
            type="search"
            name="q"
            aria-label="Search collections and records"
            placeholder="Search collections and records"
            value={frame.url.pathname === '/explore' ? (frame.url.searchParams.get('q') ?? '') : ''}
            maxLength={200}
            autocomplete="off"
            spellcheck={false}
            data-suggest
          />
        </form>
      </search>
      <nav class="links" aria-label="Site">
        <a href="/explore">Explore</a>
        <a href="/docs">Docs</a>
        <Account frame={frame} />
      </nav>
    </div>
  </header>
)

function Account({ frame: { caller, url } }: { frame: Frame }) {
  if (caller === undefined) {
    return (
      <a class="button" href={url.pathname === '/' ? '/auth/login' : signInPath(url)} rel="nofollow">
        Sign in
      </a>
    )
  }
  return (
    <details class="menu">
      <summary>
        {caller.accountSlug}
        <Icon name="chevron" />
      </summary>
      <div class="float">
        <a href={`/${caller.accountSlug}`}>Your collections</a>
        <a href="/new">New collection</a>
        <a href="/new/org">New organization</a>
        <hr />
        <a href="/settings">Settings</a>
        <a href="/settings/keys">API keys</a>
        <hr />
        <form method="post" action="/sign-out">
          <button type="submit">Sign out</button>
        </form>
      </div>
    </details>
  )
}

const Footer = ({ site: { name, links, contact } }: { site: Site }) => (
  <footer class="bottom">
    <div class="wide">
      <span>{name}, a registry for versioned, structured data</span>
      <nav aria-label="About">
        <a href="/docs">Documentation</a>
        <a href="/docs/api">API</a>
        <a href="/docs/verifying">Verifying</a>
        <a href="/llms.txt">llms.txt</a>
        {links.map(({ label, url }) => (
          <a key={label} href={url}>
            {label}
          </a>
        ))}
        {contact !== undefined && <a href={contact}>Contact</a>}
      </nav>
    </div>
  </footer>
)
