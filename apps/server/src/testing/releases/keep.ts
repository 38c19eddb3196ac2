/** `npm run release:keep`: stores the present release for the tests that upgrade it, use its programs and compare its API. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepRelease, releasesFolder } from '@ulmus/registry/testing/releases'
import { version } from '../../build.ts'
import { startProcess } from '../server-process.ts'
import { packFolder, readAnswers, writePacked } from './kept.ts'
import { people, publishAll } from './publish-all.ts'

const root = join(import.meta.dirname, '../../../../..')
const into = join(releasesFolder, version)
const scratch = mkdtempSync(join(tmpdir(), 'ulmus-keep-'))

const run = (program: string, args: readonly string[], env: Record<string, string> = {}) =>
  execFileSync(program, args, { cwd: scratch, stdio: 'ignore', env: { ...process.env, ...env } })

/** Publishes with this release's server and command line, and stores what they made. */
async function fillMore(dataFolder: string): Promise<void> {
  const packages = join(scratch, 'packages')
  run(process.execPath, [join(root, 'release/downloads.ts'), packages])
  const tarball = (name: string) => readdirSync(packages).find((file) => file === `${name}-${version}.tgz`)!
  const server = await startProcess({ DATA_DIR: dataFolder })
  try {
    const key = await publishAll(server.url)
    run('tar', ['-xzf', join(packages, tarball('ulmus')), '-C', scratch])
    const env = { HOME: scratch, ULMUS_HOST: server.url, ULMUS_TOKEN: key }
    run(process.execPath, [join(scratch, 'package/lib/ulmus.js'), 'clone', people.cities], env)
    packFolder(join(scratch, 'cities'), join(into, 'working-folder.tar.zst'))
    writePacked(join(into, 'answers.json.zst'), { key, answers: await readAnswers(server.url, key) })
    const api = await fetch(`${server.url}/api/openapi.json`)
    writePacked(join(into, 'openapi.json.zst'), await api.json())
  } finally {
    await server.end('SIGTERM')
  }
  // A cache, and a file that only reserves space.
  for (const name of ['tables', 'database/ballast'])
    rmSync(join(dataFolder, name), { recursive: true, force: true })
  packFolder(dataFolder, join(into, 'data.tar.zst'))
  for (const name of ['ulmus', 'ulmus-client'])
    renameSync(join(packages, tarball(name)), join(into, `${name}.tgz`))
}

/** A tagged release is what others run: it is never replaced. */
if (execFileSync('git', ['tag', '--list', `v${version}`], { cwd: root, encoding: 'utf8' }).trim() !== '')
  throw new Error(
    `${version} is released (tag v${version}). Name the next version in the package.json files.`,
  )
rmSync(into, { recursive: true, force: true })
try {
  await keepRelease(version, into, fillMore)
  process.stdout.write(`Wrote packages/registry/releases/${version}.\n`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
