/** Code that reads a table in pandas and R without changing its values. */
import { type FoundColumn, idColumn, type TableColumn } from '@ulmus/content'

/** A table of the registry, as code reads it. */
export interface CodeSource {
  /** Address. */
  readonly csv: string
  /** Address. Undefined: the result is a part of the table. */
  readonly parquet: string | undefined
  readonly isPublic: boolean
  /** Columns of the result, with the id. */
  readonly columns: readonly Pick<FoundColumn, 'names' | 'type'>[]
}

type Types = Partial<Record<TableColumn['type'], string>>

const pandasTypes: Types = { number: 'float64', integer: 'Int64', boolean: 'boolean' }
/** Integers of R have 32 bits. */
const rTypes: Types = { number: 'numeric', integer: 'numeric', boolean: 'logical' }

/** Types of more columns are left to the reader. */
const typedMax = 200

const text = (value: string): string => JSON.stringify(value)

const typesOf = ({ columns }: CodeSource, types: Types, other?: string): (readonly [string, string])[] =>
  columns.flatMap(({ names, type }) => {
    const found = types[type] ?? other
    return found === undefined ? [] : [[names.join('.'), found] as const]
  })

/** Reads the result as it is: a code such as 007 or NA stays a text, numbers keep their digits. Parquet has the types; its reader needs pyarrow. */
export function pandasCode(source: CodeSource): string {
  const { csv, parquet, isPublic } = source
  const key = isPublic
    ? ''
    : `,\n    storage_options={"Authorization": f"Bearer {os.environ['ULMUS_TOKEN']}"}`
  const modules = ['pandas', ...(isPublic ? [] : ['os'])]
  if (parquet !== undefined)
    return `import ${modules.join(', ')}
table = pandas.read_parquet(${text(parquet)}, dtype_backend="numpy_nullable"${key})`
  const types = typesOf(source, pandasTypes).slice(0, typedMax)
  const typed = types.map(([name, type]) => `${text(name)}: ${text(type)}`).join(', ')
  const dtype = types.length === 0 ? '"string"' : `collections.defaultdict(lambda: "string", {${typed}})`
  if (types.length > 0) modules.unshift('collections')
  return `import ${modules.join(', ')}
table = pandas.read_csv(
    ${text(csv)},
    dtype=${dtype},
    keep_default_na=False, na_values=[""]${key})`
}

export function rCode(source: CodeSource): string {
  const { csv, isPublic, columns } = source
  const key = 'headers = c(Authorization = paste("Bearer", Sys.getenv("ULMUS_TOKEN")))'
  const typed = typesOf(source, rTypes, 'character').map(([name, type]) => `${text(name)} = ${text(type)}`)
  return `table <- read.csv(
  ${isPublic ? text(csv) : `url(${text(csv)}, ${key})`},
  check.names = FALSE, na.strings = "", fileEncoding = "UTF-8",
  colClasses = ${columns.length > typedMax ? '"character"' : `c(${typed.join(', ')})`})`
}

/** Columns of a whole table, or the chosen ones after the id. */
export const codeColumns = (
  columns: readonly TableColumn[],
  chosen: readonly FoundColumn[],
): CodeSource['columns'] =>
  chosen.length === 0
    ? columns.map(({ name, type }) => ({ names: [name], type }))
    : [{ names: [idColumn.name], type: idColumn.type }, ...chosen]
