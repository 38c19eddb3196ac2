/** Files, in words. */
import type { Description } from '../../openapi/routes.ts'

export const putFile: Description = {
  operationId: 'uploadFile',
  summary: 'Upload a file, named by its SHA-256',
  description:
    'Stores the bytes of the body under the SHA-256 that the path names. It needs the scope `write` and membership. Send the bytes as they are, of any content type: a `Content-Encoding` is refused. A file may have 1 GiB unless the operator set another limit. Upload before the commit of the push whose records refer to the file by `{"$file": "sha256:…"}`.',
  answers: { 200: 'The collection held the file before.', 201: 'The file is new to the collection.' },
  codes: ['collection_not_found', 'not_a_member', 'key_limited', 'hash_mismatch', 'quota_exceeded'],
}

export const getFile: Description = {
  operationId: 'downloadFile',
  summary: 'Download a file or a range of it',
  description:
    'Streams the bytes of a file, with the content type of its upload. Callers who may read a version with the file may read it, members as soon as it is uploaded. One `Range` of bytes is honoured. If an answer breaks off, its connection closes before `Content-Length`.',
  answers: { 200: 'The bytes of the file.', 206: 'The bytes of the range that was asked for.' },
  codes: ['collection_not_found', 'file_not_found', 'range_not_satisfiable', 'busy', 'object_corrupt'],
}
