import { defineConfig } from 'vitest/config'

/** What needs no database does not wait for one. */
const pure = ['packages/content', 'packages/wire', 'packages/client', 'house', 'demo'].map(
  (folder) => `${folder}/**/*.test.ts`,
)

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'pure', include: pure } },
      {
        extends: true,
        test: {
          name: 'databases',
          include: ['{packages,apps,house,bench,demo}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...pure],
          globalSetup: 'packages/storage/src/testing/global-setup.ts',
        },
      },
    ],
  },
})
