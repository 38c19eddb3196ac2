/**
 * `npm run release:artifacts -- --key FILE`: makes what a release publishes, in `dist/artifacts`: the tarballs, a list of all packages of an
 * installed server (CycloneDX), the SHA-256 of each file, and a signature of these by an SSH key. docs/install.md says how to check them.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { manifestAt, root } from './workspace.ts'

/** Purpose of the signature, so that no other signature by the key passes for it. */
const namespace = 'ulmus-release'

const { values } = parseArgs({
  options: {
    /** Private key, or the public key of one in the agent or on a token, as `ssh-keygen -Y sign` takes it. */
    key: { type: 'string' },
    to: { type: 'string', default: join(root, 'dist/artifacts') },
  },
})
if (values.key === undefined || !existsSync(values.key)) {
  process.stderr.write('Name the SSH key that signs the release: npm run release:artifacts -- --key FILE\n')
  process.exit(2)
}
const to = resolve(values.to)
const place = mkdtempSync(join(tmpdir(), 'ulmus-artifacts-'))
try {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const packages = join(place, 'packages')
  execFileSync(process.execPath, [join(import.meta.dirname, 'main.ts'), packages], { stdio: 'inherit' })
  const tarballs = readdirSync(packages).filter((name) => name.endsWith('.tgz'))
  for (const name of tarballs) cpSync(join(packages, name), join(to, name))
  const { version } = manifestAt('apps/server')
  writeFileSync(join(to, `ulmus-server-${version}.cdx.json`), billOf(version))
  sign(values.key)
} finally {
  rmSync(place, { recursive: true, force: true })
}

/** The packages that npm installs today with a tarball, the optional ones of all platforms included. @returns CycloneDX as JSON */
function billOf(version: string): string {
  // npm names the list after the folder.
  const folder = join(place, 'ulmus-server')
  mkdirSync(folder)
  const installation = { name: 'ulmus-server', version, private: true }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(installation)}\n`)
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--package-lock-only'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      shell: process.platform === 'win32',
    })
  npm('install', '--no-audit', '--no-fund', join(to, `ulmus-server-${version}.tgz`))
  // Without the folder of this machine.
  return npm('sbom', '--sbom-format=cyclonedx', '--sbom-type=application').replaceAll(`file:${to}/`, 'file:')
}

/** Writes `SHA256SUMS`, as `sha256sum` reads it, and its signature. */
function sign(key: string): void {
  const lines = readdirSync(to)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(to, name)))
          .digest('hex')}  ${name}\n`,
    )
  const sums = join(to, 'SHA256SUMS')
  writeFileSync(sums, lines.join(''))
  execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-f', key, '-n', namespace, sums], { stdio: 'inherit' })
  process.stdout.write(`${to}: ${lines.length} files, signed\n`)
}
