/**
 * Imports tables from npm, Debian and R packages, and counts those that import without flags, with one flag, and not at all.
 *
 *     node bench/foreign-files.ts [--root CHECKOUT] [FOLDER…]
 *
 * `--root`: the checkout whose `ulmus import` runs (default: this one). FOLDERs: more files, such as the node_modules of a folder where
 * packages with countries, currencies and airports are installed. If Rscript is installed, it writes its data frames as CSV in four ways.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const here = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({ options: { root: { type: 'string' } }, allowPositionals: true })
const root = resolve(values.root ?? here)
const bytesMax = 5 * 1024 ** 2

type Outcome = 'without flags' | 'with one flag' | 'not at all'
interface Sample {
  readonly path: string
  readonly origin: string
  /** Rows and columns, if R reports them. */
  readonly rows?: number
  readonly columns?: number
}

/** Writes each data frame of R's datasets as CSV: with and without row names, with semicolons and decimal commas, with tabs. */
const exporting = `
folder <- commandArgs(TRUE)[1]
for (name in sort(unique(sub(" .*", "", data(package = "datasets")$results[, "Item"])))) {
  x <- get(name, "package:datasets")
  if (!is.data.frame(x) || any(sapply(x, is.list))) next
  size <- paste(nrow(x), ncol(x), sep = "x")
  write.csv(x, file.path(folder, paste0(name, "-rownames-", nrow(x), "x", ncol(x) + 1, ".csv")))
  write.csv(x, file.path(folder, paste0(name, "-plain-", size, ".csv")), row.names = FALSE)
  write.csv2(x, file.path(folder, paste0(name, "-csv2-", size, ".csv")), row.names = FALSE)
  write.table(x, file.path(folder, paste0(name, "-tabs-", size, ".csv")), row.names = FALSE, sep = "\\t")
}`

function ofR(folder: string): Sample[] {
  const ended = spawnSync('Rscript', ['-e', exporting, folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (ended.status !== 0) return []
  return globSync(join(folder, '*.csv')).map((path) => {
    const [, rows, columns] = /-(\d+)x(\d+)\.csv$/.exec(path)!
    return { path, origin: 'R datasets', rows: Number(rows), columns: Number(columns) }
  })
}

const endings = '*.{csv,tsv,tab,json,geojson,ndjson,jsonl,parquet,sqlite,db}'

/** Possible tables in a folder: data files of packages, not settings of tools. */
function inFolder(folder: string, origin: string): Sample[] {
  if (!existsSync(folder)) return []
  const noData =
    /(?:^|\/)(?:package(?:-lock)?|\.package-lock|tsconfig.*|composer|bower|schema-.*|.*schema|.*\.config|manifest.*|index)\.json$|\.(?:geo|topo)\.json$|\/(?:schemas?|test|tests|fixtures|@ulmus|\.vite|licenses)\//
  return globSync(join(folder, '**', endings))
    .filter((path) => !noData.test(path.slice(folder.length)))
    .filter((path) => statSync(path).isFile() && statSync(path).size <= bytesMax)
    .sort()
    .map((path) => ({ path, origin }))
}

const { openPerson } = (await import(join(root, 'apps/cli/src/testing/cli.ts'))) as {
  openPerson(host: string): {
    readonly home: string
    ulmus(folder: string, ...args: string[]): Promise<{ code: number; said: string }>
    dispose(): void
  }
}

/** Retries to make after a refusal: with the flag that it names, and with numbered rows. */
function flagsIn(said: string): string[][] {
  const named =
    said.match(
      /--(?:no-header|header|rename-duplicates|(?:encoding|records|delimiter|skip|missing|quotes|max-removed) (?:'[^']*'|[^\s.]+(?:\.[^\s.]+)*))/g,
    ) ?? []
  const flags = named.map((flag) =>
    flag
      .split(/ (.*)/s)
      .slice(0, 2)
      .map((part) => part.replace(/^'(.*)'$/, '$1')),
  )
  return [...flags, ['--number']]
}

let folders = 0

async function importOnce(person: ReturnType<typeof openPerson>, sample: Sample, flags: string[]) {
  const folder = `f${++folders}`
  await person.ulmus(folder, 'init', 'ada/x')
  const ended = await person.ulmus(folder, 'import', sample.path, '--type', 'T', '--yes', ...flags)
  if (ended.code !== 0) return { ...ended, isRight: false }
  const at = join(person.home, folder)
  const records = readFileSync(join(at, 'records/T.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const schema = JSON.parse(readFileSync(join(at, 'schemas/T.json'), 'utf8')) as { properties: object }
  const fields = Object.keys(schema.properties).length
  // The id is a column too, unless the rows are numbered. Empty columns make no field.
  const isRight =
    sample.rows === undefined ||
    (records.length === sample.rows && fields + 1 >= sample.columns! && fields <= sample.columns!)
  rmSync(at, { recursive: true })
  return { ...ended, isRight }
}

async function outcomeOf(person: ReturnType<typeof openPerson>, sample: Sample) {
  const plain = await importOnce(person, sample, [])
  if (plain.code === 0)
    return { outcome: 'without flags' as Outcome, isRight: plain.isRight, said: plain.said }
  for (const flags of flagsIn(plain.said)) {
    const again = await importOnce(person, sample, flags)
    if (again.code === 0)
      return { outcome: 'with one flag' as Outcome, isRight: again.isRight, said: flags.join(' ') }
  }
  return { outcome: 'not at all' as Outcome, isRight: true, said: plain.said }
}

const ofFolder = mkdtempSync(join(tmpdir(), 'ulmus-foreign-'))
const samples = [
  ...ofR(ofFolder),
  ...inFolder('/usr/share/iso-codes/json', 'Debian'),
  ...inFolder('/usr/share/zoneinfo', 'Debian').filter(({ path }) => !/\/(?:posix|right)\//.test(path)),
  ...inFolder('/usr/lib/python3/dist-packages/pandas/tests', 'Debian'),
  ...inFolder('/usr/lib/R', 'Debian'),
  ...inFolder(join(here, 'node_modules'), 'npm'),
  ...positionals.flatMap((folder) => inFolder(resolve(folder), 'npm')),
]
const person = openPerson('http://127.0.0.1:9')
const counts = new Map<string, number>()
const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
for (const sample of samples) {
  const { outcome, isRight, said } = await outcomeOf(person, sample)
  for (const origin of [sample.origin, 'all']) {
    count(`${origin}: ${outcome}`)
    if (!isRight) count(`${origin}: ${outcome}, but another table than R wrote`)
  }
  const place = `${basename(dirname(sample.path))}/${basename(sample.path)}`
  const why = outcome === 'without flags' ? '' : (said.trim().split('\n').at(-1) ?? '').slice(0, 160)
  console.log([outcome + (isRight ? '' : ' WRONG'), place, why].join('\t'))
}
person.dispose()
rmSync(ofFolder, { recursive: true })
console.error(`${samples.length} files`)
for (const [key, number] of [...counts].sort()) console.error(`${String(number).padStart(5)}  ${key}`)
