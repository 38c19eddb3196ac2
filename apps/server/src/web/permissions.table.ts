/**
 * Permissions on pages of collections: one row per set of callers, checked by permissions.test.ts; other pages are in
 * permissions.site-table.ts. The words are statuses; `login` redirects to sign-in.
 *
 * With a browser session: `str` is a stranger to the organization, `mem`, `adm` and `own` are its member, admin and owner, `oper` is an
 * operator of the registry; `ended` has signed out, `sus` is suspended, which ends its sessions. With a key, which pages accept like the
 * API: `s-adm` is the stranger's with scope admin, `o-…` are the owner's with each scope; `here` and `there` are write keys of the owner,
 * limited to this collection and to another one (outside of collections: to the private and to the public one); `bad` is an invalid key,
 * `sus-k` a key of a suspended account. `cap` is a write key of the owner capped at the role `member`, `h-admi` is `here` with scope admin.
 *
 * Form posts have their action in brackets. testing/page-requests.ts has their fields, chosen so that no later cell depends on them:
 * permitted removals name absent things (404), permitted creations existing ones (409).
 */
import type { Place } from '../routes/permissions.table.ts'
import { readingPages } from './reading-pages.ts'

export const callers = [
  ...['anon', 'ended', 'sus', 'str', 'mem', 'adm', 'own', 'oper'],
  ...['str-admin', 'own-read', 'own-write', 'own-admin', 'here', 'there', 'own-capped', 'here-admin'],
  // Last, and without a right to delete: the collections are renewed before each of them.
  ...['unknown', 'sus-admin'],
] as const

/** Routes beside the API and the pages: sign-in, sign-out, and answers that are the same for all callers. */
export const without: readonly RegExp[] = [
  /^GET \/auth\/(?:login|callback)$/,
  /^POST \/(?:sign-out|auth\/(?:logout|device|device\/token|exchange))$/,
  /^\w+ \/dev\/idp\//,
  /^GET \/(?:healthz|readyz|metrics|favicon\.ico|assets\/:file)$/,
  // Documents as files, and redirects to pages of documents.
  /^GET \/docs\/(?:[\w-]+\.(?:md|py|svg)|api\/)?$/,
  // Files of the signed log, public, and requests to it as a witness.
  /^\w+ \/log\//,
  /^GET \/\.well-known\/ulmus-log\.json$/,
  // Packages of the server's version, public.
  /^GET \/downloads\/(?::file|SHA256SUMS)$/,
  // Error pages.
  /^GET \/(?::owner|docs)\/\*$/,
]

export interface Rows {
  readonly asked: readonly string[]
  readonly rows: Readonly<Record<Place, string>>
}

// biome-ignore format: a table
export const inCollection: Readonly<Record<string, Rows>> = {
  'reading': {
    asked: [...readingPages.map((path) => `GET ${path}`), 'GET /:owner/:slug/compare/:from/:pair (of another)', 'GET /:owner/:slug/report', 'POST /:owner/:slug/report (send)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '200    200    200    200    200    200    200    200    200    200    200    200    200    200    200    200    401    403',
      private: '404    404    404    404    200    200    200    404    404    200    200    200    200    404    200    200    401    403',
      absent:  '404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'being sent on to a comparison': {
    asked: ['GET /:owner/:slug/compare'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '302    302    302    302    302    302    302    302    302    302    302    302    302    302    302    302    401    403',
      private: '404    404    404    404    302    302    302    404    404    302    302    302    302    404    302    302    401    403',
      absent:  '404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'looking at the form of a fork': {
    asked: ['GET /:owner/:slug/fork'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  200    200    200    200    200    200    200    200    200    200    200    200    200    401    403',
      private: 'login  login  login  404    200    200    200    404    404    200    200    200    200    404    200    200    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'looking at the own webhooks of a collection': {
    asked: ['GET /:owner/:slug/webhooks'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  200    200    200    200    200    200    403    403    200    403    403    403    403    401    403',
      private: 'login  login  login  404    200    200    200    404    404    403    403    200    403    404    403    403    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'making a webhook of a collection to an inner network': {
    asked: ['POST /:owner/:slug/webhooks (make)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    422    422    422    422    422    422    403    403    422    403    403    403    403    401    403',
      private: '401    401    401    404    422    422    422    404    404    403    403    422    403    404    403    403    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'forking into an organization': {
    asked: ['POST /:owner/:slug/fork (taken)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    409    409    409    403    403    403    409    409    403    403    409    403    401    403',
      private: '401    401    401    404    409    409    409    404    404    403    409    409    403    404    409    403    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'looking at the forms of work': {
    asked: [
      'GET /:owner/:slug/records/:type/:id/edit', 'GET /:owner/:slug/records/:type/:id/delete',
      'GET /:owner/:slug/records/:type/new', 'GET /:owner/:slug/edit', 'GET /:owner/:slug/push',
      'GET /:owner/:slug/settings', 'GET /:owner/:slug/schemas/:type/edit', 'GET /:owner/:slug/schemas/new',
      'GET /:owner/:slug/restore', 'GET /:owner/:slug/questions/new',
      'GET /:owner/:slug/questions/:question/edit',
    ],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  403    200    200    200    403    403    403    200    200    200    403    200    200    401    403',
      private: 'login  login  login  404    200    200    200    404    404    403    200    200    200    404    200    200    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'working': {
    asked: ['edit (save)', 'settings (save)', 'questions/new (save)', 'questions/:question/edit (save)'].map((one) => `POST /:owner/:slug/${one}`),
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    303    303    303    403    403    403    303    303    303    403    303    303    401    403',
      private: '401    401    401    404    303    303    303    404    404    403    303    303    303    404    303    303    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'removing a question that is absent': {
    asked: ['POST /:owner/:slug/questions/:question/edit (remove)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    404    404    404    403    403    403    404    404    404    403    404    404    401    403',
      private: '401    401    401    404    404    404    404    404    404    403    404    404    404    404    404    404    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'previewing a readme, adding a blank property to a form, moving one': {
    asked: [
      'POST /:owner/:slug/edit (preview)', 'POST /:owner/:slug/schemas/:type/edit (add)', 'POST /:owner/:slug/schemas/:type/edit (move)',
      'POST /:owner/:slug/schemas/new (add)', 'POST /:owner/:slug/schemas/new (move)',
    ],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    200    200    200    403    403    403    200    200    200    403    200    200    401    403',
      private: '401    401    401    404    200    200    200    404    404    403    200    200    200    404    200    200    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'changing records and schemas of another version': {
    asked: [
      'POST /:owner/:slug/records/:type/:id/edit (late)', 'POST /:owner/:slug/records/:type/:id/delete (late)',
      'POST /:owner/:slug/records/:type/new (late)', 'POST /:owner/:slug/schemas/:type/edit (late)',
      'POST /:owner/:slug/schemas/new (late)', 'POST /:owner/:slug/restore (late)',
    ],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    409    409    409    403    403    403    409    409    409    403    409    409    401    403',
      private: '401    401    401    404    409    409    409    404    404    403    409    409    409    404    409    409    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'looking at the form of withdrawing': {
    asked: ['GET /:owner/:slug/erase'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  403    403    200    200    403    403    403    403    200    403    403    403    200    401    403',
      private: 'login  login  login  404    403    200    200    404    404    403    403    200    403    404    403    200    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'looking at the form of a warning': {
    asked: ['GET /:owner/:slug/withdraw'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  403    403    200    200    403    403    403    200    200    403    403    403    200    401    403',
      private: 'login  login  login  404    403    200    200    404    404    403    200    200    403    404    403    200    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'deleting, and warning of a version': {
    asked: ['POST /:owner/:slug/settings (delete)', 'POST /:owner/:slug/withdraw (warn)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    303    303    403    403    403    303    303    403    403    403    303    401    403',
      private: '401    401    401    404    403    303    303    404    404    403    303    303    403    404    403    303    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'withdrawing for no reason, and erasing what stands': {
    asked: [
      'POST /:owner/:slug/withdraw (withdraw)', 'POST /:owner/:slug/withdraw (erase)',
      'POST /:owner/:slug/erase (unconfirmed)',
    ],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    400    400    403    403    403    403    400    403    403    403    400    401    403',
      private: '401    401    401    404    403    400    400    404    404    403    403    400    403    404    403    400    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'looking at the readers': {
    asked: ['GET /:owner/:slug/access'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  403    200    200    200    403    403    200    200    200    403    403    200    403    401    403',
      private: 'login  login  login  404    200    200    200    404    404    200    200    200    403    404    200    403    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'adding a collaborator': {
    asked: ['POST /:owner/:slug/access (set)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    303    303    403    403    403    403    303    403    403    403    303    401    403',
      private: '401    401    401    404    403    303    303    404    404    403    403    303    403    404    403    303    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'removing and leaving, of users who are no collaborators': {
    asked: [
      'POST /:owner/:slug/access (remove)', 'POST /:owner/:slug/access (take back)',
      'POST /:owner/:slug/access (leave)',
    ],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    404    404    403    403    403    403    404    403    403    403    403    401    403',
      private: '401    401    401    404    403    404    404    404    404    403    403    404    403    404    403    403    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'looking at trusted publishers': {
    asked: ['GET /:owner/:slug/publishing'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  403    403    200    200    403    403    403    403    200    403    403    403    200    401    403',
      private: 'login  login  login  404    403    200    200    404    404    403    403    200    403    404    403    200    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'adding a publisher of nowhere': {
    asked: [
      'POST /:owner/:slug/publishing (add)', 'POST /:owner/:slug/publishing (add an account)',
      'POST /:owner/:slug/publishing (add by claims)',
    ],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    400    400    403    403    403    403    400    403    403    403    400    401    403',
      private: '401    401    401    404    403    400    400    404    404    403    403    400    403    404    403    400    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'removing an absent publisher': {
    asked: ['POST /:owner/:slug/publishing (remove)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    404    404    403    403    403    403    404    403    403    403    404    401    403',
      private: '401    401    401    404    403    404    404    404    404    403    403    404    403    404    403    404    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'letting others publish': {
    asked: ['POST /:owner/:slug/publishing (only)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    303    303    403    403    403    403    303    403    403    403    303    401    403',
      private: '401    401    401    404    403    303    303    404    404    403    403    303    403    404    403    303    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'giving away': {
    asked: ['POST /:owner/:slug/settings (transfer)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    303    303    403    403    403    403    303    403    403    403    403    401    403',
      private: '401    401    401    404    403    303    303    404    404    403    403    303    403    404    403    403    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
}
