/**
 * Records the texts of statements whose rows have a declared type, while tests run. The plugin rewrites `at.query<Row>(` to
 * `recorded(at, place).query<Row>(`. check.ts compares the recorded statements.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob, relative } from 'node:path'
import type { Queries } from '../../database/database.ts'

/** Environment variable with the folder for the records. */
export const folderVariable = 'STATEMENT_ROWS'
/** Maximum of texts of one place: some texts depend on the number of their values. */
const textsMax = 8

export interface Statement {
  readonly place: string
  readonly text: string
}

export const repository = join(import.meta.dirname, '../../../../..')
const typedCall = /([\w.#]+)\.(query|lookUp)</g

/** Sources whose statements are recorded, from the repository's folder. */
export const sources = 'packages/storage/src/sql/**/*.ts'
const isSource = (file: string) => matchesGlob(file, sources) && !file.endsWith('.test.ts')

const linesBefore = (code: string, offset: number) => code.slice(0, offset).split('\n').length

/** Places of typed calls, `file:line (nth of the file)`, in the order of the text. */
export const placesIn = (file: string, code: string): string[] =>
  Array.from(code.matchAll(typedCall), ({ index }, at) => `${file}:${linesBefore(code, index)} (${at + 1})`)

/** Vite's plugin, for runs with the environment variable. */
export const recordingPlugin = {
  name: 'statement-rows',
  enforce: 'pre' as const,
  transform(code: string, id: string): string | undefined {
    const file = relative(repository, id)
    const places = isSource(file) ? placesIn(file, code) : []
    if (places.length === 0) return undefined
    const rewritten = code.replace(
      typedCall,
      (_, at: string, method: string) => `__recorded(${at}, ${JSON.stringify(places.shift())}).${method}<`,
    )
    const module = JSON.stringify(join(import.meta.dirname, 'recorded.ts'))
    return `import { recorded as __recorded } from ${module};${rewritten}`
  },
}

const textsByPlace = new Map<string, Set<string>>()

/** The same statements, recorded. */
export function recorded(at: Queries, place: string): Queries {
  const folder = process.env[folderVariable]!
  const texts = textsByPlace.get(place) ?? new Set()
  textsByPlace.set(place, texts)
  const record = (text: string) => {
    if (texts.has(text) || texts.size === textsMax) return
    texts.add(text)
    const statement: Statement = { place, text }
    appendFileSync(join(folder, `${process.pid}.ndjson`), `${JSON.stringify(statement)}\n`)
  }
  return {
    query(text, ...rest) {
      record(text)
      return at.query(text, ...rest)
    },
    lookUp(text, ...rest) {
      record(text)
      return at.lookUp(text, ...rest)
    },
  }
}

/** Distinct statements of all processes, by place. */
export function readStatements(folder: string): Map<string, Set<string>> {
  const byPlace = new Map<string, Set<string>>()
  for (const file of readdirSync(folder))
    for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n')) {
      const { place, text } = JSON.parse(line) as Statement
      byPlace.set(place, (byPlace.get(place) ?? new Set()).add(text))
    }
  return byPlace
}
