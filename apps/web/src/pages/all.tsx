/** Every page by its name in `table.ts`. */
import type { Page } from '../page.ts'
import { account } from './account/account.tsx'
import { audit } from './account/audit.tsx'
import { device, deviceAnswer } from './account/device.tsx'
import { invitation } from './account/invitation.tsx'
import { keys } from './account/keys.tsx'
import { members } from './account/members.tsx'
import { newCollection, newOrg } from './account/new.tsx'
import { orgSettings } from './account/org-settings.tsx'
import { sessions } from './account/sessions.tsx'
import { settings } from './account/settings.tsx'
import { compare, compareForm } from './collection/compare.tsx'
import { edit } from './collection/edit.tsx'
import { fork } from './collection/fork.tsx'
import { collectionSettings } from './collection/settings.tsx'
import { versions } from './collection/versions.tsx'
import { withdraw } from './collection/withdraw.tsx'
import { editRecord } from './publish/edit-record.tsx'
import { push } from './publish/push.tsx'
import { admin } from './site/admin.tsx'
import { adminAudit } from './site/admin-audit.tsx'
import { docs, document } from './site/docs.tsx'
import { downloads } from './site/downloads.tsx'
import { explore } from './site/explore.tsx'
import { feed, icon, llms, manifest, robots, siteMap } from './site/for-programs.ts'
import { home } from './site/home.tsx'
import type { PageName } from './table.ts'
import { files } from './version/files.tsx'
import { overview } from './version/overview.tsx'
import { record } from './version/record.tsx'
import { records } from './version/records.tsx'
import { schemas } from './version/schemas.tsx'

export { documentOf } from '../layout/document.tsx'
export { refusalPage } from './site/refusal.tsx'

export const pages: Readonly<Record<PageName, Page>> = {
  ...{
    admin,
    adminAudit,
    home,
    explore,
    docs,
    document,
    downloads,
    robots,
    siteMap,
    llms,
    icon,
    manifest,
    feed,
  },
  ...{
    newCollection,
    newOrg,
    settings,
    keys,
    sessions,
    account,
    members,
    orgSettings,
    audit,
    device,
    invitation,
    deviceAnswer,
  },
  ...{ overview, records, record, schemas, files, versions, compare, compareForm },
  ...{ fork, edit, editRecord, push, collectionSettings, withdraw },
}
