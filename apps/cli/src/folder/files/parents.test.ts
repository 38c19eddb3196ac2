/** A damaged, hostile or foreign `.ulmus` in a parent folder. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openPerson, type Person } from '../../testing/cli.ts'
import { subjectOf } from '../../testing/subject.ts'
import { findRoot } from './layout.ts'

let server: Server
let person: Person
beforeAll(async () => {
  server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-resource': subjectOf(request) })
    const [, , , ownerSlug, slug] = request.url!.split('/')
    const isVersion = request.url?.includes('/versions') === true
    response.end(
      JSON.stringify(isVersion ? version : { ownerSlug, slug, name: request.url, latestVersion: null }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  person = openPerson(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterEach(() => {
  person.dispose()
  vi.restoreAllMocks()
})

const version = {
  semver: 'v1.0.0',
  hash: `public:${'0'.repeat(64)}`,
  metadata: {},
  schemas: {},
  typeCounts: {},
  recordCount: 0,
  fileCount: 0,
}
/** Ways to damage the `.ulmus` at a path, and the error of a command that needs it. */
const damages: Record<string, { damage: (path: string) => void; said: string }> = {
  'a link': { damage: (path) => symlinkSync('/etc', path), said: 'is a symbolic link' },
  'a file': { damage: (path) => writeFileSync(path, 'garbage'), said: 'is a file, but must be a folder' },
  'a named pipe': { damage: (path) => void spawnSync('mkfifo', [path]), said: 'is a named pipe' },
  'a folder of garbage': {
    damage: (path) => {
      mkdirSync(path)
      writeFileSync(join(path, 'folder.json'), 'garbage')
    },
    said: 'is damaged: it is not JSON',
  },
  'a folder of a link': {
    damage: (path) => {
      mkdirSync(path)
      symlinkSync('/etc/passwd', join(path, 'folder.json'))
    },
    said: 'is a symbolic link',
  },
}

test.skipIf(process.platform === 'win32').each(Object.keys(damages))(
  'that is %s matters only to a reference that needs it',
  async (name) => {
    const { damage, said } = damages[name]!
    damage(join(person.home, '.ulmus'))
    for (const args of [
      ['show', 'eve/data'],
      ['show', 'eve/data@v1.0.0'],
      ['open', 'eve/data#T'],
      ['get', 'eve/data', '--ndjson'],
      ['export', 'eve/data'],
      ['diff', 'eve/data@v1.0.0', 'eve/data@v1.0.0'],
    ]) {
      const ended = await person.ulmus('below', ...args)
      expect([args, ended.said]).not.toEqual([args, expect.stringMatching(/\.ulmus/)])
      if (args[0] !== 'diff' && args[0] !== 'get') expect([args, ended.code]).toEqual([args, 0])
    }
    for (const args of [['show'], ['show', '@v1.0.0'], ['status']]) {
      const ended = await person.ulmus('below', ...args)
      expect([args, ended.said]).toEqual([args, expect.stringContaining(said)])
      expect(ended.code).toBeGreaterThan(0)
    }
  },
)

test.skipIf(process.getuid === undefined)('that belongs to another user is passed over', async () => {
  const state = { format: 1, host: null, collection: 'eve/data' }
  const folders = [person.home, join(person.home, 'near/nearest')]
  for (const folder of folders) {
    mkdirSync(join(folder, '.ulmus'), { recursive: true })
    writeFileSync(join(folder, '.ulmus/folder.json'), JSON.stringify(state))
  }
  const below = join(person.home, 'near/nearest')
  expect(findRoot(below)).toBe(below)
  const user = process.getuid!()
  const getuid = vi.spyOn(process as Required<NodeJS.Process>, 'getuid').mockReturnValue(user + 1)
  expect(findRoot(below)).toBeUndefined()
  const refused = await person.ulmus('near/nearest', 'show', '@v1.0.0')
  expect(refused).toMatchObject({ code: 2 })
  const status = await person.ulmus('near/nearest', 'status')
  expect(status).toMatchObject({ code: 1 })
  expect(status.said).toContain(`${join(below, '.ulmus')} belongs to another user, so ulmus does not use it.`)
  // Root may use folders of other users, for example in containers.
  getuid.mockReturnValue(0)
  expect(findRoot(below)).toBe(below)
  rmSync(join(below, '.ulmus'), { recursive: true })
  expect(findRoot(below)).toBe(person.home)
})
