/** Kinds of files that pages can show, by their media types, else by the endings of the names that records give them. */

/** Facts that decide which preview a file has. */
export interface FileFacts {
  readonly contentType: string
  readonly size: number
  /** Name that a record gives it. */
  readonly name: string | undefined
}

/**
 * Picture types that browsers show in `<img>`, where an SVG runs no script and loads nothing. The file's own answer is not a page either:
 * it is an attachment with a sandbox policy (`apps/server/src/routes/versions/files.ts`).
 */
const pictures = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/
/** Larger pictures can only be downloaded. Bytes. */
const pictureBytesMax = 10_000_000
/** Limits of pictures in lists and in cells, where many are loaded at once. Exclude SVG, which must be drawn. Bytes. */
const thumbnailBytesMax = { list: 2_000_000, cell: 500_000 }

/** Media types that are shown as text. */
const texts =
  /^(?:text\/[\w.+-]+|application\/(?:json|x-ndjson|ndjson|jsonl|xml|yaml|x-yaml|toml|sql|javascript|[\w.-]+\+(?:json|xml)))$/
/** Endings of texts whose uploads had no media type. */
const textEndings = /\.(?:csv|tsv|json|ndjson|jsonl|geojson|txt|md|xml|ya?ml)$/i

/** `text/csv; charset=utf-8` → `text/csv` */
const mediaType = ({ contentType }: FileFacts): string => contentType.split(';', 1)[0]!.trim().toLowerCase()

const isOfType = (file: FileFacts, types: RegExp, ending: RegExp): boolean =>
  types.test(mediaType(file)) || ending.test(file.name ?? '')

export const isPicture = (file: FileFacts): boolean =>
  pictures.test(mediaType(file)) && !mediaType(file).includes('svg')

/** True if a list of files, or a cell of a table, shows the picture itself. */
export const hasThumbnail = (file: FileFacts, at: 'list' | 'cell'): boolean =>
  file.size <= thumbnailBytesMax[at] && isPicture(file)

/** Kind of a file in words; its media type if the kind is not known. */
export function kindText(file: FileFacts): string {
  const type = mediaType(file)
  if (isGeoJson(file, '') === 'yes') return 'GeoJSON'
  const format = lineFormatOf(file)
  if (format !== undefined) return `${format.toUpperCase()} table`
  if (isJson(file)) return 'JSON'
  const [, picture] = /^image\/(?:x-)?([a-z]+)/.exec(type) ?? []
  if (picture !== undefined) return `${picture.toUpperCase()} picture`
  return namedKinds.get(type) ?? (texts.test(type) ? 'text' : type)
}

const namedKinds: ReadonlyMap<string, string> = new Map([
  ['application/octet-stream', 'bytes'],
  ['application/pdf', 'PDF'],
  ['application/zip', 'ZIP archive'],
  ['text/markdown', 'Markdown'],
])

/** Kind of preview; undefined: the file can only be downloaded. */
export function previewKind(file: FileFacts): 'picture' | 'text' | undefined {
  const type = mediaType(file)
  if (pictures.test(type)) return file.size <= pictureBytesMax ? 'picture' : undefined
  const isUntyped = type === 'application/octet-stream' && textEndings.test(file.name ?? '')
  return texts.test(type) || isUntyped ? 'text' : undefined
}

/** GeoJSON by its media type, by its name, or perhaps by its beginning. */
export function isGeoJson(file: FileFacts, text: string): 'yes' | 'maybe' | 'no' {
  if (isOfType(file, /^application\/(?:vnd\.)?geo\+json$/, /\.geojson$/i)) return 'yes'
  return isJson(file) && geoJsonBeginning.test(text.slice(0, beginningMax)) ? 'maybe' : 'no'
}

/** The beginning of JSON that tells what it is. Characters. */
const beginningMax = 2_000
const geoJsonBeginning =
  /^\s*\{[\s\S]*?"type"\s*:\s*"(?:Feature(?:Collection)?|(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection)"/

/** Also of types such as `application/ld+json`. */
export const isJson = (file: FileFacts): boolean =>
  isOfType(file, /^application\/(?:[\w.-]+\+)?json$/, /\.json$/i)

const tables = [
  ['csv', /^(?:text|application)\/csv$/, /\.csv$/i],
  ['tsv', /^text\/tab-separated-values$/, /\.tsv$/i],
  ['ndjson', /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)$/, /\.(?:ndjson|jsonl)$/i],
] as const

/** Undefined: the file is no table of lines. The media type counts more than the name. */
export function lineFormatOf(file: FileFacts): (typeof tables)[number][0] | undefined {
  const [type, name] = [mediaType(file), file.name ?? '']
  const found =
    tables.find(([, types]) => types.test(type)) ?? tables.find(([, , ending]) => ending.test(name))
  return found?.[0]
}
