/** Permissions of API operations outside of collections: more rows in the format of permissions.table.ts. */
interface Row {
  readonly operations: readonly string[]
  readonly row: string
}

// biome-ignore format: a table
export const inAccount: Readonly<Record<string, Row>> = {
  'what anyone may ask': {
    operations: [
      'getAccount', 'listEvents', 'browseCollections', 'countCollections', 'listCollections', 'getLog',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '+      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      401    susp   +      +      +      +      +      +      +',
  },
  'what an account asks of itself': {
    operations: [
      'getOwnAccount', 'listMemberships', 'listKeys', 'revokeKey',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      401    susp   +      +      +      +      job    +      +',
  },
  'what a key for one collection may not ask': {
    operations: [
      'listOwnInvitations', 'listMyCollections',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      +      limit  limit  401    susp   +      +      +      +      limit  +      limit',
  },
  'making a key that writes': {
    operations: [
      'createKey',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    +      scope  +      +      +      scope  +      +      +      scope  +      +      +      scope  +      +      limit  limit  401    susp   +      scope  +      +      job    +      limit',
  },
  'what members ask of an organization': {
    operations: [
      'getSettings', 'listMembers', 'getAccountUsage',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    member member member member +      +      +      +      +      +      +      +      +      +      +      +      limit  limit  401    susp   member member member member limit  +      limit',
  },
  'making a collection in an organization': {
    operations: [
      'createCollection',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    member scope  member member +      scope  +      +      +      scope  +      +      +      scope  +      +      limit  limit  401    susp   member scope  member member limit  +      limit',
  },
  'managing an organization': {
    operations: [
      'updateAccount', 'setMember', 'removeMember', 'createInvitation', 'listInvitations', 'removeInvitation',
      'listAudit', 'streamAudit', 'createAccountWebhook', 'listAccountWebhooks',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    member scope  scope  member role   scope  scope  role   +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   member scope  scope  member scope  scope  limit',
  },
  'deleting an organization': {
    operations: [
      'deleteAccount',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    member scope  scope  member role   scope  scope  role   role   scope  scope  role   +      scope  scope  +      scope  scope  401    susp   member scope  scope  member scope  scope  limit',
  },
  'operating the registry': {
    operations: [
      'listAccounts', 'operateAccount', 'eraseAccount', 'linkIdentity', 'handOverCollections', 'getUsage', 'getJobs',
      'listAllAudit', 'listReports', 'closeReport',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    oper   scope  scope  oper   oper   scope  scope  oper   oper   scope  scope  oper   oper   scope  scope  oper   scope  scope  401    susp   +      scope  scope  +      scope  scope  limit',
  },
  'hiding a collection that is not there': {
    operations: [
      'hideCollection', 'showCollection',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    oper   scope  scope  oper   oper   scope  scope  oper   oper   scope  scope  oper   oper   scope  scope  oper   scope  scope  401    susp   404    scope  scope  404    scope  scope  limit',
  },
  'opening a collection that is not there': {
    operations: [
      'openCollection',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    oper   scope  scope  oper   oper   scope  scope  oper   oper   scope  scope  oper   oper   scope  scope  oper   scope  scope  401    susp   404    scope  scope  sess   scope  scope  limit',
  },
  'having webhooks of an account': {
    operations: [
      'getWebhook', 'changeWebhook', 'deleteWebhook', 'testWebhook', 'rotateWebhookSecret', 'listDeliveries',
      'retryDelivery', 'replayWebhook',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    +      scope  scope  +      +      scope  scope  +      +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   +      scope  scope  +      scope  scope  limit',
  },
  'managing oneself': {
    operations: [
      'createOrganization', 'answerInvitation', 'listBrowserSessions', 'endBrowserSession', 'exportAccount',
      'endOtherBrowserSessions',
    ],
    //    anon   str    s-read s-writ s-admi mem    m-read m-writ m-admi adm    a-read a-writ a-admi own    o-read o-writ o-admi here   there  bad    sus    oper   p-read p-writ p-admi job    cap    h-admi
    row: '401    +      scope  scope  +      +      scope  scope  +      +      scope  scope  +      +      scope  scope  +      scope  scope  401    susp   +      scope  scope  +      scope  scope  limit',
  },
}
