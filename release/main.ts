/** `npm run release`: builds the published packages in `dist/` or another folder, each as a folder and as a tarball of `npm pack`. */
import { mkdirSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { makeDeclarations } from './declarations.ts'
import { makePackage } from './make.ts'
import { released } from './packages.ts'
import { root } from './workspace.ts'

const dist = resolve(process.argv[2] ?? join(root, 'dist'))
rmSync(dist, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })
makeDeclarations()
const tarballs: string[] = []
for (const one of released) {
  const tarball = await makePackage(one, dist, { tarballs: [...tarballs] })
  tarballs.push(tarball)
  process.stdout.write(`${relative(root, tarball)}\n`)
}
