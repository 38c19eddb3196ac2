import { expect, test } from 'vitest'
import { importsOf, isForTests, read, sourceFiles, withoutComments } from './source-files.ts'

/** They open connections to addresses that the operator gave, accept connections, or run on a user's machine. */
const others = [
  'apps/server/src/config.ts',
  'apps/server/src/config-command.ts',
  'apps/cli/src/',
  'apps/web/src/',
  'apps/server/src/plugins/',
  'apps/server/src/server.ts',
  'apps/server/src/sign-in/',
  'apps/server/src/variables/host-settings.ts',
  'packages/client/src/',
  'packages/registry/src/backups/channel.ts',
  'packages/storage/src/blobs/s3/',
  'packages/storage/src/database/silent-connections.ts',
]
const opening = /^node:(?:https?|http2|net|tls|dgram|dns|dns\/promises)$/

test('requests to addresses that users gave go through packages/registry/src/outside', () => {
  const found = sourceFiles.filter((path) => {
    const counts =
      /^(?:packages|apps)\/[^/]+\/src\//.test(path) &&
      !isForTests(path) &&
      !path.startsWith('packages/registry/src/outside/') &&
      !others.some((other) => path.startsWith(other))
    if (!counts) return false
    const opens = importsOf(path).some(({ specifier, typeOnly }) => !typeOnly && opening.test(specifier))
    return opens || /(?<![.\w])fetch\(|\b(?:WebSocket|EventSource)\(/.test(withoutComments(read(path)))
  })
  expect(
    found,
    'Use `ask`, which refuses inner addresses. Name the file here only if no user can choose the address.',
  ).toEqual([])
})
