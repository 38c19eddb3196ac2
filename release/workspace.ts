/** Packages of this repository, and the versions of their dependencies. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

export const root = normalize(join(import.meta.dirname, '..'))

export type Versions = Readonly<Record<string, string>>

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dependencies?: Versions
  readonly optionalDependencies?: Versions
}

export const manifestAt = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest

const manifests = globSync('{packages,apps}/*', { cwd: root })
  .filter((folder) => existsSync(join(root, folder, 'package.json')))
  .map(manifestAt)

/** `@aws-sdk/client-s3` of `@aws-sdk/client-s3/x`. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

export interface Needed {
  readonly dependencies: Record<string, string>
  readonly optionalDependencies: Record<string, string>
}

/** Exact versions declared by the packages of this repository. @throws Error for a package that none of them declares */
export function versionsOf(names: Iterable<string>): Needed {
  const needed: Needed = { dependencies: {}, optionalDependencies: {} }
  for (const name of [...new Set(names)].sort()) {
    const always = manifests.flatMap(({ dependencies }) => dependencies?.[name] ?? [])
    const perhaps = manifests.flatMap(({ optionalDependencies }) => optionalDependencies?.[name] ?? [])
    const [version, ...others] = new Set([...always, ...perhaps])
    if (version === undefined || others.length > 0)
      throw new Error(
        `Declare one version of ${name} in a package.json: it is ${version ?? 'none'} ${others}.`,
      )
    const list = always.length > 0 ? needed.dependencies : needed.optionalDependencies
    list[name] = version
  }
  return needed
}
