/** The content package's table of contents: canonical JSON, input rules, records, schemas, views, versions, trees. */

export { compareUtf8, type Hash, hashBytes, hashText, parseHash, utf8Length } from './hash.ts'
export * from './json.ts'
