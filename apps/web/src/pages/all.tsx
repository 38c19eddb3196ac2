/** Every page, by what it is about. */
import type { Page } from '../page.ts'
import { account } from './account/account.tsx'
import { keys } from './account/keys.tsx'
import { members } from './account/members.tsx'
import { newCollection, newOrg } from './account/new.tsx'
import { settings } from './account/settings.tsx'
import { compare, compareForm } from './collection/compare.tsx'
import { edit } from './collection/edit.tsx'
import { fork } from './collection/fork.tsx'
import { collectionSettings } from './collection/settings.tsx'
import { versions } from './collection/versions.tsx'
import { editRecord } from './publish/edit-record.tsx'
import { push } from './publish/push.tsx'
import { explore } from './site/explore.tsx'
import { forPrograms } from './site/for-programs.ts'
import { home } from './site/home.tsx'
import { files, filesOfVersion } from './version/files.tsx'
import { overview, overviewOfVersion } from './version/overview.tsx'
import { record, recordByQuery, recordOfVersion, recordOfVersionByQuery } from './version/record.tsx'
import { records, recordsOfType, recordsOfTypeOfVersion, recordsOfVersion } from './version/records.tsx'
import { schemas, schemasOfVersion } from './version/schemas.tsx'

export { documentOf } from '../layout/document.tsx'
export { refusalPage } from './site/refusal.tsx'

export const pages: readonly Page[] = [
  ...[home, explore, account, versions, compare, compareForm],
  ...[overview, records, recordsOfType, record, recordByQuery, schemas, files],
  ...[overviewOfVersion, recordsOfVersion, recordsOfTypeOfVersion, recordOfVersion, recordOfVersionByQuery],
  ...[schemasOfVersion, filesOfVersion],
  ...[keys, settings, newCollection, newOrg, members, fork, edit, collectionSettings, editRecord, push],
  ...forPrograms,
]
