/** `/admin/audit`: audit log of all accounts, for operators. */
import { AuditLog, filterIn } from '../../components/audit-log.tsx'
import type { Page } from '../../page.ts'

export const adminAudit: Page = {
  needsCaller: true,
  async show({ registry, who, url }) {
    const page = await registry.operators.audit(who, filterIn(url))
    return {
      title: 'Every audit log',
      isPublic: false,
      json: '/api/admin/audit',
      body: (
        <div class="wide content managed">
          <p>
            <a href="/admin">This registry</a>
          </p>
          <h1>Every audit log</h1>
          <p>Who did what in any account, the newest first.</p>
          <AuditLog path="/admin/audit" url={url} page={page} />
        </div>
      ),
    }
  },
}
