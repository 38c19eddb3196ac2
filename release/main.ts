/** `npm run release`: makes in `dist/` the packages that are published, each as a folder and as what `npm pack` makes of it. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import { makeDeclarations } from './declarations.ts'
import { type Released, released } from './packages.ts'
import { type Manifest, manifestAt, root, versionsOf } from './workspace.ts'

const dist = join(root, 'dist')

/** `@ulmus/server` lies in `dist/server`, `ulmus` in `dist/ulmus`. */
const folderOf = (name: string): string => join(dist, name.replace('@ulmus/', ''))

async function make(one: Released): Promise<string> {
  const { name, version, license } = manifestAt(one.folder)
  const to = folderOf(name)
  const lib = join(to, 'lib')
  const { target, platform, banner, entries } = one
  const { imported, folders } = await bundle({ entries, outdir: lib, target, platform, banner })
  const unfilled = [...folders].filter((folder) => one.folders[folder] === undefined)
  if (unfilled.length > 0)
    throw new Error(`Say in release/packages.ts how ${unfilled} is filled for ${name}.`)
  for (const [folder, fill] of Object.entries(one.folders)) await fill(join(to, folder.split('/').at(-1)!))
  await one.types?.(lib)
  for (const file of ['LICENSE', join(one.folder, 'README.md')])
    cpSync(join(root, file), join(to, file.split('/').at(-1)!))
  for (const program of Object.values((one.fields['bin'] ?? {}) as Record<string, string>))
    chmodSync(join(to, program), 0o755)
  writeManifest(to, one, { name, version, license }, imported)
  return to
}

function writeManifest(
  to: string,
  { description, keywords, node, fields, needs, optional, folders }: Released,
  { name, version, license }: Manifest,
  imported: ReadonlySet<string>,
): void {
  const needed = versionsOf([...imported, ...needs])
  const manifest = {
    name,
    version,
    description,
    keywords,
    license,
    type: 'module',
    ...fields,
    files: ['lib', ...Object.keys(folders).map((folder) => folder.split('/').at(-1))],
    engines: { node },
    dependencies: needed.dependencies,
    optionalDependencies: { ...needed.optionalDependencies, ...optional },
    publishConfig: { access: 'public' },
  }
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
makeDeclarations()
for (const one of released) {
  const folder = await make(one)
  const [tarball] = execFileSync('npm', ['pack', '--silent', '--pack-destination', dist], {
    cwd: folder,
    encoding: 'utf8',
  }).split('\n')
  process.stdout.write(`dist/${tarball}\n`)
}
