/** `/:owner/-/audit`: audit log of an organization or of the user's own account. */
import { AuditLog, filterIn } from '../../components/audit-log.tsx'
import type { Page } from '../../page.ts'
import { accountPath } from '../../paths.ts'
import { ManagedPage } from './managed.tsx'

export const audit: Page = {
  needsCaller: true,
  async show({ registry, who, params, url }) {
    const slug = params['owner']!
    const { type } = await registry.accounts.profile(slug)
    const page = await registry.audit.list(who, slug, filterIn(url))
    return {
      title: `Audit log · ${slug}`,
      isPublic: false,
      json: `/api/accounts/${slug}/audit`,
      body: (
        <ManagedPage slug={slug} isOrg={type === 'org'} tab="audit">
          <h1>Audit log</h1>
          <p>
            Who did what, the newest first.{' '}
            <a href={`/api/accounts/${slug}/audit.ndjson`}>All of it as NDJSON</a>.
          </p>
          <AuditLog path={`${accountPath(slug)}/-/audit`} url={url} page={page} />
        </ManagedPage>
      ),
    }
  },
}
