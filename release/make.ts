/** Builds one released package: a folder, and its tarball by `npm pack`. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import type { Made, Released } from './packages.ts'
import { type Manifest, manifestAt, root, versionsOf } from './workspace.ts'

/** Folder of a package: `server` for `@ulmus/server`, `ulmus` for `ulmus`. */
const folderOf = (name: string): string => name.replace('@ulmus/', '')

/** @param to folder for the package and its tarball @returns the path of the tarball */
export async function makePackage(one: Released, to: string, made: Made): Promise<string> {
  const { name, version, license } = manifestAt(one.folder)
  const folder = join(to, folderOf(name))
  const lib = join(folder, 'lib')
  const { imported, embedded, folders } = await bundle({ ...one, outdir: lib })
  const unfilled = [...folders].filter((path) => one.folders[path] === undefined)
  if (unfilled.length > 0)
    throw new Error(`Say in release/packages.ts how ${unfilled} is filled for ${name}.`)
  for (const [path, fill] of Object.entries(one.folders))
    await fill(join(folder, path.split('/').at(-1)!), made)
  await one.types?.(lib)
  for (const file of ['LICENSE', join(one.folder, 'README.md')])
    cpSync(join(root, file), join(folder, file.split('/').at(-1)!))
  if (embedded.size > 0) writeFileSync(join(folder, embeddedLicences), licencesOf(embedded))
  for (const program of Object.values((one.fields['bin'] ?? {}) as Record<string, string>))
    chmodSync(join(folder, program), 0o755)
  writeManifest(folder, one, { name, version, license }, imported)
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', to], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  return join(to, packed.trim())
}

function writeManifest(
  to: string,
  { description, keywords, node, fields, needs, optional, folders }: Released,
  { name, version, license }: Manifest,
  imported: ReadonlySet<string>,
): void {
  const needed = versionsOf([...imported, ...needs])
  const besideLib = Object.keys(folders).map((folder) => folder.split('/').at(-1))
  const manifest = {
    name,
    version,
    description,
    keywords,
    license,
    type: 'module',
    ...fields,
    files: ['lib', embeddedLicences, ...besideLib],
    engines: { node },
    dependencies: needed.dependencies,
    optionalDependencies: { ...needed.optionalDependencies, ...optional },
    publishConfig: { access: 'public' },
  }
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const embeddedLicences = 'LICENSES-OF-OTHERS.txt'

/** Licence texts of embedded packages, which must be included. @throws Error for a package without a licence text */
function licencesOf(packages: ReadonlySet<string>): string {
  const texts = [...packages].sort().map((path) => {
    const { name, version, license } = manifestAt(path)
    const file = readdirSync(join(root, path)).find((one) => /^licen[cs]e/i.test(one))
    const text =
      file === undefined ? `Under the licence ${license}.` : readFileSync(join(root, path, file), 'utf8')
    return `${name} ${version}\n\n${text.trim()}\n`
  })
  return `These packages are part of this one.\n\n${texts.join(`\n${'-'.repeat(72)}\n\n`)}`
}
