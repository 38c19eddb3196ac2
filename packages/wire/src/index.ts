/**
 * Public API of the wire package: the shapes of all requests and answers of the HTTP API. The server parses requests with them, and the
 * registry and the client use their types, so a renamed member breaks existing clients. Request bodies refuse unknown members (lines of
 * NDJSON ignore them); answers may gain some. In headers, "http-api" and "interface" are files in docs/design; each shape has an
 * example, which the API description prints.
 */

export * from './accounts.ts'
export * from './admin.ts'
export * from './audit.ts'
export * from './codes.ts'
export * from './collections.ts'
export * from './device-login.ts'
export * from './diffs.ts'
export * from './documents.ts'
export * from './errors.ts'
export * from './examples.ts'
export * from './exports.ts'
export * from './files.ts'
export * from './forks.ts'
export * from './histories.ts'
export * from './invitations.ts'
export * from './json.ts'
export * from './keys.ts'
export * from './lists.ts'
export * from './manifests.ts'
export * from './members.ts'
export * from './metadata.ts'
export type { Operation, Streamed } from './operation.ts'
export * from './operations.ts'
export * from './paths.ts'
export * from './pushes.ts'
export * from './records.ts'
export * from './sessions.ts'
export * from './snapshots.ts'
export * from './sql.ts'
export * from './tables.ts'
export * from './text.ts'
export * from './versions.ts'
