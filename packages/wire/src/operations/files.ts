/**
 * Operations on files, which are named by their hash, and the export of a whole version as an archive. Their bodies are streams, so no
 * shape validates them. docs/design/http-api.md §7, §8.
 */
import { exampleFile } from '../examples.ts'
import { ExportQuery } from '../exports.ts'
import { StoredFile } from '../files.ts'
import { bytesOf, operation } from '../operation.ts'
import { CollectionPath, FilePath } from '../paths.ts'
import { reading } from './versions.ts'

const bytes = { type: 'string', format: 'binary' }
/** Accepts any content type, which is also the type of the answer when the file is read. */
const fileBody = {
  description: 'The bytes of the file, without content encoding, of any content type.',
  content: {
    'application/octet-stream': { schema: bytes, example: exampleFile.text },
    '*/*': { schema: bytes, example: exampleFile.text },
  },
}

export const fileOperations = {
  'PUT /api/collections/:owner/:slug/files/:hash': operation({
    id: 'uploadFile',
    tag: 'files',
    summary: 'Upload a file',
    description:
      'Stores the body under the SHA-256 in the path. Requires the `write` scope, and membership or the grant `write`. Any content type is accepted, but no `Content-Encoding`. Maximum size: 1 GiB by default. Upload a file before the commit of the push whose records refer to it as `{"$file": "sha256:…"}`.',
    entrance: { scope: 'write' },
    params: FilePath,
    body: fileBody,
    answers: { 200: StoredFile, 201: StoredFile },
    answerWords: {
      200: 'The collection already has the file.',
      201: 'The file is new to the collection.',
    },
    refusals: ['hash_mismatch', 'quota_exceeded'],
  }),
  'GET /api/collections/:owner/:slug/files/:hash': operation({
    id: 'downloadFile',
    tag: 'files',
    summary: 'Download a file',
    description:
      'Streams the bytes of a file with the content type of its upload. Callers who can read a version with the file can read it; members and collaborators as soon as it is uploaded. A `Range` header with one range is supported. If the download fails midway, the connection closes before `Content-Length` bytes.',
    names: 'hash',
    params: FilePath,
    headers: [
      {
        name: 'Range',
        description: 'One range of bytes. Several ranges or a malformed range return the whole file.',
        example: 'bytes=0-4',
      },
      {
        name: 'If-Range',
        description: '`ETag` that the file must match; otherwise the whole file is returned.',
        example: '"5f1d3c0e9a7b48263d15c4f0b8e29a76"',
      },
    ],
    answers: { 200: bytesOf('*/*', 'The bytes.'), 206: bytesOf('*/*', 'The bytes.') },
    answerWords: { 200: 'The bytes of the file.', 206: 'The bytes of the requested range.' },
    refusals: ['file_not_found', 'range_not_satisfiable', 'busy', 'object_corrupt'],
  }),
  'GET /api/collections/:owner/:slug/export': operation({
    id: 'exportVersion',
    tag: 'versions',
    summary: 'Export a version as .tar.gz',
    description:
      'Streams a version as a gzip-compressed tar archive, with the same bytes every time. It contains `records/<Type>.ndjson`, `schemas/<Type>.json`, `files/<hex>` and, last, `manifest.json`. Each line of records is a canonical form whose SHA-256 is the hash of the record. The manifest contains the document of the version, whose hash is the digest. If the export fails midway, the connection closes early.',
    names: 'version',
    params: CollectionPath,
    query: ExportQuery,
    answers: {
      200: bytesOf('application/gzip', 'The archive, with its file name in `Content-Disposition`.'),
    },
    refusals: reading,
  }),
}
