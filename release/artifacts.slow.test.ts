/** Files of `npm run release:artifacts`: the documented commands verify them, and reject changed ones. */
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const place = mkdtempSync(join(tmpdir(), 'ulmus-artifacts-test-'))
const to = join(place, 'artifacts')
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** The commands of docs/install.md below the heading, without comments. */
const [, documented = ''] =
  /^## Check a download$[\s\S]*?```sh\n([\s\S]*?)```/m.exec(
    readFileSync(join(root, 'docs/install.md'), 'utf8'),
  ) ?? []
const check = () => spawnSync('sh', ['-ec', documented], { cwd: to, encoding: 'utf8' })

const keyOf = (name: string): string => {
  const key = join(place, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', key])
  return key
}
const trust = (key: string) =>
  writeFileSync(
    join(to, 'ulmus-signers'),
    `ulmus namespaces="ulmus-release" ${readFileSync(`${key}.pub`, 'utf8')}`,
  )

test('tarballs, the list of packages, sums and a signature, which the documented commands verify', {
  timeout: 900_000,
}, () => {
  const key = keyOf('release')
  execFileSync(process.execPath, ['release/artifacts.ts', '--key', key, '--to', to], { cwd: root })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const tarballs = ['ulmus', 'ulmus-client', 'ulmus-content', 'ulmus-server'].map(
    (name) => `${name}-${version}.tgz`,
  )
  const bill = `ulmus-server-${version}.cdx.json`
  expect(readdirSync(to).sort()).toEqual(['SHA256SUMS', 'SHA256SUMS.sig', bill, ...tarballs].sort())
  expect(readFileSync(join(to, 'SHA256SUMS'), 'utf8').match(/^[0-9a-f]{64} {2}\S+$/gm)).toHaveLength(5)

  const text = readFileSync(join(to, bill), 'utf8')
  const { bomFormat, components } = JSON.parse(text) as {
    bomFormat: string
    components: { name: string; version: string; licenses: unknown; hashes: unknown }[]
  }
  expect(bomFormat).toBe('CycloneDX')
  const { dependencies } = JSON.parse(
    execFileSync('tar', ['-xzOf', join(to, `ulmus-server-${version}.tgz`), 'package/package.json'], {
      encoding: 'utf8',
    }),
  ) as { dependencies: Record<string, string> }
  expect(components).toEqual(
    expect.arrayContaining(
      Object.entries({ ...dependencies, '@ulmus/server': version }).map(([name, version]) =>
        expect.objectContaining({ name, version, licenses: expect.anything(), hashes: expect.anything() }),
      ),
    ),
  )
  expect(text).not.toContain(place)

  trust(key)
  expect(check()).toMatchObject({ status: 0 })
  trust(keyOf('stranger'))
  expect(check().status).not.toBe(0)
  trust(key)
  appendFileSync(join(to, tarballs[0]!), 'more')
  expect(check().status).not.toBe(0)
  appendFileSync(join(to, 'SHA256SUMS'), '\n')
  expect(check().stderr + check().stdout).toMatch(/incorrect signature|Could not verify/i)
})

test('without a key nothing is made', () => {
  const { status, stderr } = spawnSync(process.execPath, ['release/artifacts.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(status).toBe(2)
  expect(stderr).toContain('--key FILE')
})
