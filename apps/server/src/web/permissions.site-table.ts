/** Permissions on pages outside of collections: more rows in the format of permissions.table.ts. */
interface Row {
  readonly asked: readonly string[]
  readonly row: string
}

// biome-ignore format: a table
export const inSite: Readonly<Record<string, Row>> = {
  'what anyone may see': {
    asked: [
      'GET /explore', 'GET /robots.txt', 'GET /sitemap.xml', 'GET /llms.txt', 'GET /favicon.svg',
      'GET /site.webmanifest', 'GET /docs', 'GET /downloads', 'GET /docs/:name', 'GET /:owner',
      'GET /:owner/-/feed.atom', 'GET /docs/api', 'GET /docs/api/:group',
    ],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '200    200    200    200    200    200    200    200    200    200    200    200    200    200    200    200    401    403',
  },
  'a contact that the operator has not given': {
    asked: ['GET /.well-known/security.txt'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
  },
  'the start page with the collections of the caller': {
    asked: ['GET /'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '200    200    200    200    200    200    200    200    200    200    200    200    403    403    200    403    401    403',
  },
  'what one sees of oneself': {
    asked: [
      'GET /new', 'GET /new/org', 'GET /new/sample', 'GET /settings', 'GET /settings/keys', 'GET /auth/device',
      'GET /auth/device (of a code)', 'GET /auth/device/answer',
    ],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  200    200    200    200    200    200    200    200    200    200    200    200    200    401    403',
  },
  'what no lesser credential sees': {
    asked: ['GET /settings/sessions'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  200    200    200    200    200    200    403    403    200    403    403    403    403    401    403',
  },
  'signing a browser out that is none': {
    asked: ['POST /settings/sessions (unknown)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    404    404    404    404    404    404    403    403    404    403    403    403    403    401    403',
  },
  'renaming oneself, and signing out what other browsers one has': {
    asked: ['POST /settings (save)', 'POST /settings/sessions (all others)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    303    303    303    303    303    303    403    403    303    403    403    403    403    401    403',
  },
  'making a key to read': {
    asked: ['POST /settings/keys (make)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    200    200    200    200    200    200    200    200    200    403    403    200    403    401    403',
  },
  'making a key to read in the private collection': {
    asked: ['POST /settings/keys (make for a collection)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    404    200    200    200    404    404    200    200    200    200    404    200    200    401    403',
  },
  'revoking a key to write of the owner': {
    asked: ['POST /settings/keys (revoke)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    404    404    404    200    404    404    403    200    200    403    403    403    403    401    403',
  },
  'allowing a terminal to write': {
    asked: ['POST /auth/device/answer (allow)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    200    200    200    200    200    200    403    200    200    403    403    200    403    401    403',
  },
  'refusing a terminal by its code, which grants nothing': {
    asked: ['POST /auth/device/answer (refuse)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    200    200    200    200    200    200    200    200    200    200    200    200    200    401    403',
  },
  'looking at an invitation by its link': {
    asked: ['GET /invitations/:token'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  200    200    200    200    200    200    200    200    200    200    200    200    200    401    403',
  },
  'looking at an invitation of another user': {
    asked: ['GET /invitations/:token (of grace)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
  },
  'answering an invitation of another user': {
    asked: ['POST /invitations/:token (of grace)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
  },
  'declining an invitation': {
    asked: ['POST /invitations/:token (decline)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    303    303    303    303    303    303    403    403    303    403    403    403    403    401    403',
  },
  'making an organization that is there': {
    asked: ['POST /new/org (taken)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    409    409    409    409    409    409    403    403    409    403    403    403    403    401    403',
  },
  'making a collection that is there': {
    asked: ['POST /new (taken)', 'POST /new (taken, to push)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    409    409    409    403    403    403    409    409    403    403    409    403    401    403',
  },
  'loading the sample into an organization that has none': {
    asked: ['POST /new/sample'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    303    303    303    403    403    403    303    303    403    403    303    403    401    403',
  },
  'looking at the people of an organization': {
    asked: ['GET /:owner/-/members'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  403    200    200    200    403    403    403    403    200    403    403    403    403    401    403',
  },
  'looking at the settings of an organization': {
    asked: ['GET /:owner/-/settings'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  403    200    200    200    403    403    200    200    200    403    403    200    403    401    403',
  },
  'looking at what was done in an organization, and at its webhooks': {
    asked: ['GET /:owner/-/audit', 'GET /:owner/-/webhooks'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  403    403    200    200    403    403    403    403    200    403    403    403    403    401    403',
  },
  'making a webhook of an organization to an inner network': {
    asked: ['POST /:owner/-/webhooks (make)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    422    422    403    403    403    403    422    403    403    403    403    401    403',
  },
  'looking at a webhook of an organization': {
    asked: ['GET /:owner/-/webhooks/:id'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  404    404    200    200    404    404    404    404    200    404    404    404    404    401    403',
  },
  'changing a webhook of an organization': {
    asked: [
      'POST /:owner/-/webhooks/:id (save)', 'POST /:owner/-/webhooks/:id (enable)',
      'POST /:owner/-/webhooks/:id (disable)', 'POST /:owner/-/webhooks/:id (delete)',
    ],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    404    404    303    303    404    404    404    404    303    404    404    404    404    401    403',
  },
  'testing a webhook of an organization, replaying to it, and changing its secret': {
    asked: [
      'POST /:owner/-/webhooks/:id (test)', 'POST /:owner/-/webhooks/:id (rotate)',
      'POST /:owner/-/webhooks/:id (replay)',
    ],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    404    404    200    200    404    404    404    404    200    404    404    404    404    401    403',
  },
  'sending again what a webhook did not get': {
    asked: ['POST /:owner/-/webhooks/:id (retry)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
  },
  'managing an organization': {
    asked: [
      'POST /:owner/-/members (set)', 'POST /:owner/-/members (remove)', 'POST /:owner/-/settings (name)',
    ],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    303    303    403    403    403    403    303    403    403    403    403    401    403',
  },
  'inviting into an organization': {
    asked: ['POST /:owner/-/members (invite)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    200    200    403    403    403    403    200    403    403    403    403    401    403',
  },
  'taking back an invitation that is none': {
    asked: ['POST /:owner/-/members (take back)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    404    404    403    403    403    403    404    403    403    403    403    401    403',
  },
  'what owners alone do': {
    asked: ['POST /:owner/-/members (set an owner)', 'POST /:owner/-/settings (rules)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    303    403    403    403    403    303    403    403    403    403    401    403',
  },
  'deleting an organization that has collections': {
    asked: ['POST /:owner/-/settings (delete)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    409    403    403    403    403    409    403    403    403    403    401    403',
  },
  'looking after the registry': {
    asked: ['GET /admin', 'GET /admin/audit', 'GET /admin/state'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: 'login  login  login  403    403    403    403    200    403    403    403    403    403    403    403    403    401    403',
  },
  'retrying a failed job that is none': {
    asked: ['POST /admin/state (retry)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    403    200    403    403    403    403    403    403    403    403    401    403',
  },
  'giving a quota': {
    asked: ['POST /admin (quota)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    403    200    403    403    403    403    403    403    403    403    401    403',
  },
  'naming an owner of what has one': {
    asked: ['POST /admin (name an owner)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    403    409    403    403    403    403    403    403    403    403    401    403',
  },
  'hiding or opening a collection that is not there': {
    asked: ['POST /admin (hide)', 'POST /admin (open)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    403    400    403    403    403    403    403    403    403    403    401    403',
  },
  'showing a collection, or closing a report, that is not there': {
    asked: ['POST /admin (show)', 'POST /admin (dismiss a report)', 'POST /admin (act on a report)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    403    404    403    403    403    403    403    403    403    403    401    403',
  },
  'acting as on a person on what is none': {
    asked: [
      'POST /admin (suspend)', 'POST /admin (release)', 'POST /admin (erase)',
      'POST /admin (link)', 'POST /admin (transfer)',
    ],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    403    422    403    403    403    403    403    403    403    403    401    403',
  },
  'pressing a button of /admin that is none': {
    asked: ['POST /admin (what every object has)'],
    //    anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
    row: '401    401    401    403    403    403    403    400    403    403    403    403    403    403    403    403    401    403',
  },
}
