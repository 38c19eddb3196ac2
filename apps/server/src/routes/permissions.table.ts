/**
 * Permissions of API operations: one row per set of callers, checked by permissions.test.ts.
 *
 *     +       permitted: the answer does not depend on the caller
 *     401     unauthenticated           scope   insufficient_scope      limit   key_limited
 *     member  not_a_member              role    insufficient_role       404     collection_not_found
 *     job     publisher_key             sess    session_required
 *     susp    account_suspended         oper    not_an_operator           410    version_withdrawn
 *
 * `str` is a stranger to the organization, `mem`, `adm` and `own` are its member, admin and owner, `oper` is an operator of the registry:
 * with a browser session, or with a key of the scope in the suffix. `here` and `there` are write keys of the owner, limited to this
 * collection and to another one.
 * `cap` is a write key of the owner capped at the role `member`: its column is that of `m-writ`. `h-admi` is `here` with scope `admin`.
 * `job` is a write key of a trusted publisher of this collection. `bad` is an invalid key, `sus` a key of a suspended account. Expired, revoked and malformed keys get the answers of `bad` everywhere.
 * Expired sessions and sessions of suspended accounts get those of `anon`.
 */
import { type Operation, operations } from '@ulmus/wire'

export const callers = [
  ...['anon', 'str', 'str-read', 'str-write', 'str-admin'],
  ...['mem', 'mem-read', 'mem-write', 'mem-admin', 'adm', 'adm-read', 'adm-write', 'adm-admin'],
  ...['own', 'own-read', 'own-write', 'own-admin', 'here', 'there', 'unknown', 'sus-admin'],
  ...['oper', 'oper-read', 'oper-write', 'oper-admin', 'job', 'own-capped', 'here-admin'],
] as const

/** Slugs of the requested collections. */
export const places = ['public', 'private', 'absent'] as const
export type Place = (typeof places)[number]

/** Operations that take no credential, and the end of a session, which only the first caller could test. */
export const without: readonly string[] = [
  'signIn',
  'signOut',
  'startDeviceLogin',
  'finishDeviceLogin',
  'exchangeToken',
]

/** Operations that read a collection in their path: each GET below it that needs no credential. */
const reading = Object.entries<Operation>(operations).filter(
  ([name, { entrance }]) =>
    /^GET .*\/collections\/:owner\/:slug(?:\/|$)/.test(name) &&
    entrance === undefined &&
    !name.endsWith('/sql'),
)

/** `GET /api/collections/:owner/:slug/…` of each. */
export const readingRoutes: readonly string[] = reading.map(([name]) => name)

interface Rows {
  readonly operations: readonly string[]
  readonly rows: Readonly<Record<Place, string>>
}

// biome-ignore format: a table
export const inCollection: Readonly<Record<string, Rows>> = {
  'reading': {
    operations: reading.map(([, { id }]) => id),
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '+      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      401    susp   +      +      +      +      +      +      +',
      private: '404    404    404    404    404    +      +      +      +      +      +      +      +      +      +      +      +      +      404    401    susp   404    404    404    404    +      +      +',
      absent:  '404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    susp   404    404    404    404    404    404    404',
    },
  },
  'reporting': {
    operations: ['reportCollection'],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '+      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      401    susp   +      +      +      +      +      +      +',
      private: '404    404    404    404    404    +      +      +      +      +      +      +      +      +      +      +      +      +      404    401    susp   404    404    404    404    +      +      +',
      absent:  '404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    susp   404    404    404    404    404    404    404',
    },
  },
  'asking in SQL': {
    operations: ['querySql', 'runSql'],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      401    susp   +      +      +      +      +      +      +',
      private: '401    404    404    404    404    +      +      +      +      +      +      +      +      +      +      +      +      +      404    401    susp   404    404    404    404    +      +      +',
      absent:  '401    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    susp   404    404    404    404    404    404    404',
    },
  },
  'following work': {
    operations: [
      'getMetadataJob', 'getPush', 'getSnapshot',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member member member member +      +      +      +      +      +      +      +      +      +      +      +      +      limit  401    susp   member member member member +      +      +',
      private: '401    404    404    404    404    +      +      +      +      +      +      +      +      +      +      +      +      +      404    401    susp   404    404    404    404    +      +      +',
      absent:  '401    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    susp   404    404    404    404    404    404    404',
    },
  },
  'working': {
    operations: [
      'updateMetadata', 'uploadFile', 'restoreVersion', 'openPush', 'pushRecords', 'pushDeletes',
      'commitPush', 'cancelPush', 'openSnapshot', 'sendManifest', 'sendSnapshotRecords', 'commitSnapshot',
      'cancelSnapshot',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  member member +      scope  +      +      +      scope  +      +      +      scope  +      +      +      limit  401    susp   member scope  member member +      +      +',
      private: '401    404    scope  404    404    +      scope  +      +      +      scope  +      +      +      scope  +      +      +      404    401    susp   404    scope  404    404    +      +      +',
      absent:  '401    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    404    401    susp   404    scope  404    404    404    404    404',
    },
  },
  'changing settings': {
    operations: [
      'updateCollection', 'saveQuestion', 'changeQuestion', 'removeQuestion',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  member member +      scope  +      +      +      scope  +      +      +      scope  +      +      +      limit  401    susp   member scope  member member job    +      +',
      private: '401    404    scope  404    404    +      scope  +      +      +      scope  +      +      +      scope  +      +      +      404    401    susp   404    scope  404    404    job    +      +',
      absent:  '401    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    404    401    susp   404    scope  404    404    404    404    404',
    },
  },
  'forking into an organization': {
    operations: [
      'forkCollection',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  member member +      scope  +      +      +      scope  +      +      +      scope  +      +      limit  limit  401    susp   member scope  member member limit  +      limit',
      private: '401    404    scope  404    404    +      scope  +      +      +      scope  +      +      +      scope  +      +      limit  limit  401    susp   404    scope  404    404    limit  +      limit',
      absent:  '401    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    scope  404    404    limit  limit  401    susp   404    scope  404    404    limit  404    limit',
    },
  },
  'warning of a version': {
    operations: [
      'deprecateVersion',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  member member role   scope  role   role   +      scope  +      +      +      scope  +      +      role   limit  401    susp   member scope  member member role   role   +',
      private: '401    404    scope  404    404    role   scope  role   role   +      scope  +      +      +      scope  +      +      role   404    401    susp   404    scope  404    404    role   role   +',
      absent:  '401    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    404    401    susp   404    scope  404    404    404    404    404',
    },
  },
  'seeing who has access': {
    operations: ['getAccess', 'listCollaborators'],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member member member member +      +      +      +      +      +      +      +      +      +      +      +      limit  limit  401    susp   member member member member limit  +      limit',
      private: '401    404    404    404    404    +      +      +      +      +      +      +      +      +      +      +      +      limit  limit  401    susp   404    404    404    404    limit  +      limit',
      absent:  '401    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    limit  limit  401    susp   404    404    404    404    limit  404    limit',
    },
  },
  'withdrawing, and trusting publishers and collaborators': {
    operations: [
      'withdrawVersion', 'previewRecordErasure', 'eraseRecord', 'listPublishers', 'createPublisher',
      'getPublisher', 'updatePublisher', 'removePublisher', 'setCollaborator', 'removeCollaborator',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  scope  member role   scope  scope  role   +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   member scope  scope  member scope  scope  +',
      private: '401    404    scope  scope  404    role   scope  scope  role   +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   404    scope  scope  404    scope  scope  +',
      absent:  '401    404    scope  scope  404    404    scope  scope  404    404    scope  scope  404    404    scope  scope  404    scope  scope  401    susp   404    scope  scope  404    scope  scope  404',
    },
  },
  'giving away': {
    operations: [
      'transferCollection',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  scope  member role   scope  scope  role   +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   member scope  scope  member scope  scope  limit',
      private: '401    404    scope  scope  404    role   scope  scope  role   +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   404    scope  scope  404    scope  scope  limit',
      absent:  '401    404    scope  scope  404    404    scope  scope  404    404    scope  scope  404    404    scope  scope  404    scope  scope  401    susp   404    scope  scope  404    scope  scope  limit',
    },
  },
  'having webhooks': {
    operations: ['createWebhook', 'listWebhooks'],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    +      scope  scope  +      +      scope  scope  +      +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   +      scope  scope  +      scope  scope  limit',
      private: '401    404    scope  scope  404    +      scope  scope  +      +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   404    scope  scope  404    scope  scope  limit',
      absent:  '401    404    scope  scope  404    404    scope  scope  404    404    scope  scope  404    404    scope  scope  404    scope  scope  401    susp   404    scope  scope  404    scope  scope  limit',
    },
  },
  'deleting': {
    operations: [
      'deleteCollection',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  member member role   scope  role   role   +      scope  +      +      +      scope  +      +      limit  limit  401    susp   member scope  member member limit  role   +',
      private: '401    404    scope  404    404    role   scope  role   role   +      scope  +      +      +      scope  +      +      limit  404    401    susp   404    scope  404    404    limit  role   +',
      absent:  '401    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    404    401    susp   404    scope  404    404    404    404    404',
    },
  },
}

/** `updateCollection` with the address, or with the visibility, that the collection has. */
// biome-ignore format: a table
export const movingOrOpening: Readonly<Record<Place, string>> = {
  //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
  public:  '401    member scope  member member +      scope  +      +      +      scope  +      +      +      scope  +      +      limit  limit  401    susp   member scope  member member job    +      +',
  private: '401    404    scope  404    404    +      scope  +      +      +      scope  +      +      +      scope  +      +      limit  404    401    susp   404    scope  404    404    job    +      +',
  absent:  '401    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    404    401    susp   404    scope  404    404    404    404    404',
}

/** A withdrawn version: 410 for callers who may see its collection, else the answer for an absent one. */
// biome-ignore format: a table
export const ofWithdrawn: Readonly<Record<string, Rows>> = {
  'reading a withdrawn version': {
    operations: [...reading.filter(([name]) => name.includes('/:v')).map(([, { id }]) => id), 'exportVersion'],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    401    susp   410    410    410    410    410    410    410',
      private: '404    404    404    404    404    410    410    410    410    410    410    410    410    410    410    410    410    410    404    401    susp   404    404    404    404    410    410    410',
      absent:  '404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    susp   404    404    404    404    404    404    404',
    },
  },
  'asking it in SQL': {
    operations: ['querySql', 'runSql'],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    410    401    susp   410    410    410    410    410    410    410',
      private: '401    404    404    404    404    410    410    410    410    410    410    410    410    410    410    410    410    410    404    401    susp   404    404    404    404    410    410    410',
      absent:  '401    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    404    401    susp   404    404    404    404    404    404    404',
    },
  },
  'withdrawing it again': {
    operations: [
      'withdrawVersion',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  scope  member role   scope  scope  role   +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   member scope  scope  member scope  scope  +',
      private: '401    404    scope  scope  404    role   scope  scope  role   +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   404    scope  scope  404    scope  scope  +',
      absent:  '401    404    scope  scope  404    404    scope  scope  404    404    scope  scope  404    404    scope  scope  404    scope  scope  401    susp   404    scope  scope  404    scope  scope  404',
    },
  },
  'publishing it again': {
    operations: [
      'restoreVersion',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  member member 410    scope  410    410    410    scope  410    410    410    scope  410    410    410    limit  401    susp   member scope  member member 410    410    410',
      private: '401    404    scope  404    404    410    scope  410    410    410    scope  410    410    410    scope  410    410    410    404    401    susp   404    scope  404    404    410    410    410',
      absent:  '401    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    404    401    susp   404    scope  404    404    404    404    404',
    },
  },
  'warning of it': {
    operations: [
      'deprecateVersion',
    ],
    rows: {
      //        anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
      public:  '401    member scope  member member role   scope  role   role   410    scope  410    410    410    scope  410    410    role   limit  401    susp   member scope  member member role   role   410',
      private: '401    404    scope  404    404    role   scope  role   role   410    scope  410    410    410    scope  410    410    role   404    401    susp   404    scope  404    404    role   role   410',
      absent:  '401    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    scope  404    404    404    404    401    susp   404    scope  404    404    404    404    404',
    },
  },
}
