/** `/docs`, `/docs/:name` and `/docs/api`: public documentation, and the API reference. */
import { RegistryError } from '@ulmus/registry'
import type { ComponentChildren } from 'preact'
import { documentHtml, referenceHtml, searchDocuments } from '../../docs/documents.ts'
import { docPages } from '../../docs/pages.ts'
import type { Hit } from '../../docs/search.ts'
import { type Page, Plain, type ReferencePage } from '../../page.ts'

/** Maximum length of a search query. Characters. */
const queryMax = 200

export const docs: Page = {
  async show({ url, origin }) {
    const query = (url.searchParams.get('q') ?? '').slice(0, queryMax).trim()
    if (query !== '') return found(query, await searchDocuments(query, origin))
    return {
      title: 'Documentation',
      description: 'How to read, publish, verify and operate: the documentation of this registry.',
      body: (
        <Docs current={undefined}>
          <h1>Documentation</h1>
          <p>
            This is a registry for versioned, structured data: collections of JSON records and files, each
            with versions that never change. Begin with <a href="/docs/reading">Reading</a> to use what others
            have published, with <a href="/docs/publishing">Publishing</a> to publish, and with{' '}
            <a href="/docs/operations">Operating</a> to run a registry of your own. The words are explained in{' '}
            <a href="/docs/concepts">Concepts</a>.
          </p>
          <dl class="purposes">
            {docPages.map(({ name, title, purpose }) => (
              <div key={name}>
                <dt>
                  <a href={`/docs/${name}`}>{title}</a>
                </dt>
                <dd>{purpose}</dd>
              </div>
            ))}
            <div>
              <dt>
                <a href="/docs/api">API reference</a>
              </dt>
              <dd>Every call, with its parameters and answers.</dd>
            </div>
            <div>
              <dt>
                <a href="/downloads">Downloads</a>
              </dt>
              <dd>The command line and the libraries that fit this registry.</dd>
            </div>
          </dl>
        </Docs>
      ),
    }
  },
}

const found = (query: string, hits: readonly Hit[]) => ({
  title: `Search: ${query}`,
  isPublic: false,
  body: (
    <Docs current={undefined} query={query}>
      <h1>Search the documentation</h1>
      <p class="quiet" role="status">
        {hits.length === 0 ? `Nothing has all words of “${query}”.` : `“${query}”: the best ${hits.length}`}
      </p>
      <dl class="purposes">
        {hits.map(({ name, id, heading, excerpt }) => (
          <div key={`${name}#${id}`}>
            <dt>
              <a href={`/docs/${name}${id === undefined ? '' : `#${id}`}`}>{heading}</a>
              {id !== undefined && (
                <span class="quiet"> · {docPages.find((page) => page.name === name)?.title}</span>
              )}
            </dt>
            <dd>{excerpt}</dd>
          </div>
        ))}
      </dl>
    </Docs>
  ),
})

export const document: Page = {
  async show({ params, origin, url }) {
    const page = docPages.find(({ name }) => name === params['name'])
    const html = page && (await documentHtml(page.name, origin))
    if (page === undefined || html === undefined)
      throw new RegistryError('route_not_found', { say: { path: url.pathname } })
    return {
      title: page.title,
      description: page.purpose,
      body: (
        <Docs current={page.name} contents={contentsOf(html)}>
          <article dangerouslySetInnerHTML={{ __html: html }} />
        </Docs>
      ),
    }
  },
}

/** The list of all operations, or a group of them, with `.md` as Markdown. */
export const reference: Page = {
  async show({ params: { group }, url, reference }) {
    const [index, ...groups] = reference()
    const isMarkdown = group?.endsWith('.md') === true
    const name = `api/${group?.replace(/\.md$/, '')}`
    const page = group === undefined ? index : groups.find((one) => one.name === name)
    if (page === undefined) throw new RegistryError('route_not_found', { say: { path: url.pathname } })
    if (isMarkdown) return new Plain('text/markdown; charset=utf-8', page.markdown())
    const html = await referenceHtml(page)
    return {
      title: page === index ? page.title : `${page.title} · API reference`,
      description: 'Every call of the API, with its parameters, answers, errors and an example.',
      body: (
        <Docs current={page.name} groups={groups} contents={contentsOf(html)}>
          <article class="api" dangerouslySetInnerHTML={{ __html: html }} />
        </Docs>
      ),
    }
  },
}

interface Heading {
  readonly id: string
  /** HTML. */
  readonly text: string
}

/** Headings of the second level, in order. */
const contentsOf = (html: string): Heading[] =>
  Array.from(html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/gs), ([, id, text]) => ({
    id: id!,
    text: text!.replaceAll(/<\/?a\b[^>]*>/g, ''),
  }))

/** True for the document `whole` and its parts. */
const isNear = (whole: string, current: string | undefined): boolean =>
  current === whole || docPages.find(({ name }) => name === current)?.partOf === whole

interface DocsProps {
  /** Name of the document; undefined: the list of all documents. */
  readonly current: string | undefined
  readonly contents?: readonly Heading[]
  /** Pages of the API reference below its first. Default: none. */
  readonly groups?: readonly ReferencePage[]
  /** The current search query. */
  readonly query?: string
  readonly children: ComponentChildren
}

/** A document, with the list of all documents and its own table of contents. */
const Docs = ({ current, contents = [], groups = [], query = '', children }: DocsProps) => (
  <div class={contents.length > 1 ? 'wide content docs with-contents' : 'wide content docs'}>
    <nav aria-label="Documentation">
      {/* Folded on a phone; where there is room, styles show it. */}
      <details>
        <summary>All pages and search</summary>
        <search>
          <form action="/docs">
            <input
              type="search"
              name="q"
              value={query}
              maxLength={queryMax}
              placeholder="Search the docs"
              aria-label="Search the documentation"
            />
          </form>
        </search>
        <ul class="plain">
          <li>
            <a href="/docs" aria-current={current === undefined ? 'page' : undefined}>
              Documentation
            </a>
          </li>
          {docPages.map(({ name, title, partOf }) => (
            <li
              key={name}
              class={partOf === undefined ? undefined : isNear(partOf, current) ? 'part' : 'part far'}
            >
              <a href={`/docs/${name}`} aria-current={current === name ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
          {[{ name: 'api', title: 'API reference' }, ...groups].map(({ name, title }) => (
            <li key={name} class={name === 'api' ? undefined : 'part'}>
              <a href={`/docs/${name}`} aria-current={current === name ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
          <li>
            <a href="/downloads">Downloads</a>
          </li>
        </ul>
      </details>
    </nav>
    <div class="prose">{children}</div>
    {contents.length > 1 && (
      <nav aria-label="On this page" class="contents">
        <p>On this page</p>
        <ul class="plain">
          {contents.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`} dangerouslySetInnerHTML={{ __html: text }} />
            </li>
          ))}
        </ul>
      </nav>
    )}
  </div>
)
