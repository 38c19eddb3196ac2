/** Which page is at which path. Known before the pages are loaded. Of a version, pages have a path of their own, below `v/`. */

export const table = {
  '/': 'home',
  '/explore': 'explore',
  '/robots.txt': 'robots',
  '/sitemap.xml': 'siteMap',
  '/llms.txt': 'llms',
  '/favicon.svg': 'icon',
  '/site.webmanifest': 'manifest',
  '/docs': 'docs',
  '/downloads': 'downloads',
  '/docs/:name': 'document',
  '/new': 'newCollection',
  '/new/org': 'newOrg',
  '/admin': 'admin',
  '/admin/audit': 'adminAudit',
  '/settings': 'settings',
  '/settings/keys': 'keys',
  '/settings/sessions': 'sessions',
  '/auth/device': 'device',
  '/auth/device/answer': 'deviceAnswer',
  '/invitations/:token': 'invitation',
  '/:owner': 'account',
  '/:owner/-/members': 'members',
  '/:owner/-/settings': 'orgSettings',
  '/:owner/-/audit': 'audit',
  '/:owner/:slug': 'overview',
  '/:owner/:slug/records': 'records',
  '/:owner/:slug/records/:type': 'records',
  '/:owner/:slug/records/:type/:id': 'record',
  '/:owner/:slug/records/:type/:id/edit': 'editRecord',
  // For ids that no path can carry, `.` and `..`.
  '/:owner/:slug/record': 'record',
  '/:owner/:slug/schemas': 'schemas',
  '/:owner/:slug/files': 'files',
  '/:owner/:slug/v/:version': 'overview',
  '/:owner/:slug/v/:version/records': 'records',
  '/:owner/:slug/v/:version/records/:type': 'records',
  '/:owner/:slug/v/:version/records/:type/:id': 'record',
  '/:owner/:slug/v/:version/record': 'record',
  '/:owner/:slug/v/:version/schemas': 'schemas',
  '/:owner/:slug/v/:version/files': 'files',
  '/:owner/:slug/versions': 'versions',
  '/:owner/:slug/versions.atom': 'feed',
  '/:owner/:slug/compare': 'compareForm',
  '/:owner/:slug/compare/:pair': 'compare',
  // From a version of another collection: `…/compare/owner/slug@v1.0.0...v1.1.0`.
  '/:owner/:slug/compare/:from/:pair': 'compare',
  '/:owner/:slug/fork': 'fork',
  '/:owner/:slug/edit': 'edit',
  '/:owner/:slug/withdraw': 'withdraw',
  '/:owner/:slug/push': 'push',
  '/:owner/:slug/settings': 'collectionSettings',
} as const

export type PagePath = keyof typeof table
export type PageName = (typeof table)[PagePath]

/** Pages with a form that is posted to them. */
export const withForm: ReadonlySet<PageName> = new Set([
  ...(['newCollection', 'newOrg', 'settings', 'keys', 'sessions', 'members', 'orgSettings'] as const),
  ...([
    'deviceAnswer',
    'invitation',
    'admin',
    'fork',
    'edit',
    'editRecord',
    'collectionSettings',
    'withdraw',
  ] as const),
])
