/** Files, and whole versions as archives. http-api §7, §8. */
import { exampleFile } from '../examples.ts'
import { ExportQuery } from '../exports.ts'
import { StoredFile } from '../files.ts'
import { bytesOf, operation } from '../operation.ts'
import { CollectionPath, FilePath } from '../paths.ts'
import { reading } from './versions.ts'

const bytes = { type: 'string', format: 'binary' }
/** Any content type is taken, and answered when the file is read. */
const fileBody = {
  description: 'The bytes of the file as they are, of any content type.',
  content: {
    'application/octet-stream': { schema: bytes, example: exampleFile.text },
    '*/*': { schema: bytes, example: exampleFile.text },
  },
}

export const fileOperations = {
  'PUT /api/collections/:owner/:slug/files/:hash': operation({
    id: 'uploadFile',
    tag: 'files',
    summary: 'Upload a file, named by its SHA-256',
    description:
      'Stores the bytes of the body under the SHA-256 that the path names. It needs the scope `write` and membership. Send the bytes as they are, of any content type: a `Content-Encoding` is refused. A file may have 1 GiB unless the operator set another limit. Upload before the commit of the push whose records refer to the file by `{"$file": "sha256:…"}`.',
    entrance: { scope: 'write' },
    params: FilePath,
    body: fileBody,
    answers: { 200: StoredFile, 201: StoredFile },
    answerWords: {
      200: 'The collection held the file before.',
      201: 'The file is new to the collection.',
    },
    refusals: ['collection_not_found', 'not_a_member', 'key_limited', 'hash_mismatch', 'quota_exceeded'],
  }),
  'GET /api/collections/:owner/:slug/files/:hash': operation({
    id: 'downloadFile',
    tag: 'files',
    summary: 'Download a file or a range of it',
    description:
      'Streams the bytes of a file, with the content type of its upload. Callers who may read a version with the file may read it, members as soon as it is uploaded. One `Range` of bytes is honoured. If an answer breaks off, its connection closes before `Content-Length`.',
    names: 'hash',
    params: FilePath,
    headers: [
      {
        name: 'Range',
        description: 'One range of bytes. Several ranges, or a malformed one, return the whole file.',
        example: 'bytes=0-4',
      },
      {
        name: 'If-Range',
        description: 'The `ETag` that the file must have for the range to count; else it is answered whole.',
        example: '"5f1d3c0e9a7b48263d15c4f0b8e29a76"',
      },
    ],
    answers: { 200: bytesOf('*/*', 'The bytes.'), 206: bytesOf('*/*', 'The bytes.') },
    answerWords: { 200: 'The bytes of the file.', 206: 'The bytes of the range that was asked for.' },
    refusals: ['collection_not_found', 'file_not_found', 'range_not_satisfiable', 'busy', 'object_corrupt'],
  }),
  'GET /api/collections/:owner/:slug/export': operation({
    id: 'exportVersion',
    tag: 'versions',
    summary: 'A whole version as a .tar.gz',
    description:
      'Streams a version as a tar archive compressed with gzip, the same bytes every time. It has `records/<Type>.ndjson`, in which each line is a canonical form that hashes to the hash of its record, `schemas/<Type>.json`, `files/<hex>` and, last, `manifest.json`. The manifest has the document of the version, whose hash is its digest. If an answer breaks off, its connection closes early.',
    names: 'version',
    params: CollectionPath,
    query: ExportQuery,
    answers: { 200: bytesOf('application/gzip', 'The archive. `Content-Disposition` names it.') },
    refusals: reading,
  }),
}
