import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { isFast } from './packages/content/src/testing/runs.ts'
import { folderVariable, recordingPlugin } from './packages/storage/src/testing/rows/recorded.ts'

/** Tests that need no database do not wait for one. */
const pure = [
  'packages/content',
  'packages/wire',
  'packages/client',
  'packages/tabular',
  'house',
  'faults',
].map((folder) => `${folder}/**/*.test.ts`)

/** The same: files that name no helper of a `testing` folder, through which alone a test gets a database. */
const withoutHelpers = globSync('{packages/{registry,storage},apps}/*/**/*.test.ts', {
  cwd: import.meta.dirname,
  // They look at processes of their own, and at sockets that end with a process.
  exclude: [
    '**/node_modules/**',
    '**/*.{slow,long}.test.ts',
    'apps/web/src/readme/readme.test.ts',
    'apps/server/src/plugins/requests/connections.test.ts',
  ],
}).filter((file) => !/\btesting['/]/.test(readFileSync(new URL(file, import.meta.url), 'utf8')))

/** Left out by `npm run test:fast`. */
const withProcesses = ['packages/tabular/src/{workbook,processes/*}.test.ts']

/** Bundles the release, which takes ten seconds. */
const bundled = 'house/licences.test.ts'
/** Kills, an S3 server, browsers, other people's tools. */
const slow = ['{packages,apps,bench,demo,release,faults}/**/*.slow.test.ts']
/** Tests that take minutes and need an idle machine: load, memory, the event loop. */
const long = ['{packages,apps,bench}/**/*.long.test.ts']
/**
 * Tests that take minutes and depend on few folders: `FULL=1` runs all, `FULL="release cities"` these. Without `FULL`, all run but the
 * longest. Slow tests that are not here depend on everything, and run for every change: kills, damage, hidden data, load, a visit.
 */
const ofFewFolders = {
  release: ['release/{release,image,artifacts,deployment}.slow.test.ts'],
  credentials: ['packages/storage/src/blobs/s3/credentials.slow.test.ts'],
  buckets: [
    'packages/storage/src/blobs/s3/{store,full}.slow.test.ts',
    'apps/server/src/object-store.slow.test.ts',
  ],
  embedded: ['packages/storage/src/{database/embedded/database,full-disk}.slow.test.ts'],
  backups: [
    'packages/registry/src/{backups/*,stores/installation,version-log/restored}.slow.test.ts',
    'apps/server/src/backup-commands.slow.test.ts',
  ],
  faults: ['faults/planted.slow.test.ts'],
  soak: ['bench/soak.long.test.ts'],
  cities: ['packages/tabular/src/cities.long.test.ts'],
  hostile: ['bench/hostile-content.long.test.ts'],
  sql: [
    'apps/server/src/tables/attacks.slow.test.ts',
    'apps/server/src/routes/versions/costly-sql.slow.test.ts',
  ],
  tables: [
    'apps/server/src/tables/{killed,two-servers}.slow.test.ts',
    'packages/registry/src/tables/engine/full-disk.slow.test.ts',
    'bench/tables.slow.test.ts',
  ],
  pages: [
    'apps/server/src/web/{hostile,second-csv,downloaded-csv,use-it,workbooks,record-maps}.slow.test.ts',
    'apps/server/src/browser.slow.test.ts',
  ],
  documents: [
    'apps/server/src/docs/*.slow.test.ts',
    'apps/server/src/openapi/reference.slow.test.ts',
    'apps/server/src/routes/versions/verdicts.slow.test.ts',
    'demo/main.slow.test.ts',
  ],
  cli: ['apps/cli/src/**/*.slow.test.ts'],
  process: [
    'apps/server/src/{signals,idle-connections,idle-streams,quiet}.slow.test.ts',
    'apps/server/src/plugins/requests/slow-peers.slow.test.ts',
  ],
}
const longest = ['release', 'credentials', 'faults', 'soak', 'cities', 'hostile', 'sql']
const full =
  process.env['FULL']?.split(' ') ?? Object.keys(ofFewFolders).filter((name) => !longest.includes(name))
const leftOut = Object.entries(ofFewFolders).flatMap(([name, files]) =>
  full.includes('1') || full.includes(name) ? [] : files,
)
const globalSetup = 'packages/storage/src/testing/global-setup.ts'

export default defineConfig({
  plugins: process.env[folderVariable] === undefined ? [] : [recordingPlugin],
  test: {
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './house/slowest-files.ts'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // A busy machine takes longer for what takes milliseconds here.
    expect: { poll: { timeout: 15_000 } },
    // As `npm start` keeps it: threads that tests start need not compile what others have.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/ulmus', import.meta.url)) },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: isFast ? pure : [...pure, ...withoutHelpers],
          exclude: ['**/node_modules/**', bundled, ...slow, ...long, ...(isFast ? withProcesses : [])],
          // These tests share no state, so files of one worker can share their imports: a third less CPU.
          isolate: false,
          pool: 'threads',
        },
      },
      {
        extends: true,
        test: {
          name: 'databases',
          include: ['{packages,apps,house,bench,demo,faults}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...pure, ...withoutHelpers, ...slow, ...long],
          globalSetup,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: slow,
          exclude: ['**/node_modules/**', ...leftOut],
          globalSetup,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: long,
          exclude: ['**/node_modules/**', ...leftOut],
          maxWorkers: 1,
        },
      },
    ],
  },
})
