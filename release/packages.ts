/** Released packages: their sources and additional files. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { docFiles, docPages, docPath, readAssets } from '@ulmus/web'
import { writeTypes } from './declarations.ts'
import { manifestAt, root, type Versions } from './workspace.ts'

/** Packages built before it. */
export interface Made {
  /** Paths of the packages that a server serves. */
  readonly tarballs: readonly string[]
}

export interface Released {
  /** Folder of the sources. Its package.json has the name and version; its README.md is included. */
  readonly folder: string
  readonly description: string
  readonly keywords: readonly string[]
  readonly node: string
  readonly target: string
  readonly platform: 'node' | 'neutral'
  /** First line of every file. */
  readonly banner?: string
  /** True: third-party packages are embedded, so that installation needs no other registry. */
  readonly embeds: boolean
  /** Optional packages, used if they are installed. */
  readonly beside: readonly string[]
  /** Source files from the root, by their names in `lib/`. */
  readonly entries: Readonly<Record<string, string>>
  /** Further members of package.json. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Packages that are needed but not imported. */
  readonly needs: readonly string[]
  readonly optional: Versions
  /** Functions that fill the folders beside `lib/`, including those that the program reads, by path from the root. */
  readonly folders: Readonly<Record<string, (to: string, made: Made) => void | Promise<void>>>
  /** Writes declarations beside the JavaScript. */
  readonly types?: (to: string) => Promise<void>
}

const keywords = ['ulmus', 'registry', 'data', 'versioning', 'merkle']
const alone = { embeds: true, beside: [], needs: [], optional: {}, folders: {} } as const

/** For Node and browsers. */
const forEveryone = {
  ...alone,
  node: '>=20',
  target: 'es2022',
  platform: 'neutral',
  fields: {
    sideEffects: false,
    exports: {
      '.': { types: './lib/index.d.ts', default: './lib/index.js' },
      './package.json': './package.json',
    },
    types: './lib/index.d.ts',
  },
} as const

const commandLine: Released = {
  ...alone,
  // The keychain needs native code.
  beside: ['@napi-rs/keyring'],
  folder: 'apps/cli',
  description: 'The command line of Ulmus, a registry of versioned, structured data',
  keywords: [...keywords, 'cli'],
  node: '>=20',
  target: 'node20',
  platform: 'node',
  // Embedded CommonJS code loads Node's own modules by `require`.
  banner: `#!/usr/bin/env node
import { createRequire as nodeRequire } from 'node:module'
const require = nodeRequire(import.meta.url)`,
  entries: { ulmus: 'apps/cli/src/main.ts' },
  fields: { bin: { ulmus: 'lib/ulmus.js' } },
}

/** Node as a dependency, as in the sources. */
const nodes = Object.fromEntries(
  Object.entries(manifestAt('.').optionalDependencies ?? {}).filter(([name]) => name.startsWith('node-')),
)

const server: Released = {
  embeds: false,
  beside: [],
  folder: 'apps/server',
  description: 'The server of Ulmus, a self-hosted registry for versioned, structured data',
  keywords: [...keywords, 'server', 'self-hosted'],
  // Minimum Node for the start; the package contains the Node that it runs on.
  node: '>=20',
  target: 'node24',
  platform: 'node',
  entries: { 'ulmus-server': 'apps/server/ulmus-server.js', start: 'apps/server/start.js' },
  fields: { bin: { 'ulmus-server': 'lib/ulmus-server.js' } },
  // Formatter of the log on terminals, which the logger loads by name.
  needs: ['pino-pretty'],
  optional: nodes,
  folders: {
    // Files that operators copy, as described in docs/install.md.
    deploy: (to) => {
      cpSync(join(root, 'deploy/ulmus.service'), join(to, 'ulmus.service'))
      cpSync(join(root, '.env.example'), join(to, 'ulmus.env'))
      for (const folder of ['monitoring', 'kubernetes'])
        cpSync(join(root, 'deploy', folder), join(to, folder), {
          recursive: true,
          filter: (path) => !path.includes('.test.'),
        })
    },
    docs: (to) => {
      for (const name of [...docPages.map((page) => `${page.name}.md`), ...Object.keys(docFiles)])
        cpSync(docPath(name), join(to, name))
    },
    // Packages of `/downloads`.
    downloads: (to, { tarballs }) => {
      mkdirSync(to)
      for (const tarball of tarballs) cpSync(tarball, join(to, basename(tarball)))
    },
    'packages/storage/migrations': (to) =>
      cpSync(join(root, 'packages/storage/migrations'), to, { recursive: true }),
    'apps/web/assets': async (to) => {
      mkdirSync(to)
      for (const [name, text] of await readAssets()) writeFileSync(join(to, name), text)
    },
  },
}

const client: Released = {
  ...forEveryone,
  folder: 'packages/client',
  description: 'Reads and publishes versioned data of an Ulmus registry, typed, in Node and browsers',
  keywords: [...keywords, 'client', 'api'],
  entries: { index: 'packages/client/src/index.ts', log: 'packages/client/src/log/index.ts' },
  fields: {
    ...forEveryone.fields,
    exports: {
      ...forEveryone.fields.exports,
      './log': { types: './lib/log/index.d.ts', default: './lib/log.js' },
    },
  },
  types: (to) => writeTypes('client', to, ['index', 'log/index']),
}

const content: Released = {
  ...forEveryone,
  folder: 'packages/content',
  description: 'Canonical records, hashes, trees, digests and proofs of Ulmus, in Node and browsers',
  keywords: [...keywords, 'verify', 'hash', 'proof'],
  entries: { index: 'packages/content/src/index.ts' },
  types: (to) => writeTypes('content', to, ['index']),
}

/** Packages that every server serves at `/downloads`. */
export const served: readonly Released[] = [commandLine, client, content]

export const released: readonly Released[] = [...served, server]
