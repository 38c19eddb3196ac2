/** Documents for operators and the systemd unit match the server. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { read, root } from './source-files.ts'

interface Compose {
  readonly services: Record<string, { readonly environment?: Record<string, string> }>
  readonly configs: Record<string, { readonly content: string }>
}
interface Manifest {
  readonly kind: string
  readonly data?: Record<string, string>
}
interface Realm {
  readonly realm: string
  readonly clients: readonly unknown[]
}

const [install, monitoring, tuning] = ['install', 'monitoring', 'tuning'].map((name) =>
  read(`docs/${name}.md`),
)
const unit = read('deploy/ulmus.service')
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, name]) => name!))].sort()
const settingOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!

test('the page about monitoring has every metric of ours, and no other', () => {
  const measured = namesIn(read('apps/server/src/plugins/metrics.ts'), /'((?:ulmus|http)_[a-z_]+)'/g)
  expect(measured.length).toBeGreaterThan(5)
  expect(
    namesIn((monitoring!.match(/^\| `(?:ulmus|http)_.*? \|/gm) ?? []).join(), /`((?:ulmus|http)_[a-z_]+)`/g),
    'Keep the table of metrics in docs/monitoring.md.',
  ).toEqual(measured)
})

test('the page of organizations has every action of the audit log, and no other', () => {
  const told = namesIn(read('packages/registry/src/audit/acts.ts'), /^ {2}'([a-z_.]+)': /gm)
  expect(told.length).toBeGreaterThan(5)
  const listed = namesIn(read('docs/organizations.md'), /^\| `([a-z_]+\.[a-z_]+)` \|/gm)
  expect(listed, 'Keep the table of actions in docs/organizations.md.').toEqual(told)
})

test('a registry of every release is kept, for the test that upgrades it', () => {
  const released = namesIn(read('CHANGELOG.md'), /^## \[([^\]]+)\] - \d/gm)
  const lost = released.filter((version) => !existsSync(join(root, 'packages/registry/releases', version)))
  expect(lost, 'Before a release: `npm run release:keep`.').toEqual([])
})

test('the unit starts the program that npm links, by the Node that npm brings', () => {
  const programs = `${settingOf('WorkingDirectory')}/node_modules/.bin`
  const { bin } = JSON.parse(read('apps/server/package.json')) as { bin: Record<string, string> }
  expect(Object.keys(bin).map((name) => `${programs}/${name} start`)).toEqual([settingOf('ExecStart')])
  expect(unit).toContain(`\nEnvironment=PATH=${programs}:`)
})

test('`ulmus-server`, docs/tuning.md and `npm start` start the server alike', () => {
  const [, variables = '', command = ''] =
    /"start": "exec env (.*?) (node .*)",/.exec(read('package.json')) ?? []
  expect(variables).toContain('MALLOC_ARENA_MAX=')
  expect(tuning).toContain(`${variables} ${command}`)
  const program = read('apps/server/ulmus-server.js')
  const [, options = ''] = /^const options = \[(.*)\]$/m.exec(program) ?? []
  const [, settings = ''] = /^const variables = \{ (.*) \}$/m.exec(program) ?? []
  expect(`node ${options.replaceAll(/[',]/g, '')} apps/server/start.js`).toBe(command)
  expect(settings.replaceAll(/[',]/g, '').replaceAll(': ', '=')).toBe(variables)
})

/** Variables of the programs of others that `compose.yaml` and the image set. */
const others = /^(?:PATH|NODE_COMPILE_CACHE|(?:POSTGRES|MINIO)_[A-Z_]+)$/

test('the image and compose.yaml set what there is to be set', () => {
  const settings = namesIn(read('docs/configuration.md'), /^\|\s*`([A-Z][A-Z0-9_]*)`/gm)
  const environment = Array.from(read('Dockerfile').matchAll(/^ENV (.*)$/gm), ([, pairs]) => pairs!)
  const image = namesIn(environment.join(' '), /(?:^| )([A-Z_0-9]+)=/g)
  const services = Object.values((parse(read('compose.yaml')) as Compose).services)
  const composed = services.flatMap((service) => Object.keys(service.environment ?? {}))
  const cluster = parseAllDocuments(read('deploy/kubernetes/ulmus.yaml')).map((one) => one.toJS() as Manifest)
  const configured = Object.keys(cluster.find(({ kind }) => kind === 'ConfigMap')!.data!)
  expect(image).toContain('DATA_DIR')
  expect(composed).toContain('OIDC_ISSUER')
  const unknown = [...image, ...composed, ...configured].filter(
    (name) => !settings.includes(name) && !others.test(name),
  )
  expect(unknown, 'Name a setting of docs/configuration.md.').toEqual([])
})

test('a registry with a PostgreSQL server gets both keys, which it does not make itself', () => {
  const keys = ['SECRETS_KEY_FILE', 'VERSION_LOG_KEY_FILE']
  expect(Object.keys((parse(read('compose.yaml')) as Compose).services['ulmus']!.environment!)).toEqual(
    expect.arrayContaining(['DATABASE_URL', ...keys]),
  )
  for (const key of keys) expect(read('deploy/kubernetes/ulmus.yaml')).toContain(`\n  ${key}: `)
})

test('the image for several platforms replaces the base of the Dockerfile', () => {
  const { target } = JSON.parse(read('deploy/docker-bake.json')) as {
    target: Record<string, { contexts: Record<string, string>; platforms: string[] }>
  }
  const bases = namesIn(read('Dockerfile'), /^FROM (\S+)/gm)
  expect(Object.keys(target['default']!.contexts)).toEqual(bases)
  expect(target['default']!.platforms).toEqual(['linux/amd64', 'linux/arm64'])
})

test('the sign-in of compose.yaml fits together', () => {
  const { services, configs } = parse(read('compose.yaml')) as Compose
  const set = services['ulmus']!.environment!
  const { realm, clients } = JSON.parse(configs['realm']!.content) as Realm
  expect(set['OIDC_ISSUER']).toMatch(new RegExp(`/realms/${realm}$`))
  expect(clients).toMatchObject([
    {
      ...{ clientId: set['OIDC_CLIENT_ID'], secret: set['OIDC_CLIENT_SECRET'] },
      redirectUris: [`${set['PUBLIC_URL']}/auth/callback`],
    },
  ])
})

test('docs/install.md and the unit name the same places', () => {
  for (const place of [settingOf('WorkingDirectory'), settingOf('EnvironmentFile'), '/var/lib/ulmus'])
    expect(install).toContain(place)
  expect(settingOf('StateDirectory')).toBe('ulmus')
})
