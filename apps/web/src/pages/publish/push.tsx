/** `…/push`: publishes a version from a file in the browser, and shows code for programs. */
import { Code } from '../../components/small.tsx'
import { seeCollection } from '../../data/collection.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import type { Page } from '../../page.ts'

export const push: Page = {
  needsCaller: true,
  async show(visit) {
    const seen = await seeCollection(visit)
    seen.demand('write')
    const ref = `${seen.owner}/${seen.slug}`
    return {
      title: `New version · ${ref}`,
      isPublic: false,
      islands: ['push'],
      body: (
        <CollectionPage seen={seen} tab="versions">
          <h2>New version{seen.latest === null ? '' : ` after ${seen.latest}`}</h2>
          <div
            id="push"
            class="push"
            data-collection={ref}
            data-head={seen.latest ?? ''}
            data-public={String(seen.isPublic)}
            data-worker={visit.script('push-worker')}
            data-workbook={visit.script('push-workbook')}
          >
            <noscript>
              <p class="note">
                Publishing from a file needs JavaScript, which this browser has switched off. Programs and the
                command line do it as below.
              </p>
            </noscript>
          </div>
          <details>
            <summary>From a program instead</summary>
            <p>
              With an <a href="/settings/keys">API key</a> of scope <code>write</code>, and the client of{' '}
              <a href="/downloads">Downloads</a>. <a href="/docs/pushing">Push with the API</a> explains every
              step.
            </p>
            <Code>{program(ref, seen.latest, visit.origin)}</Code>
          </details>
        </CollectionPage>
      ),
    }
  },
}

const program = (
  ref: string,
  head: string | null,
  origin: string,
): string => `import { createClient } from '@ulmus/client'

const client = createClient({ baseUrl: '${origin}', apiKey: process.env.ULMUS_TOKEN })
await client.push('${ref}', {
  baseVersion: ${head === null ? 'null' : `'${head}'`},
  ${head === null ? "schemas: { City: { type: 'object' } }," : "message: 'What changed',"}
  records: [{ id: 'oslo', type: 'City', data: { name: 'Oslo' } }],
})`
