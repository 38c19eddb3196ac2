/** Names of files in requests. Answers, and `$file` in records, always have the prefix `sha256:`. */
import { type Hash, parseFileReference, parseHash } from '@ulmus/content'

/** Message of a refused name. `RequestedFile` in packages/wire/src/text.ts has the same. */
export const requestedFileRule = 'must be 64 lowercase hex digits, with or without `sha256:` before them'

/** The file that a request names, with or without the prefix; undefined for any other text. */
export const requestedFile = (text: string): Hash | undefined => parseFileReference(text) ?? parseHash(text)
