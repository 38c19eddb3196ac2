/**
 * Table of all pages: paths and modules. The server registers its routes from it before any page is loaded. A module exports each page
 * under its name here.
 */
import type { Page } from '../page.ts'

interface DeclaredPage<Name extends string> {
  readonly paths: readonly PagePath[]
  /** True: its paths also exist for each version, below `v/:version`. */
  readonly versioned?: true
  /** The page has a form that is posted to it by signed-in users, or `by anyone`, with the rate limit of reports. */
  readonly posted?: true | 'by anyone'
  /** True: visitors without a session get equal pages while the database is unchanged. */
  readonly repeated?: true
  load(): Promise<Readonly<Record<NoInfer<Name>, Page>>>
}

export type PagePath = `/${string}`

const declare = <Name extends string>(pages: { readonly [N in Name]: DeclaredPage<N> }) => pages

const declared = declare({
  home: { paths: ['/'], repeated: true, load: () => import('./site/home.tsx') },
  explore: { paths: ['/explore'], repeated: true, load: () => import('./site/explore.tsx') },
  robots: { paths: ['/robots.txt'], load: () => import('./site/for-programs.ts') },
  siteMap: { paths: ['/sitemap.xml'], repeated: true, load: () => import('./site/for-programs.ts') },
  llms: { paths: ['/llms.txt'], load: () => import('./site/for-programs.ts') },
  icon: { paths: ['/favicon.svg'], load: () => import('./site/for-programs.ts') },
  securityText: {
    paths: ['/.well-known/security.txt'],
    load: () => import('./site/for-programs.ts'),
  },
  manifest: { paths: ['/site.webmanifest'], load: () => import('./site/for-programs.ts') },
  docs: { paths: ['/docs'], load: () => import('./site/docs.tsx') },
  downloads: { paths: ['/downloads'], load: () => import('./site/downloads.tsx') },
  reference: {
    paths: ['/docs/api', '/docs/api/:group'],
    repeated: true,
    load: () => import('./site/docs.tsx'),
  },
  document: { paths: ['/docs/:name'], load: () => import('./site/docs.tsx') },
  newCollection: { paths: ['/new'], posted: true, load: () => import('./account/new.tsx') },
  newOrg: { paths: ['/new/org'], posted: true, load: () => import('./account/new.tsx') },
  sample: { paths: ['/new/sample'], posted: true, load: () => import('./account/sample.tsx') },
  admin: { paths: ['/admin'], posted: true, load: () => import('./operators/admin.tsx') },
  adminState: { paths: ['/admin/state'], posted: true, load: () => import('./operators/state.tsx') },
  adminAudit: { paths: ['/admin/audit'], load: () => import('./operators/admin-audit.tsx') },
  settings: { paths: ['/settings'], posted: true, load: () => import('./account/settings.tsx') },
  keys: { paths: ['/settings/keys'], posted: true, load: () => import('./account/keys.tsx') },
  sessions: { paths: ['/settings/sessions'], posted: true, load: () => import('./account/sessions.tsx') },
  device: { paths: ['/auth/device'], load: () => import('./account/device.tsx') },
  deviceAnswer: { paths: ['/auth/device/answer'], posted: true, load: () => import('./account/device.tsx') },
  invitation: {
    paths: ['/invitations/:token'],
    posted: true,
    load: () => import('./account/invitation.tsx'),
  },
  account: { paths: ['/:owner'], repeated: true, load: () => import('./account/account.tsx') },
  members: { paths: ['/:owner/-/members'], posted: true, load: () => import('./account/members.tsx') },
  orgSettings: {
    paths: ['/:owner/-/settings'],
    posted: true,
    load: () => import('./account/org-settings.tsx'),
  },
  accountWebhooks: {
    paths: ['/:owner/-/webhooks'],
    posted: true,
    load: () => import('./webhooks/webhooks.tsx'),
  },
  webhook: {
    paths: ['/:owner/-/webhooks/:id'],
    posted: true,
    load: () => import('./webhooks/webhook.tsx'),
  },
  audit: { paths: ['/:owner/-/audit'], load: () => import('./account/audit.tsx') },
  overview: {
    paths: ['/:owner/:slug'],
    versioned: true,
    repeated: true,
    load: () => import('./version/overview.tsx'),
  },
  records: {
    paths: ['/:owner/:slug/records', '/:owner/:slug/records/:type'],
    versioned: true,
    repeated: true,
    load: () => import('./version/records/records.tsx'),
  },
  // `…/record` is for ids that a path cannot contain, `.` and `..`, and for `new`, which adds a record.
  record: {
    paths: ['/:owner/:slug/records/:type/:id', '/:owner/:slug/record'],
    versioned: true,
    repeated: true,
    load: () => import('./version/record.tsx'),
  },
  newRecord: {
    paths: ['/:owner/:slug/records/:type/new'],
    posted: true,
    load: () => import('./publish/new-record.tsx'),
  },
  deleteRecord: {
    paths: ['/:owner/:slug/records/:type/:id/delete'],
    posted: true,
    load: () => import('./publish/delete-record.tsx'),
  },
  editRecord: {
    paths: ['/:owner/:slug/records/:type/:id/edit'],
    posted: true,
    load: () => import('./publish/edit-record.tsx'),
  },
  sql: { paths: ['/:owner/:slug/sql'], versioned: true, load: () => import('./version/sql.tsx') },
  questions: {
    paths: ['/:owner/:slug/questions'],
    repeated: true,
    load: () => import('./collection/questions/questions.tsx'),
  },
  newQuestion: {
    paths: ['/:owner/:slug/questions/new'],
    posted: true,
    load: () => import('./collection/questions/question-form.tsx'),
  },
  question: {
    paths: ['/:owner/:slug/questions/:question'],
    load: () => import('./collection/questions/question.tsx'),
  },
  editQuestion: {
    paths: ['/:owner/:slug/questions/:question/edit'],
    posted: true,
    load: () => import('./collection/questions/question-form.tsx'),
  },
  schemas: {
    paths: ['/:owner/:slug/schemas'],
    versioned: true,
    repeated: true,
    load: () => import('./version/schemas.tsx'),
  },
  editSchema: {
    paths: ['/:owner/:slug/schemas/:type/edit'],
    posted: true,
    load: () => import('./publish/edit-schema.tsx'),
  },
  newSchema: {
    paths: ['/:owner/:slug/schemas/new'],
    posted: true,
    load: () => import('./publish/edit-schema.tsx'),
  },
  files: {
    paths: ['/:owner/:slug/files'],
    versioned: true,
    repeated: true,
    load: () => import('./version/files/files.tsx'),
  },
  versions: {
    paths: ['/:owner/:slug/versions'],
    repeated: true,
    load: () => import('./collection/versions.tsx'),
  },
  feed: { paths: ['/:owner/:slug/versions.atom'], repeated: true, load: () => import('./site/feeds.ts') },
  jsonFeed: { paths: ['/:owner/:slug/feed.json'], repeated: true, load: () => import('./site/feeds.ts') },
  questionFeed: {
    paths: ['/:owner/:slug/questions/:question/changes.atom'],
    repeated: true,
    load: () => import('./site/feeds.ts'),
  },
  accountFeed: { paths: ['/:owner/-/feed.atom'], repeated: true, load: () => import('./site/feeds.ts') },
  compareForm: {
    paths: ['/:owner/:slug/compare'],
    load: () => import('./collection/compare/compare.tsx'),
  },
  // Comparison with a version of another collection: `…/compare/owner/slug@v1.0.0...v1.1.0`.
  compare: {
    paths: ['/:owner/:slug/compare/:pair', '/:owner/:slug/compare/:from/:pair'],
    load: () => import('./collection/compare/compare.tsx'),
  },
  fork: { paths: ['/:owner/:slug/fork'], posted: true, load: () => import('./collection/fork.tsx') },
  edit: { paths: ['/:owner/:slug/edit'], posted: true, load: () => import('./collection/edit.tsx') },
  withdraw: {
    paths: ['/:owner/:slug/withdraw'],
    posted: true,
    load: () => import('./collection/withdraw.tsx'),
  },
  restore: {
    paths: ['/:owner/:slug/restore'],
    posted: true,
    load: () => import('./collection/restore.tsx'),
  },
  eraseRecord: {
    paths: ['/:owner/:slug/erase'],
    posted: true,
    load: () => import('./collection/erase-record.tsx'),
  },
  push: { paths: ['/:owner/:slug/push'], load: () => import('./publish/push.tsx') },
  collectionSettings: {
    paths: ['/:owner/:slug/settings'],
    posted: true,
    load: () => import('./collection/settings.tsx'),
  },
  access: {
    paths: ['/:owner/:slug/access'],
    posted: true,
    load: () => import('./collection/access.tsx'),
  },
  webhooks: {
    paths: ['/:owner/:slug/webhooks'],
    posted: true,
    load: () => import('./webhooks/webhooks.tsx'),
  },
  report: {
    paths: ['/:owner/:slug/report'],
    posted: 'by anyone',
    load: () => import('./collection/report.tsx'),
  },
  publishing: {
    paths: ['/:owner/:slug/publishing'],
    posted: true,
    load: () => import('./collection/publishing.tsx'),
  },
})

/** Names of pages, which are also those of the exports of their modules. */
export type PageName = keyof typeof declared

const entries = Object.entries(declared) as [PageName, DeclaredPage<PageName>][]

/** Pages by path. */
export const table: Readonly<Record<PagePath, PageName>> = Object.fromEntries(
  entries.flatMap(([name, { paths, versioned }]) =>
    [...paths, ...(versioned ? paths.map(versionedPath) : [])].map((path) => [path, name]),
  ),
)

/** Pages with a posted form. */
export const withForm: ReadonlySet<PageName> = new Set(
  entries.flatMap(([name, { posted }]) => (posted ? [name] : [])),
)

/** Those whose form visitors without a session may send, too. */
export const formsForAnyone: ReadonlySet<PageName> = new Set(
  entries.flatMap(([name, { posted }]) => (posted === 'by anyone' ? [name] : [])),
)

/** Pages that are equal for visitors without a session. */
export const repeated: ReadonlySet<PageName> = new Set(
  entries.flatMap(([name, page]) => (page.repeated ? [name] : [])),
)

function versionedPath(path: PagePath): PagePath {
  return path.replace('/:owner/:slug', '/:owner/:slug/v/:version') as PagePath
}

/** Imports all pages. Call it after `readTsx`. */
export async function loadPages(): Promise<Readonly<Record<PageName, Page>>> {
  const loaded = await Promise.all(entries.map(async ([name, { load }]) => [name, (await load())[name]]))
  return Object.fromEntries(loaded)
}
