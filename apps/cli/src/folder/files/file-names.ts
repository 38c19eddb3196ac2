/** Names and types of files under `files/`. */
import { extname } from 'node:path'
import { parseFileReference } from '@ulmus/content'
import { CommandError } from '../../terminal/failure.ts'

/** Media types by extension; others are `application/octet-stream`. Each type occurs once: it also determines the name of a download. */
const types: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.csv': 'text/csv',
  '.flac': 'audio/flac',
  '.geojson': 'application/geo+json',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.html': 'text/html',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.ndjson': 'application/x-ndjson',
  '.ogg': 'audio/ogg',
  '.parquet': 'application/vnd.apache.parquet',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tif': 'image/tiff',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
}

const aliases: Readonly<Record<string, string>> = { '.jpeg': '.jpg', '.htm': '.html', '.tiff': '.tif' }

export const contentTypeOf = (path: string): string => {
  const extension = extname(path).toLowerCase()
  return types[aliases[extension] ?? extension] ?? 'application/octet-stream'
}

const extensions = new Map(Object.entries(types).map(([extension, type]) => [type, extension]))

/**
 * Name of a version's file in a folder: its hash, with an extension for other programs.
 * @throws CommandError for an invalid hash, which could lead out of the folder
 */
export function nameOfFile({ hash, contentType }: { hash: string; contentType: string }): string {
  const bare = parseFileReference(hash)
  if (bare === undefined)
    throw new CommandError(`The registry sent the file name ${JSON.stringify(hash)}, which is not a hash.`)
  return `${bare}${extensions.get(contentType.split(';')[0]!.trim().toLowerCase()) ?? ''}`
}
