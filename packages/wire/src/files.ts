/**
 * Shapes for files: the answer to an upload, and an item of a version's list. A file's name is its hash, so it is never changed.
 * docs/design/http-api.md §8.
 */
import { z } from 'zod'
import { exampleFile, exampleInstant } from './examples.ts'
import { Count, FileHash, Instant } from './text.ts'

const stored = { hash: exampleFile.hash, size: 14, contentType: 'text/plain' }

/** Answer to `PUT …/files/sha256:<hex>`: 201, or 200 if the collection has the file already. */
export const StoredFile = z
  .object({ hash: FileHash, size: Count, contentType: z.string() })
  .meta({ id: 'StoredFile', description: 'A file that the collection holds.', examples: [stored] })
export type StoredFile = z.infer<typeof StoredFile>

/** An item of `GET …/versions/:v/files`, with the records of the version that refer to it. */
export const VersionFile = z
  .object({
    hash: FileHash,
    size: Count,
    contentType: z.string(),
    createdAt: Instant,
    references: z.array(z.object({ type: z.string(), id: z.string() })),
  })
  .meta({
    id: 'VersionFile',
    description: 'A file of a version, and the records that refer to it.',
    examples: [{ ...stored, createdAt: exampleInstant, references: [{ type: 'City', id: 'oslo' }] }],
  })
export type VersionFile = z.infer<typeof VersionFile>
