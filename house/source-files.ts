/** Source files and their imports, for the tests of this folder. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export const root = normalize(join(import.meta.dirname, '..'))

/** Every hand-written TypeScript file, by its path from the root. Migrations and declarations are not ours to shape. */
export const sourceFiles: readonly string[] = globSync(
  '{packages,apps,house,bench,demo,release,faults}/**/*.{ts,tsx}',
  {
    cwd: root,
    exclude: (path) => /(?:^|\/)(?:node_modules|migrations)(?:\/|$)/.test(path),
  },
)
  .filter((path) => !path.endsWith('.d.ts'))
  .sort()

/** Tests and what serves only tests: beside the code as `*.test.ts`, `*.fixture.ts`, `*.contract.ts`, or in a `testing/` folder. */
export const isForTests = (path: string): boolean =>
  path.startsWith('house/') || /\.(?:test|fixture|contract)\.ts$|\/testing\//.test(path)

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The text of a file without its comments, so that a word in one does not count. Strings that hold `//` keep the rest of their line. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

export interface Import {
  /** The importing file. */
  readonly file: string
  /** As it is written. */
  readonly specifier: string
  /** The file of ours that it leads to; undefined for packages of others. */
  readonly target: string | undefined
  readonly typeOnly: boolean
}

const statement = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/g
const call = /\b(?:import\(\s*['"]([^'"]+)|new URL\(\s*['"]([^'"]+\.tsx?))['"]/g

/** Imports of a file: statements, dynamic imports, and files named by `new URL('./x.ts', …)` as workers are. */
export function importsOf(file: string): Import[] {
  const text = withoutComments(read(file))
  const found = [
    ...Array.from(text.matchAll(statement), ([, type, specifier = '']) => ({
      specifier,
      typeOnly: type !== undefined,
    })),
    ...Array.from(text.matchAll(call), ([, imported, named]) => ({
      specifier: imported ?? named ?? '',
      typeOnly: false,
    })),
  ]
  return found.map(({ specifier, typeOnly }) => ({
    file,
    specifier,
    target: targetOf(file, specifier),
    typeOnly,
  }))
}

function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  const own = /^@ulmus\/([^/]+)(?:\/(.+))?$/.exec(specifier)
  if (own === null) return undefined
  const folder = existsSync(join(root, `packages/${own[1]}`)) ? `packages/${own[1]}` : `apps/${own[1]}`
  const { exports } = JSON.parse(read(`${folder}/package.json`)) as {
    exports: string | Record<string, string>
  }
  const entry = typeof exports === 'string' ? exports : exports[own[2] === undefined ? '.' : `./${own[2]}`]
  return entry === undefined ? `${folder}/${own[2]}` : normalize(join(folder, entry))
}

/**
 * Files that a text names by a string, relative to its own folder or to the root: what is started or handed on by its path
 * rather than imported, such as a program that a test spawns or a script of package.json.
 */
export function filesNamedIn(file: string): string[] {
  const named = Array.from(read(file).matchAll(/['"`\s]([^\s'"`]+\.tsx?)\b/g), ([, path]) => path!)
  return named.flatMap((path) => [normalize(join(dirname(file), path)), normalize(path)])
}

/** The floor that a file stands on: `content`, `server`, `demo`. */
export function floorOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return first === 'packages' || first === 'apps' ? second : first
}
