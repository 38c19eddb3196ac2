/** Declaration files of the released packages. They refer only to released packages. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, normalize, relative } from 'node:path'
import { type PlainTypes, plainTypes } from './plain-types.ts'
import { root } from './workspace.ts'

/** Below the root, so that the compiler finds packages. Separate for each process. */
const made = join(root, 'node_modules/.cache', `release-types-${process.pid}`)
process.on('exit', () => rmSync(made, { recursive: true, force: true }))
const fileOf = (name: string, entry = 'index'): string => join(made, 'packages', name, 'src', `${entry}.d.ts`)

function compile(...args: readonly string[]): void {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  const program = join(dirname(compiler), 'bin/tsc')
  try {
    execFileSync(process.execPath, [program, ...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    throw new Error(`The types cannot be made:\n${(error as { stdout: string }).stdout}`)
  }
}

/** Compiles the declarations of all packages released for Node 20. @throws Error with the compiler's output */
export function makeDeclarations(): void {
  rmSync(made, { recursive: true, force: true })
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', '.']
  compile('-p', 'tsconfig.node20.json', ...emit, '--outDir', made)
}

/** Index files of the content package, which other packages import. */
const indexes: Readonly<Record<string, string>> = {
  '@ulmus/content': fileOf('content'),
  '@ulmus/content/log': fileOf('content', 'log/index'),
}

const statement =
  /^(import|export) (type )?\{([^}]*)\} from '(@ulmus\/(?:content|content\/log|wire))';|import\("(@ulmus\/(?:content|content\/log|wire))"\)\.(\w+)/gm

/**
 * Writes the declarations of a package, and those that it needs from our other packages, into a folder.
 * @param entries its public files, below `src`, without extension
 */
export async function writeTypes(
  name: 'client' | 'content',
  folder: string,
  entries: readonly string[],
): Promise<void> {
  const wanted = new Set<string>()
  const done = new Set<string>()
  const waiting = entries.map((entry) => fileOf(name, entry))
  const placeOf = (file: string): string => {
    const from = relative(join(made, 'packages'), file)
    const [floor = '', , ...path] = from.split('/')
    return join(folder, ...(floor === name ? [] : [floor]), ...path)
  }
  const wirePlace = join(folder, 'wire.d.ts')
  const specifier = (from: string, to: string): string => {
    const path = relative(dirname(from), to).replace(/\.d\.ts$/, '.js')
    return path.startsWith('.') ? path : `./${path}`
  }
  /** Declaration file of a name from another package of ours. */
  const declaring = (one: string, name: string): string => {
    if (one === '@ulmus/wire') {
      wanted.add(name)
      return wirePlace
    }
    const file = declaringFile(indexes[one]!, name)
    waiting.push(file)
    return placeOf(file)
  }
  const rewrite = (text: string, file: string): string =>
    text
      .replace(statement, (_, keyword: string, type = '', names = '', from = '', inner = '', one = '') => {
        const here = placeOf(file)
        if (inner !== '') return `import("${specifier(here, declaring(inner, one))}").${one}`
        return names
          .split(',')
          .map((part: string) => part.trim())
          .filter((part: string) => part !== '')
          .map((part: string) => {
            const [, plain = ''] = /^(?:type )?(\w+)/.exec(part)!
            return `${keyword} ${type}{ ${part} } from '${specifier(here, declaring(from, plain))}';`
          })
          .join('\n')
      })
      .replace(/(from |import\()(['"])(\.[^'"]+)\.ts\2/g, (_, before, quote, path) => {
        waiting.push(join(dirname(file), `${path}.d.ts`))
        return `${before}${quote}${path}.js${quote}`
      })

  const write = (place: string, text: string): void => {
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, text)
  }
  const writeReachable = (): void => {
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (done.has(file)) continue
      done.add(file)
      write(placeOf(file), rewrite(readFileSync(file, 'utf8'), file))
    }
  }
  writeReachable()
  if (wanted.size > 0) {
    const wire = await plainWire(wanted)
    write(wirePlace, rewrite(wire.text, join(made, 'packages', name, 'src/wire.d.ts')))
    writeReachable()
  }
}

/** Types of the wire package without zod. @throws Error if they differ from the package's own types */
async function plainWire(wanted: Iterable<string>): Promise<PlainTypes> {
  const files = globSync(join(made, 'packages/wire/src/*.d.ts'))
  const declarations = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const types = plainTypes(await import('@ulmus/wire'), declarations, wanted)
  const check = join(made, 'check')
  mkdirSync(check)
  writeFileSync(join(check, 'plain.ts'), types.text)
  const same = 'type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false\n'
  const lines = types.names.map((one) => `export const is${one}: Same<plain.${one}, wire.${one}> = true\n`)
  const imports = `import type * as wire from '@ulmus/wire'\nimport type * as plain from './plain.ts'\n`
  writeFileSync(join(check, 'same.ts'), `${imports}${same}${lines.join('')}`)
  const extended = join(root, 'tsconfig.node20.json')
  writeFileSync(
    join(check, 'tsconfig.json'),
    JSON.stringify({ extends: extended, include: ['*.ts'], exclude: [] }),
  )
  compile('-p', check)
  return types
}

/** File that declares a name exported by an index file. @throws Error if the index does not export the name */
function declaringFile(index: string, name: string): string {
  const text = readFileSync(index, 'utf8')
  const listed = Array.from(text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)\.ts';/gm))
  const inList = listed.find(([, names]) => new RegExp(`\\b${name}\\b`).test(names!))
  const files = inList
    ? [inList[2]!]
    : Array.from(text.matchAll(/^export \* from '([^']+)\.ts';/gm), ([, path]) => path!)
  const declares = new RegExp(`^export (?:declare )?(?:type|interface|const|function|class) ${name}\\b`, 'm')
  for (const path of files) {
    const file = normalize(join(dirname(index), `${path}.d.ts`))
    if (declares.test(readFileSync(file, 'utf8'))) return file
  }
  throw new Error(`Nothing declares ${name}.`)
}
