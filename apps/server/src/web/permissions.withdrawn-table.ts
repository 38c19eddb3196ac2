/** Permissions on pages of a withdrawn version, checked by permissions.test.ts. permissions.table.ts explains the columns. */
import type { Rows } from './permissions.table.ts'
import { readingPages } from './reading-pages.ts'

/** A withdrawn version: 410 for callers who may see its collection, else the answer for an absent one. */
// biome-ignore format: a table
export const ofWithdrawn: Readonly<Record<string, Rows>> = {
  'reading': {
    asked: [
      ...readingPages.filter((path) => /:version|:pair/.test(path)).map((path) => `GET ${path}`),
      'GET /:owner/:slug/compare/:from/:pair (of another)',
    ],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    401    403',
      private: '404    404    404    404    410    410    410    404    404    410    410    410    410    404    410    410    401    403',
      absent:  '404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'looking at the form of erasing': {
    asked: ['GET /:owner/:slug/withdraw'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  403    403    200    200    403    403    403    403    200    403    403    403    200    401    403',
      private: 'login  login  login  404    403    200    200    404    404    403    403    200    403    404    403    200    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'publishing it again': {
    asked: ['GET /:owner/:slug/restore'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  'login  login  login  410    410    410    410    410    410    410    410    410    410    410    410    410    401    403',
      private: 'login  login  login  404    410    410    410    404    404    410    410    410    410    404    410    410    401    403',
      absent:  'login  login  login  404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'publishing it again, by the form': {
    asked: ['POST /:owner/:slug/restore (late)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    410    410    410    410    410    410    410    410    410    410    410    410    410    401    403',
      private: '401    401    401    404    410    410    410    404    404    410    410    410    410    404    410    410    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'warning of it': {
    asked: ['POST /:owner/:slug/withdraw (warn)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    410    410    403    403    403    403    410    403    403    403    410    401    403',
      private: '401    401    401    404    403    410    410    404    404    403    403    410    403    404    403    410    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
  'withdrawing it again for no reason, and erasing it without confirming': {
    asked: ['POST /:owner/:slug/withdraw (withdraw)', 'POST /:owner/:slug/withdraw (erase)'],
    rows: {
      //        anon   ended  sus    str    mem    adm    own    oper   s-adm  o-read o-writ o-admi here   there  cap    h-admi bad    sus-k
      public:  '401    401    401    403    403    400    400    403    403    403    403    400    403    403    403    400    401    403',
      private: '401    401    401    404    403    400    400    404    404    403    403    400    403    404    403    400    401    403',
      absent:  '401    401    401    404    404    404    404    404    404    404    404    404    404    404    404    404    401    403',
    },
  },
}
