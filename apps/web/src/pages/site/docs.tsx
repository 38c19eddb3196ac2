/** `/docs` and `/docs/:name`: public documentation. */
import { RegistryError } from '@ulmus/registry'
import type { ComponentChildren } from 'preact'
import { documentHtml } from '../../docs/documents.ts'
import { docPages } from '../../docs/pages.ts'
import type { Page } from '../../page.ts'

export const docs: Page = {
  async show() {
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
                <a href="/docs/api/">API reference</a>
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
        <Docs current={page.name}>
          <article dangerouslySetInnerHTML={{ __html: html }} />
        </Docs>
      ),
    }
  },
}

/** The list of documents beside one. @param current its name; undefined: the list of all */
const Docs = ({ current, children }: { current: string | undefined; children: ComponentChildren }) => (
  <div class="wide content docs">
    <nav aria-label="Documentation">
      <ul class="plain">
        <li>
          <a href="/docs" aria-current={current === undefined ? 'page' : undefined}>
            Documentation
          </a>
        </li>
        {docPages.map(({ name, title }) => (
          <li key={name}>
            <a href={`/docs/${name}`} aria-current={current === name ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
        <li>
          <a href="/docs/api/">API reference</a>
        </li>
        <li>
          <a href="/downloads">Downloads</a>
        </li>
      </ul>
    </nav>
    <div class="prose">{children}</div>
  </div>
)
