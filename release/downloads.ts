/** `node release/downloads.ts FOLDER`: builds the packages that a server from these sources serves at `/downloads`. */
import { makeDeclarations } from './declarations.ts'
import { makePackage } from './make.ts'
import { served } from './packages.ts'

const [to] = process.argv.slice(2)
if (to === undefined) throw new Error('Name the folder for the packages.')
makeDeclarations()
for (const one of served) await makePackage(one, to, { tarballs: [] })
