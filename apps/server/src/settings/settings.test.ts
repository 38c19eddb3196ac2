import { chmodSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../commands.ts'
import { readConfig, readSecrets } from '../config.ts'
import { misspeltIn } from './effective.ts'
import { readFiles } from './files.ts'
import { settingWarnings } from './warnings.ts'

const oidc = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'ulmus', OIDC_CLIENT_SECRET: 's' }
const mail = { SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'data@mail.example' }
const server = { DATABASE_URL: 'postgres://u:p@db.example/d?sslmode=verify-full' }

async function printed(environment: Record<string, string>, ...args: string[]) {
  const said = { out: '', err: '' }
  const code = await runCommand(['config', ...args], {
    environment,
    out: (text) => {
      said.out += text
    },
    err: (text) => {
      said.err += text
    },
  })
  const lines = said.out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/).map((part) => part.trim()))
  return { code, ...said, lines }
}

test.each([
  ['QUOTA_BYTE', 'QUOTA_BYTES'],
  ['QOUTA_BYTES', 'QUOTA_BYTES'],
  ['BYTES_QUOTA', 'QUOTA_BYTES'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['ULMUS_DATABASE_URL', 'DATABASE_URL'],
  ['OIDC_SECRET', 'OIDC_CLIENT_SECRET'],
  ['OIDC_ISUER', 'OIDC_ISSUER'],
  ['VERSION_LOG_KEY', 'VERSION_LOG_KEY_FILE'],
  ['AWS_SECRET_ACESS_KEY', 'AWS_SECRET_ACCESS_KEY'],
  // Plural and singular, swapped letters, a word or a unit that is missing, names of other programs.
  ...[
    ['HOSTS', 'HOST'],
    ['PORTS', 'PORT'],
    ['PROT', 'PORT'],
    ['ROLE', 'ROLES'],
    ['MEMBER', 'MEMBERS'],
    ['OPERATOR', 'OPERATORS'],
    ['ULMUS_PROT', 'PORT'],
    ['ULMUS_QUOTA', 'QUOTA_BYTES'],
    ['QUOTA', 'QUOTA_BYTES'],
    ['KEEP_DELETED', 'KEEP_DELETED_DAYS'],
    ['KEEP_DAYS', 'KEEP_DELETED_DAYS'],
    ['MAX_FILE', 'MAX_FILE_BYTES'],
    ['DATABASE', 'DATABASE_URL'],
    ['UPLOAD', 'UPLOAD_DAYS'],
    ['AUDIT', 'AUDIT_DAYS'],
    ['TRUSTED_ISSUERS', 'TRUSTED_ISSUERS_FILE'],
    ['SECRETS_KEY', 'SECRETS_KEY_FILE'],
    ['PUSH_SECONDS', 'PUSH_IDLE_SECONDS'],
    ['DISK_RESERVE', 'DISK_RESERVE_BYTES'],
    ['AWS_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'],
    ['SMTP_FROM', 'MAIL_FROM'],
    ['SMTP_HOST', 'SMTP_URL'],
    ['SMTP_PASSWORD', 'SMTP_URL'],
    ['S3_BUCKET', 'OBJECT_STORE'],
    ['SITE_URL', 'PUBLIC_URL'],
    ['SITE_COLOUR', 'SITE_COLOR'],
    ['DATADIR', 'DATA_DIR'],
    ['SITENAME', 'SITE_NAME'],
    ['BASE_URL', 'PUBLIC_URL'],
    ['ULMUS_BASE_URL', 'PUBLIC_URL'],
    ['DB_URL', 'DATABASE_URL'],
    ['ULMUS_PORT', 'PORT'],
    ['SMTP_PORT', 'SMTP_URL'],
  ],
])('%s is named, with %s', (name, meant) => {
  expect(misspeltIn({ [name]: 'x' })).toEqual([`${name} is not a setting: did you mean ${meant}?`])
})

test('a name that begins like settings and resembles none is named', () => {
  for (const name of ['OIDC_SCOPES', 'SITE_FOOTER', 'QUOTA_FILES'])
    expect(misspeltIn({ [name]: 'x' })).toEqual([
      `${name} is not a setting: docs/configuration.md lists them all.`,
    ])
})

test('variables of other programs, of the command line and of Kubernetes are not named', () => {
  const others = [
    ...['PATH', 'HOME', 'PORTAL', 'SHOST', 'SSL', 'MYSQL', 'TOKEN', 'NODE_OPTIONS'],
    ...['PGHOST', 'PGPORT', 'PGDATA', 'AWS_PROFILE', 'AWS_ROLE_ARN', 'AWS_DEFAULT_REGION', 'LOG_DIR'],
    ...['ULMUS_HOST', 'ULMUS_TOKEN', 'ULMUS_SERVICE_HOST', 'ULMUS_PORT_4000_TCP_ADDR'],
    ...['S3_PORT_9000_TCP', 'S3_SERVICE_PORT_HTTP', 'OIDC_SERVICE_HOST', 'http_proxy', 'host'],
    ...['npm_config_cache', 'INVOCATION_ID', 'LISTEN_FDS', 'NODE_COMPILE_CACHE', '__proto__'],
  ]
  const usual =
    'HOSTNAME HOSTTYPE MACHTYPE OSTYPE USER USERNAME LOGNAME SHELL SHLVL TERM TERM_PROGRAM COLORTERM COLUMNS LINES EDITOR VISUAL PAGER ' +
    'LANG LANGUAGE LC_ALL LC_CTYPE TZ PWD OLDPWD TMPDIR TEMP TMP MAIL MAILTO MAILCHECK DISPLAY SESSION SESSION_MANAGER DESKTOP_SESSION ' +
    'XDG_SESSION_ID XDG_RUNTIME_DIR XDG_DATA_DIRS XDG_CONFIG_HOME DBUS_SESSION_BUS_ADDRESS SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK ' +
    'SUDO_USER SUDO_UID LS_COLORS HISTSIZE IFS PS1 _ CI DEBUG VERBOSE VERSION BUILD RELEASE ENV ENVIRONMENT STAGE APP_ENV APP_NAME APP_VERSION ' +
    'LOG_FILE LOG_DIR LOG_PATH LOG_FORMAT RUST_LOG DATA DATA_PATH DATA_HOME CONFIG CONFIG_DIR CONFIG_FILE CACHE_DIR PUBLIC PUBLIC_DIR PUBLIC_KEY ' +
    'SECRET SECRET_KEY SECRET_KEY_BASE API_KEY API_URL APP_URL URL EVENT EVENTS_URL NAME TITLE COLOR NO_COLOR FORCE_COLOR CLICOLOR ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS YARN_VERSION NVM_DIR ' +
    'npm_config_registry npm_lifecycle_event npm_package_version PGUSER PGPASSWORD PGDATABASE PGSSLMODE PGPASSFILE POSTGRES_USER POSTGRES_DB ' +
    'POSTGRES_PASSWORD MYSQL_HOST REDIS_URL MONGO_URL AMQP_URL AWS_CONFIG_FILE AWS_WEB_IDENTITY_TOKEN_FILE AWS_SHARED_CREDENTIALS_FILE ' +
    'AWS_EXECUTION_ENV AWS_ENDPOINT_URL AWS_CONTAINER_CREDENTIALS_RELATIVE_URI AWS_EC2_METADATA_DISABLED SMTP_TLS EMAIL EMAIL_HOST SITE TABLE ' +
    'NOTIFY_SOCKET JOURNAL_STREAM MAINPID SYSTEMD_EXEC_PID CREDENTIALS_DIRECTORY STATE_DIRECTORY RUNTIME_DIRECTORY LOGS_DIRECTORY MEMORY_PRESSURE_WATCH ' +
    'KUBERNETES_SERVICE_HOST POD_NAME POD_IP NAMESPACE DOCKER_HOST CONTAINER container GITHUB_TOKEN GITLAB_CI JAVA_HOME PYTHONPATH GOPATH LD_LIBRARY_PATH ' +
    'UV_THREADPOOL_SIZE MALLOC_ARENA_MAX SSL_CERT_FILE SSL_CERT_DIR TRUST_STORE PROXY PROXY_HOST MAX_MEMORY MAX_OLD_SPACE KEEP_ALIVE README DRIVE'
  for (const name of [...others, ...usual.split(' ')])
    expect([name, misspeltIn({ [name]: 'x' })]).toEqual([name, []])
  for (const name of ['ULMUS_PORT', 'S3_PORT', 'KUBERNETES_PORT', 'SITE_PORT'])
    expect(misspeltIn({ [name]: 'tcp://10.96.0.1:443' })).toEqual([])
  expect(misspeltIn({ QUOTA_BYTE: ' ', QUOTA_BYTES: '1' })).toEqual([])
})

test('`config` prints each setting with its value and its source', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ulmus-config-'))
  const file = join(folder, 'ulmus.env')
  writeFileSync(file, 'PORT=4002\nLOG_LEVELS=warn\n')
  const { code, err, lines } = await printed({ PORT: '4001', QUOTA_BYTES: '10GB' }, '--settings', file)
  await rm(folder, { recursive: true })
  expect(code).toBe(0)
  expect(err).toBe('LOG_LEVELS is not a setting: did you mean LOG_LEVEL?\n')
  expect(lines).toContainEqual(['PORT', 'file', '4002'])
  expect(lines).toContainEqual(['QUOTA_BYTES', 'environment', '10000000000'])
  expect(lines).toContainEqual(['HOST', 'default', '127.0.0.1'])
  expect(lines).toContainEqual(['OBJECT_STORE', 'default', 'not set'])
  expect(lines).toContainEqual(['PUBLIC_URL', 'default', 'http://127.0.0.1:4002'])
  expect(new Set(lines.map(([name]) => name)).size).toBe(lines.length)
  await expect(printed({ PORT: 'x' })).rejects.toThrow('PORT must be an integer')
})

test('`config` reads a file as systemd does, and names the lines that a command with `--env-file` reads differently', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ulmus-config-'))
  const file = join(folder, 'ulmus.env')
  writeFileSync(file, 'SITE_NAME=Data # ours\nexport TRUST_PROXY=loopback\nCONTACT=https://a.example/#us\n')
  const { code, err, lines } = await printed({}, '--settings', file)
  await rm(folder, { recursive: true })
  expect(code).toBe(0)
  expect(lines).toContainEqual(['SITE_NAME', 'file', 'Data # ours'])
  expect(lines).toContainEqual(['TRUST_PROXY', 'default', 'off'])
  expect(lines).toContainEqual(['CONTACT', 'file', 'https://a.example/#us'])
  expect(err.split('\n').map((one) => one.slice(0, 24))).toEqual([
    ...['Line 1: # in SITE_NAME b', 'Line 2: systemd ignores ', 'Line 3: # in CONTACT bel'],
    ...['SITE_NAME has " #" in it', ''],
  ])
})

test('`move` names these lines too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ulmus-config-'))
  const file = join(folder, 'new.env')
  writeFileSync(file, 'SITE_NAME=Data # ours\n')
  const said: string[] = []
  await runCommand(['move', file], { environment: {}, out: () => undefined, err: (text) => said.push(text) })
  await rm(folder, { recursive: true })
  expect(said[0]).toContain(`${file}: Line 1: # in SITE_NAME belongs`)
  expect(said[1]).toContain('leaves out DATA_DIR')
})

test('`config` names misspelt settings also where another one is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ulmus-config-'))
  const file = join(folder, 'ulmus.env')
  writeFileSync(
    file,
    'DATA_DIR=/srv/data\nSITENAME=x\nOIDC_ISUER=https://login.example\nOIDC_CLIENT_ID=ulmus\n',
  )
  const said: string[] = []
  const refused = runCommand(['config', '--settings', file], {
    ...{ environment: {}, out: () => undefined, err: (text) => said.push(text) },
  })
  await expect(refused).rejects.toThrow('OIDC_ISSUER is not set, but OIDC_CLIENT_ID is')
  await rm(folder, { recursive: true })
  expect(said.sort()).toEqual([
    'OIDC_ISUER is not a setting: did you mean OIDC_ISSUER?\n',
    'SITENAME is not a setting: did you mean SITE_NAME?\n',
  ])
})

test('`config` prints the defaults that a start would find', async () => {
  const defaultsOf = async (env: Record<string, string>) =>
    Object.fromEntries((await printed(env)).lines.map(([name, , value]) => [name, value]))
  expect(await defaultsOf({ DATA_DIR: '/srv/absent' })).toMatchObject({
    SECRETS_KEY_FILE: '/srv/absent/secrets.key',
    VERSION_LOG_KEY_FILE: '/srv/absent/log.key',
    MAX_CONNECTIONS: expect.stringMatching(/^\d+$/),
    TABLES_BYTES: expect.stringMatching(/^\d+$/),
  })
  // Each of several servers would make a key of its own.
  expect(await defaultsOf(server)).toMatchObject({
    SECRETS_KEY_FILE: 'not set',
    VERSION_LOG_KEY_FILE: 'not set',
  })
})

test('`config` refuses the files that a start refuses', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ulmus-config-files-'))
  const own = ['secrets.key', 'log.key'].map((name) => join(folder, name))
  const names = ['SECRETS_KEY_FILE', 'VERSION_LOG_KEY_FILE', 'VERSION_LOG_WITNESSES_FILE']
  for (const name of [...names, 'TRUSTED_ISSUERS_FILE', 'SITE_LOGO'])
    await expect(printed({ [name]: '/absent/file' })).rejects.toThrow(
      `${name} is /absent/file, which cannot be read: there is no such file.`,
    )
  await expect(printed({}, '--settings', '/absent')).rejects.toThrow('The file of settings is /absent, which')
  writeFileSync(own[0]!, 'not a key')
  await expect(printed({ DATA_DIR: folder })).rejects.toThrow(
    `SECRETS_KEY_FILE is ${own[0]}, which must have`,
  )
  await rm(own[0]!)
  writeFileSync(own[1]!, 'not a key')
  await expect(printed({ DATA_DIR: folder })).rejects.toThrow(`VERSION_LOG_KEY_FILE is ${own[1]}, which must`)
  await rm(folder, { recursive: true })
})

test('`config` refuses a HOST that this machine does not have, and one that is no name', async () => {
  for (const HOST of ['192.0.2.7', 'absent.invalid'])
    await expect(printed({ ...oidc, HOST })).rejects.toThrow(
      new RegExp(`^HOST is ${HOST}, which is not an addr`),
    )
  for (const HOST of ['127.0.0.1', 'localhost', '0.0.0.0'])
    expect(await printed({ ...oidc, HOST })).toMatchObject({ code: 0 })
})

// Root may write to all folders.
test.skipIf(process.getuid?.() === 0)(
  '`config` refuses a DATA_DIR that this account cannot use',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ulmus-config-'))
    const env = { DATA_DIR: join(folder, 'data') }
    expect(await printed(env)).toMatchObject({ code: 0 })
    // systemd makes a folder that this account could not make.
    chmodSync(folder, 0o500)
    expect(await printed(env)).toMatchObject({ code: 0 })
    await expect(printed({ DATA_DIR: folder })).rejects.toThrow(/^DATA_DIR, .* chown -R /)
    chmodSync(folder, 0)
    await expect(printed(env)).rejects.toThrow(/^DATA_DIR, .* may not enter .* or let the account into/)
    chmodSync(folder, 0o700)
    await rm(folder, { recursive: true })
  },
)

test('`config` prints no secret', async () => {
  const { out } = await printed({
    DATABASE_URL: 'postgres://u:hunter2%40x@a:1,b:2/d?password=hunter2&sslmode=disable',
    OIDC_ISSUER: 'https://u:hunter2@login.example',
    ...{ OIDC_CLIENT_ID: 'ulmus', OIDC_CLIENT_SECRET: 'hunter2' },
    ...{ OBJECT_STORE: 's3://bucket', S3_ENDPOINT: 'http://127.0.0.1:9000' },
    ...{ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'hunter2', AWS_SESSION_TOKEN: 'hunter2' },
    OUTSIDE_PROXY: 'http://u:hunter2@proxy.example:4750',
    ...{ SMTP_URL: 'smtps://u:hunter2@mail.example', MAIL_FROM: 'u@mail.example' },
  })
  expect(out).not.toContain('hunter2')
  expect(out).toContain('postgres://u:***@a:1,b:2/d?password=***&sslmode=disable')
  expect(out).toContain('AWS_SESSION_TOKEN           environment  (set, not shown)')
})

test.each([
  [
    { ...oidc, PUBLIC_URL: 'http://data.example.org' },
    /^PUBLIC_URL is .* set it to https:\/\/data\.example\.org\.$/,
  ],
  [{ NODE_ENV: 'prod' }, /^NODE_ENV is prod, which changes nothing: .* production/],
  [{ SITE_COLOR: '' }, /^SITE_COLOR is empty, .* SITE_COLOR="#2f8f52"/],
  [
    { VERSION_LOG: 'off', DATABASE_URL: 'postgres://u:p@db.example/d' },
    /^The connection to the database on db\.example is not/,
  ],
  [
    { ...oidc, OPERATORS: 'https://login.example#ada,https://login.example/#eve' },
    /^OPERATORS names https:\/\/login\.example\/#eve, but OIDC_ISSUER is https:\/\/login\.example: (?!.*Did you mean).* exactly the issuer \(iss\).* https:\/\/login\.example\/\.well-known\/openid-configuration\.$/,
  ],
  [
    { ...oidc, OIDC_ISSUER: 'https://login.example/', OPERATORS: 'https://login.example#ada' },
    /^OPERATORS names https:\/\/login\.example#ada, but OIDC_ISSUER is https:\/\/login\.example\/: (?!.*Did you mean)/,
  ],
  [
    { ...oidc, OPERATORS: 'https://else.example#eve' },
    /^OPERATORS names https:\/\/else\.example#eve, .* Did you mean https:\/\/login\.example#eve\?/,
  ],
  [
    {
      ...oidc,
      OIDC_ISSUER: 'https://login.example/a/.well-known/openid-configuration',
      OPERATORS: 'https://login.example/a#ada',
    },
    /^OIDC_ISSUER ends with .* description: https:\/\/login\.example\/a, or the same with a slash/,
  ],
  [{ ...oidc, OPERATORS: 'urn:ulmus:development#ada' }, /^OPERATORS names urn:ulmus:development#ada, but/],
  [{ OPERATORS: 'https://login.example#ada' }, /Did you mean urn:ulmus:development#ada\?/],
  [{ OPERATOR_CLAIM: 'groups:admins' }, /^OPERATOR_CLAIM is set, but the built-in sign-in/],
  [
    { ...mail, SMTP_URL: 'smtps://mail.example:587' },
    /^SMTP_URL has smtps:\/\/ with port 587, .* use smtp:\/\//,
  ],
  [
    { ...mail, SMTP_URL: 'smtp://mail.example:465' },
    /^SMTP_URL has smtp:\/\/ with port 465, .* use smtps:\/\//,
  ],
  [{ ...mail, OUTSIDE: 'off' }, /^SMTP_URL is set, but OUTSIDE is off: no mail is sent/],
  ...['QUOTA_BYTES', 'MAX_FILE_BYTES', 'TABLES_BYTES', 'DISK_RESERVE_BYTES'].map(
    (name): [Record<string, string>, RegExp] => [
      { [name]: '10' },
      new RegExp(`^${name} is 10 B, which is probably not meant so: .* such as 10GB\\.$`),
    ],
  ),
  [{ ...server, ...mail, VERSION_LOG: 'off' }, /^SMTP_URL is set, but SECRETS_KEY_FILE is not/],
  [{ OPERATORS: 'urn:ulmus:development#a#b' }, /^OPERATORS has a#b as the subject of urn:.* Put commas/],
  [{ SITE_NAME: 'Data # ours' }, /^SITE_NAME has " #" in its value\. A comment .* needs a line of its own/],
  [{ ...oidc, OIDC_CLIENT_SECRET: 's # old' }, /^OIDC_CLIENT_SECRET has " #" in its value\. [^:]*:[^:]*\.$/],
])('%j: the start and `config` warn', async (env, sentence) => {
  const warnings = settingWarnings(env)
  expect(warnings).toEqual([expect.stringMatching(sentence)])
  expect(await printed(env)).toMatchObject({ code: 0, err: `${warnings[0]}\n` })
})

test('`config` warns that the log is not signed, as the start does with its database', async () => {
  const sentence = 'DATABASE_URL is set, but VERSION_LOG_KEY_FILE is not: the log of versions is not signed.'
  expect((await printed(server)).err).toContain(sentence)
  for (const env of [{}, { ...server, VERSION_LOG: 'off' }])
    expect(await printed(env)).toMatchObject({ code: 0, err: '' })
})

test('the start and `config` refuse a reserve larger than a disk of data, before anything is made', async () => {
  const read = (env: Record<string, string>) =>
    readFiles({ ...readConfig(env), diskReserveBytes: 1e18 }, readSecrets(env))
  const dataDir = { DATA_DIR: join(tmpdir(), 'none') }
  for (const env of [dataDir, { ...dataDir, ...server }])
    await expect(read(env)).rejects.toThrow(/^The disk of \S+ has .* in all, and DISK_RESERVE_BYTES keeps/)
  // Without data on disk the reserve says nothing.
  const keys = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  expect(await read({ ...server, OBJECT_STORE: 's3://bucket', ...keys })).toEqual([])
})

test.each([
  {},
  { QUOTA_BYTES: '1MB', MAX_FILE_BYTES: '10GB', TABLES_BYTES: '0', DISK_RESERVE_BYTES: '0' },
  { ...oidc, PUBLIC_URL: 'https://data.example.org', NODE_ENV: 'production', SITE_COLOR: '#2f8f52' },
  { ...oidc, PUBLIC_URL: 'http://registry.internal:4000', NODE_ENV: 'development' },
  { ...oidc, OPERATORS: 'https://login.example#ada', OPERATOR_CLAIM: 'groups:admins' },
  { OPERATORS: 'urn:ulmus:development#ada' },
  { SITE_NAME: 'Data #1', OTHER: 'x # y' },
  { ...mail, SMTP_URL: 'smtps://mail.example:465' },
  { ...mail, SMTP_URL: 'smtp://mail.example:587' },
  { ...mail, PUBLIC_URL: 'http://127.0.0.1:4000' },
  { ...server, ...mail, SECRETS_KEY_FILE: '/etc/ulmus/secrets.key' },
])('%j is nothing to warn of', (env) => {
  expect(settingWarnings(env)).toEqual([])
})
