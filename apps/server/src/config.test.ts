import { expect, test } from 'vitest'
import { readConfig, readPublicUrl, readSecrets } from './config.ts'
import { isLoopback } from './loopback.ts'
import { unencryptedHost } from './variables/database-settings.ts'
import { mailOf } from './variables/mail-settings.ts'
import { ConfigError } from './variables/variables.ts'

const oidc = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'ulmus', OIDC_CLIENT_SECRET: 's' }

test('the address alone is read where nothing else is set up, as when a container makes its keys', () => {
  const image = { NODE_ENV: 'production', HOST: '0.0.0.0', PUBLIC_URL: 'https://registry.example' }
  expect(() => readConfig(image)).toThrow(/OIDC_ISSUER/)
  expect(readPublicUrl(image)).toBe(readConfig({ ...image, ...oidc }).publicUrl)
  expect(() => readPublicUrl({ PUBLIC_URL: 'registry' })).toThrow(/PUBLIC_URL/)
})

test('nothing set is the embedded server on this machine, with sign-in for development', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    ...{ host: '127.0.0.1', port: 4000, publicUrl: null, oidc: null, sessionDays: 30, trustProxy: false },
    ...{
      rateLimits: { anonymous: 1200, account: 6000, signIn: 600, reports: 10 },
      fileBytesMax: 2 ** 30,
      ...{
        openPushesMax: 100,
        organizationsMax: 100,
        collectionsMax: 10_000,
        uploadDays: 30,
        auditDays: 400,
        eventDays: 30,
        newMembers: 'added',
        operators: [],
        operatorClaim: null,
        trustedIssuersFile: null,
      },
      logLevel: 'info',
      roles: ['api', 'worker'],
    },
  })
  expect(readSecrets({})).toEqual({ databaseUrl: undefined, oidcClientSecret: undefined })
})

test('an empty variable is not set', () => {
  expect(readConfig({ PORT: '', HOST: ' ', OIDC_ISSUER: '' })).toEqual(readConfig({}))
})

test('quotes around a value are not part of it: Docker passes them on', () => {
  expect(readConfig({ PORT: '"4001"', LOG_LEVEL: '""' })).toEqual(readConfig({ PORT: '4001' }))
  expect(readSecrets({ OIDC_CLIENT_SECRET: '"a#b"' }).oidcClientSecret).toBe('a#b')
  expect(readSecrets({ OIDC_CLIENT_SECRET: 'a"b' }).oidcClientSecret).toBe('a"b')
})

test('a comment that the reader of a file took for a part of a value is named in the refusal', () => {
  const rule = /; it is "5GB # five"\. A comment in a file of variables needs a line of its own/
  expect(() => readConfig({ QUOTA_BYTES: '5GB # five' })).toThrow(rule)
  expect(() => readPublicUrl({ PUBLIC_URL: 'https://a.example # ours' })).toThrow(/needs a line of its own/)
  const secrets = { DATABASE_URL: 'mysql://a # hunter2' }
  expect(() => readSecrets(secrets)).toThrow(/^DATABASE_URL must.*needs a line of its own/)
  expect(() => readConfig({ QUOTA_BYTES: '5 GBs', SITE_NAME: 'x # y' })).not.toThrow(/a line of its own/)
})

test('requests to other servers go to public addresses, and to those that the operator allows', () => {
  expect(readConfig({})).toMatchObject({ outside: { allow: '' }, secretsKeys: { keyFile: undefined } })
  expect(readConfig({ OUTSIDE: 'off' }).outside).toBeNull()
  expect(readConfig({ OUTSIDE_ALLOW: '10.0.0.0/8' }).outside).toEqual({ allow: '10.0.0.0/8' })
  expect(() => readConfig({ OUTSIDE_ALLOW: '10.0.0.0/8,ci internal' })).toThrow(
    /OUTSIDE_ALLOW is wrong: "ci internal" is neither/,
  )
  expect(readSecrets({ OUTSIDE_PROXY: 'http://user:pw@proxy.example:4750' }).outsideProxy).toBe(
    'http://user:pw@proxy.example:4750/',
  )
  for (const proxy of [
    'http://proxy.example/path',
    'http://user:hunter2#@proxy.example',
    'ftp://proxy.example',
  ]) {
    const refused = () => readSecrets({ OUTSIDE_PROXY: proxy })
    expect(refused).toThrow(/^OUTSIDE_PROXY must be like .* # is %23/)
    expect(refused).not.toThrow(/hunter2/)
  }
})

test('mail has a server and a sender', () => {
  const SMTP_URL = 'smtps://ada%40example:p%2Fw@mail.example:4650'
  const MAIL_FROM = 'registry@example.org'
  expect([readConfig({}).mailFrom, readSecrets({}).smtpUrl]).toEqual([null, undefined])
  expect([readConfig({ SMTP_URL, MAIL_FROM }).mailFrom, readSecrets({ SMTP_URL }).smtpUrl]).toEqual([
    MAIL_FROM,
    SMTP_URL,
  ])
  expect(mailOf(readConfig({ SMTP_URL, MAIL_FROM }), SMTP_URL)).toMatchObject({ from: MAIL_FROM })
  expect(mailOf(readConfig({ SMTP_URL, MAIL_FROM, OUTSIDE: 'off' }), SMTP_URL)).toBeNull()
  for (const [url, why] of [
    ['mail.example', 'it is no URL'],
    ['https://mail.example', 'it begins with https://'],
    ['smtp://', 'it is no URL|it names no host'],
    ['smtp://a:hunter2/x@mail.example', 'In a password, # is %23'],
    ['smtp://a:hunter2#@mail.example', 'In a password, # is %23'],
    ['smtp://mail.example/inbox', 'after the host'],
    ['smtp://ada@mail.example', 'a user without a password'],
    ['smtp://ada:%zz@mail.example', 'write % as %25'],
  ] as const) {
    const refused = () => readSecrets({ SMTP_URL: url })
    expect(refused).toThrow(new RegExp(`^SMTP_URL must be like .*(?:${why})`))
    expect(refused).not.toThrow(/hunter2/)
  }
})

test('the signed log has a key, its witnesses, and logs that it witnesses', () => {
  const files = {
    ...{ keyFile: '/k', formerKeyFile: '/f', witnessesFile: '/w', witnessedFile: '/l' },
  }
  const env = {
    ...{ VERSION_LOG_KEY_FILE: '/k', VERSION_LOG_KEY_FILE_FORMER: '/f' },
    ...{ VERSION_LOG_WITNESSES_FILE: '/w', VERSION_LOG_WITNESSED_FILE: '/l' },
  }
  expect(readConfig(env).versionLog).toEqual(files)
  expect(readConfig({}).versionLog).toEqual({})
  expect(readConfig({ ...env, VERSION_LOG: 'off' }).versionLog).toBe('off')
  expect(() => readConfig({ VERSION_LOG: 'no' })).toThrow(/VERSION_LOG must be one of on, off/)
})

test('operators are named by issuer and subject', () => {
  const operators = [
    { issuer: 'https://login.example', subject: '2482' },
    { issuer: 'urn:x', subject: 'a#b' },
  ]
  expect(readConfig({ OPERATORS: '"https://login.example#2482, urn:x#a#b"' })).toMatchObject({ operators })
  // A value from an env file without quotes: `#` begins a comment there.
  expect(() => readConfig({ OPERATORS: 'https://login.example' })).toThrow(/OPERATORS must be.*double quotes/)
  expect(readConfig({ OPERATOR_CLAIM: 'groups:a:b' })).toMatchObject({
    operatorClaim: { name: 'groups', value: 'a:b' },
  })
  expect(() => readConfig({ OPERATOR_CLAIM: 'admins' })).toThrow(/OPERATOR_CLAIM must be/)
})

test.each<Record<string, string>>([
  { SITE_LINKS: 'Imprint=https://a.example;Privacy=https://b.example' },
  { SITE_LINKS: 'Imprint=https://a.example/imprint;Privacy=https://b.example' },
  { SITE_LINKS: 'Imprint=https://a.example/imprint|Privacy=https://b.example' },
  { SITE_LINKS: 'Imprint=https://a.example,Privacy' },
  { CONTACT: 'https://a.example;https://b.example' },
  { CONTACT: 'data@a.example;ops@a.example' },
  { OPERATORS: 'http://127.0.0.1:7120#u-olga;http://127.0.0.1:7120#u-anna' },
  { OPERATORS: 'https://login.example;https://other.example#ada' },
  { OPERATORS: 'https://login.example#ada;#eve' },
  { OPERATOR_CLAIM: 'groups:a;groups:b' },
  { OPERATOR_CLAIM: 'groups:a,groups:b' },
  { TRUST_PROXY: 'loopback;10.0.0.0/8' },
  { ROLES: 'api;worker' },
  { OUTSIDE_ALLOW: '10.1.0.0/16;ci.internal:8443' },
  { OUTSIDE_ALLOW: 'http://a.internal;http://b.internal' },
  { OUTSIDE_PROXY: 'http://a.example;b.example' },
  { PUBLIC_URL: 'https://a.example;b.example' },
  { ...oidc, OIDC_ISSUER: 'https://a.example;https://b.example' },
  { ...oidc, OIDC_ISSUER: 'https://a.example/x;https://b.example' },
  { OBJECT_STORE: 's3://bucket', S3_ENDPOINT: 'http://a.example;b.example' },
  { DATABASE_URL: 'postgres://u:p@a.example;b.example/d' },
  { DATABASE_URL: 'postgres://u:p@a.example:5432;b.example:5432/d' },
  { SMTP_URL: 'smtps://a.example;b.example', MAIL_FROM: 'data@a.example' },
  { SMTP_URL: 'smtps://a.example', MAIL_FROM: 'data@a.example;ops@a.example' },
  { HOST: '127.0.0.1;::1' },
])('%j is refused: semicolons separate nothing', (env) => {
  const name = Object.keys(env).findLast((one) => /[;|,]/.test(env[one]!))
  const read = () => [readConfig(env), readSecrets(env)]
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(new RegExp(`^${name}\\b`))
})

test('the configuration is frozen, and holds no secret', () => {
  const config = readConfig({ ...oidc, HOST: '0.0.0.0', NODE_ENV: 'production' })
  expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
  expect(() => Object.assign(config.oidc!, { issuer: 'x' })).toThrow(TypeError)
  expect(JSON.stringify(config)).not.toContain('"s"')
  expect(readSecrets({ ...oidc, DATABASE_URL: 'postgres://u:p@h/d' })).toEqual({
    databaseUrl: 'postgres://u:p@h/d',
    oidcClientSecret: 's',
  })
})

test.each<[Record<string, string>, object]>([
  [{ PORT: '0' }, { port: 0 }],
  [{ PUBLIC_URL: 'https://Registry.example/', ...oidc }, { publicUrl: 'https://registry.example' }],
  [{}, { readmeImages: false }],
  [{ README_IMAGES: 'on' }, { readmeImages: true }],
  [{}, { site: { name: 'Ulmus', links: [] } }],
  [
    {
      SITE_NAME: 'Data of Ås',
      SITE_LINKS:
        'Imprint=https://a.example/?x=1,2;y,Privacy = http://b.example/p?to=https://c.example,Ås=https://ås.example',
      CONTACT: 'data@a.example',
    },
    {
      site: {
        ...{ name: 'Data of Ås', contact: 'mailto:data@a.example' },
        links: [
          { label: 'Imprint', url: 'https://a.example/?x=1,2;y' },
          { label: 'Privacy', url: 'http://b.example/p?to=https://c.example' },
          { label: 'Ås', url: 'https://ås.example' },
        ],
      },
    },
  ],
  ...['data@a.example', 'mailto:data@a.example', 'MailTo:data@a.example'].map(
    (contact): [Record<string, string>, object] => [
      { CONTACT: contact },
      { site: { contact: 'mailto:data@a.example' } },
    ],
  ),
  [{ RATE_LIMIT: 'off' }, { rateLimits: null }],
  [{ RATE_LIMIT_ACCOUNT: '10' }, { rateLimits: { anonymous: 1200, account: 10, signIn: 600, reports: 10 } }],
  [{ MAX_CONNECTIONS: '100' }, { connectionsMax: 100 }],
  [
    { MAX_OPEN_PUSHES: '5', MAX_ORGANIZATIONS: '6', MAX_COLLECTIONS: '7', UPLOAD_DAYS: '8' },
    { openPushesMax: 5, organizationsMax: 6, collectionsMax: 7, uploadDays: 8 },
  ],
  [{ TRUSTED_ISSUERS_FILE: '/etc/ulmus/issuers.json' }, { trustedIssuersFile: '/etc/ulmus/issuers.json' }],
  [{ QUOTA_BYTES: '10' }, { quotaBytes: 10 }],
  [
    { QUOTA_BYTES: '10GB', MAX_FILE_BYTES: '512 MB', TABLES_BYTES: '10GiB', DISK_RESERVE_BYTES: '1.5gb' },
    { quotaBytes: 1e10, fileBytesMax: 512e6, tablesBytes: 10 * 2 ** 30, diskReserveBytes: 1.5e9 },
  ],
  [{}, { quotaBytes: null, connectionsMax: null }],
  [{ TRUST_PROXY: 'off' }, { trustProxy: false }],
  [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
  [{ TRUST_PROXY: 'fc00::/7,192.0.2.7' }, { trustProxy: 'fc00::/7,192.0.2.7' }],
  [{ TRUST_PROXY: 'loopback, 10.0.0.0/8,::1' }, { trustProxy: 'loopback,10.0.0.0/8,::1' }],
  [{}, { drainSeconds: 0, keepDeletedDays: 7 }],
  [{ KEEP_DELETED_DAYS: '35' }, { keepDeletedDays: 35 }],
  [{ DRAIN_SECONDS: '15' }, { drainSeconds: 15 }],
  [{ ROLES: 'api' }, { roles: ['api'] }],
  [{ HOST: '::1' }, { host: '::1' }],
  [{ ...oidc, HOST: 'node-3.example' }, { host: 'node-3.example' }],
  [{ OBJECT_STORE: '', AWS_REGION: 'nowhere' }, { objectStore: null }],
  [
    { OBJECT_STORE: 's3://data.of-ours', AWS_REGION: 'eu-central-1' },
    { objectStore: { bucket: 'data.of-ours', prefix: '', region: 'eu-central-1', endpoint: undefined } },
  ],
  [
    { OBJECT_STORE: 's3://kept/ulmus/A_1/', S3_ENDPOINT: 'http://127.0.0.1:9000/' },
    {
      objectStore: {
        ...{ bucket: 'kept', prefix: 'ulmus/A_1/' },
        ...{ region: 'us-east-1', endpoint: 'http://127.0.0.1:9000' },
      },
    },
  ],
  [
    { ...oidc, OIDC_ISSUER: 'http://localhost:9000' },
    { oidc: { issuer: 'http://localhost:9000', clientId: 'ulmus' } },
  ],
  [
    { ...oidc, OIDC_ISSUER: 'https://login.example/a/.well-known/openid-configuration' },
    { oidc: { issuer: 'https://login.example/a' } },
  ],
  [{ ...oidc, OIDC_ISSUER: 'https://login.example/a/' }, { oidc: { issuer: 'https://login.example/a/' } }],
])('%j', (env, wanted) => {
  expect(readConfig(env)).toMatchObject(wanted)
})

test.each<[Record<string, string>, string]>([
  [{ PORT: 'x' }, 'PORT'],
  [{ PORT: '65536' }, 'PORT'],
  [{ PORT: '-1' }, 'PORT'],
  [{ PORT: '4000.5' }, 'PORT'],
  [{ PUBLIC_URL: 'registry.example' }, 'PUBLIC_URL'],
  [{ PUBLIC_URL: 'http://localhost/path' }, 'PUBLIC_URL'],
  [{ SESSION_DAYS: '0' }, 'SESSION_DAYS'],
  [{ OBJECT_STORE: '/var/objects' }, 'OBJECT_STORE'],
  [{ OBJECT_STORE: 's3://' }, 'OBJECT_STORE'],
  [{ OBJECT_STORE: 's3://Bucket' }, 'the bucket is "Bucket": its name must have 3 to 63 characters'],
  [{ OBJECT_STORE: 's3://b' }, 'OBJECT_STORE must be like s3://bucket'],
  [{ OBJECT_STORE: 's3://b' }, 'the bucket is "b": its name must have 3 to 63 characters'],
  [{ OBJECT_STORE: 's3://bucket/a/../b' }, 'the prefix has ".."'],
  [{ OBJECT_STORE: 's3://bucket/a//b' }, 'OBJECT_STORE'],
  [{ OBJECT_STORE: 's3://bucket' }, 'AWS_REGION'],
  [{ OBJECT_STORE: 's3://bucket', AWS_REGION: 'Europe (Frankfurt)' }, 'AWS_REGION'],
  [{ OBJECT_STORE: 's3://bucket', S3_ENDPOINT: '127.0.0.1:9000' }, 'S3_ENDPOINT'],
  [{ OBJECT_STORE: 's3://bucket', S3_ENDPOINT: 'http://key:secret@host' }, 'S3_ENDPOINT'],
  [{ S3_ENDPOINT: 'http://127.0.0.1:9000' }, 'S3_ENDPOINT'],
  [
    { OBJECT_STORE: 's3://bucket', AWS_REGION: 'us-east-1', MAX_FILE_BYTES: '1000000000000' },
    'MAX_FILE_BYTES',
  ],
  [{ RATE_LIMIT: 'yes' }, 'RATE_LIMIT'],
  [{ RATE_LIMIT_ANONYMOUS: '0' }, 'RATE_LIMIT_ANONYMOUS'],
  [{ MAX_CONNECTIONS: '15' }, 'MAX_CONNECTIONS'],
  [{ TRUST_PROXY: 'all' }, 'TRUST_PROXY=all would let any client name an address'],
  [{ TRUST_PROXY: 'true' }, 'Set it to the number of proxies'],
  ...[
    ...['yes', '0', '11', '-1', '1.5', '999.0.0.1', '10.0.0', '010.0.0.1', '10.0.0.1:80', 'proxy.example'],
    ...[
      '10.0.0.0/33',
      '10.0.0.0/0',
      '0.0.0.0/1',
      '10.0.0.0/x',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/255.0.0.0',
    ],
    ...['::/0', '2001:db8::/129', '1::2::3', 'fe80::1%eth0', '::ffff:10.0.0.0/104'],
    ...['1,10.0.0.0/8', 'off,loopback', 'loopback,', 'loopback,all', 'loopback;10.0.0.1'],
  ].map((text): [Record<string, string>, string] => [
    { TRUST_PROXY: text },
    'TRUST_PROXY must be off, the number of proxies in a row (1 to 10), or addresses of proxies with commas between, such as 10.0.0.0/8,loopback (masks from /8, IPv6 from /7)',
  ]),
  ...['1G', '10 gigabytes', '1.5', 'GB', '-1', '0', '1e3', '2000000GB'].map(
    (size): [Record<string, string>, string] => [{ MAX_FILE_BYTES: size }, '512MB, 10GB or 10GiB'],
  ),
  [{ SITE_NAME: 'x'.repeat(61) }, 'SITE_NAME'],
  [{ SITE_LINKS: 'Imprint' }, 'SITE_LINKS must be names'],
  [{ SITE_LINKS: 'Imprint=javascript:alert(1)' }, 'SITE_LINKS must be names'],
  ...[
    ...['data', 'javascript:alert(1)', 'mailto:', 'mailto:data', 'mailto:mailto:a@b.example'],
    ...['mailto:a@b.example?cc=c@d.example', 'a@b.example,c.example', 'mailto:https://a.example'],
  ].map((contact): [Record<string, string>, string] => [{ CONTACT: contact }, 'CONTACT must be']),
  [{ SMTP_URL: 'smtp://127.0.0.1' }, 'MAIL_FROM is not set, but SMTP_URL is'],
  [{ MAIL_FROM: 'a@b.example' }, 'SMTP_URL is not set, but MAIL_FROM is'],
  ...['data', 'a@b, c@d.example', 'A <a@b.example>', 'a\n@b.example'].map(
    (from): [Record<string, string>, string] => [
      { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: from },
      'MAIL_FROM must be an e-mail address',
    ],
  ),
  [{ SITE_COLOR: 'green' }, 'SITE_COLOR must be'],
  [{ SITE_LOGO: '/absent.svg' }, 'SITE_LOGO is /absent.svg, which cannot be read: there is no such file'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
  [{ ROLES: 'worker' }, 'ROLES'],
  [{ ROLES: 'api,cook' }, 'ROLES'],
  [{ OIDC_ISSUER: 'https://x.example' }, 'OIDC_CLIENT_ID'],
  [{ ...oidc, OIDC_ISSUER: 'http://login.example' }, 'OIDC_ISSUER'],
  [{ ...oidc, OIDC_ISSUER: 'login' }, 'OIDC_ISSUER'],
  [{ NODE_ENV: 'production' }, 'OIDC_ISSUER'],
  [{ HOST: '0.0.0.0' }, 'OIDC_ISSUER'],
  ...['localhost:5106', 'http://localhost', '[::1]', '127.0.0.1/8', 'a b', '-', '*'].map(
    (host): [Record<string, string>, string] => [
      { ...oidc, HOST: host },
      `HOST is ${host}, which is not an address or a name of this machine (the port goes into PORT). Unset HOST`,
    ],
  ),
  [{ HOST: '::' }, 'HOST=127.0.0.1'],
  [{ PUBLIC_URL: 'https://registry.example' }, 'PUBLIC_URL'],
])('%j stops the start and names %s', (env, name) => {
  expect(() => readConfig(env)).toThrow(ConfigError)
  expect(() => readConfig(env)).toThrow(name)
})

test('a DATABASE_URL of another kind is refused without being shown', () => {
  expect(() => readSecrets({ DATABASE_URL: 'mysql://u:hunter2@h/d' })).toThrow(/^DATABASE_URL must be/)
  expect(() => readSecrets({ DATABASE_URL: 'mysql://u:hunter2@h/d' })).not.toThrow(/hunter2/)
})

test.each([
  'postgres://u:p%zz@h/d',
  'postgres://u:p%@h/d',
  'postgres://u:p@h:port/d',
  'postgres://u:p#x@h/d',
  'postgres://u:12#x@h/d',
  'postgres://u:12/x@h/d',
  'postgres://u:12?x@h/d',
  'h/d',
])('a DATABASE_URL that cannot be taken apart is refused: %s', (url) => {
  expect(() => readSecrets({ DATABASE_URL: url })).toThrow(/^DATABASE_URL must be like .*percent-encoded/)
})

test.each([
  'postgres://u:p@a,b/d',
  'postgres://u:p@a:5432,[::1]:5433/d?target_session_attrs=read-write&sslmode=disable',
  'postgres://u:p@a/d?target_session_attrs=primary',
  'postgres://u:p%23x@a/d?user=u@a',
])('a DATABASE_URL is taken: %s', (url) => {
  expect(readSecrets({ DATABASE_URL: url }).databaseUrl).toBe(url)
})

test.each([
  ['postgres://u:p@a,b:port/d', /^DATABASE_URL must be like/],
  ['postgres://u:p@a/d?sslmode=required', /^sslmode in DATABASE_URL must be one of disable, /],
  ['postgres://u:p@a,b/d?target_session_attrs=any', /^DATABASE_URL: target_session_attrs must be read-write/],
])('a DATABASE_URL is refused with the reason: %s', (url, sentence) => {
  expect(() => readSecrets({ DATABASE_URL: url })).toThrow(ConfigError)
  expect(() => readSecrets({ DATABASE_URL: url })).toThrow(sentence)
})

test.each([
  ['postgres://u:p@db.example/d', 'db.example'],
  ['postgres://u:p@127.0.0.1,10.0.0.2/d', '10.0.0.2'],
  ['postgres://u@/d?host=db.example&password=p', 'db.example'],
  ['postgres://u:p@localhost,[::1]/d', undefined],
  ['postgres://u@db.example/d', undefined],
  ['postgres://u:p@db.example/d?sslmode=disable', undefined],
  ['postgres://u:p@db.example/d?sslmode=verify-full', undefined],
  ['postgres://u:p@/d?host=/run/postgresql', undefined],
])('%s sends data unencrypted to %s', (url, host) => {
  expect(unencryptedHost(url)).toBe(host)
})

test.each([
  ['localhost', true],
  ['127.8.9.1', true],
  ['[::1]', true],
  ['::1', true],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.1', false],
])('isLoopback(%s) is %s', (host, answer) => {
  expect(isLoopback(host)).toBe(answer)
})

test('keys of the bucket come in pairs and stay secret', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const store = { OBJECT_STORE: 's3://bucket' }
  expect(readSecrets({ ...keys, ...store }).s3Keys).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret' })
  expect(readSecrets({ ...keys, ...store, AWS_SESSION_TOKEN: 't' }).s3Keys).toMatchObject({
    sessionToken: 't',
  })
  expect(readSecrets(store).s3Keys).toBeUndefined()
  expect(readSecrets({ AWS_ACCESS_KEY_ID: 'id' }).s3Keys).toBeUndefined()
  expect(() => readSecrets({ ...store, AWS_ACCESS_KEY_ID: 'id' })).toThrow(/AWS_SECRET_ACCESS_KEY/)
  for (const wrong of ['two words', 'kéy', 'two\nlines']) {
    expect(() => readSecrets({ ...keys, ...store, AWS_ACCESS_KEY_ID: wrong })).toThrow(
      /^AWS_ACCESS_KEY_ID must/,
    )
    expect(() => readSecrets({ ...keys, ...store, AWS_SESSION_TOKEN: wrong })).toThrow(
      /^AWS_SESSION_TOKEN must/,
    )
  }
})
