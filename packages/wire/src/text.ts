/**
 * Shapes of single values: texts that people write, ids, hashes, instants, counts. Requests are checked by those with rules (`line`,
 * `prose`, `Id`, `RequestedFile`); the others only describe answers.
 */
import { z } from 'zod'
import { exampleDigest, exampleFile, exampleInstant, exampleRecord } from './examples.ts'

/** Number of characters: code points, not UTF-16 units. */
const characters = (text: string): number => [...text].length

/**
 * One line: trimmed, `min` to `max` characters, no control characters, no lone surrogate (PostgreSQL's text can store neither
 * NUL nor a lone surrogate).
 */
export const line = (max: number, min: 0 | 1 = 1) =>
  z
    .string()
    .trim()
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must have no control characters')
    .refine((text) => text.length >= min, 'must not be empty')
    .refine((text) => characters(text) <= max, `must have at most ${max} characters`)
    .meta({ minLength: min, maxLength: max })

/** Several lines: trimmed, up to `max` characters, no control characters except tabs and line ends. May be empty. */
export const prose = (max: number) =>
  z
    .string()
    .trim()
    .refine(
      (text) => text.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(text),
      'must have no control characters but tabs and line ends',
    )
    .refine((text) => characters(text) <= max, `must have at most ${max} characters`)
    .meta({ maxLength: max })

/** Names of collections, display names of accounts (docs/design/http-api.md §1). */
export const Name = line(200)
/** Purpose of a key, in its owner's words. */
export const Label = line(100)
/** A collection's own description, shown if its latest version's metadata has none. */
export const Description = prose(10_000)

/** `owner/slug` in a request. */
export const CollectionName = z
  .string()
  .regex(/^[a-z0-9-]{1,39}\/[a-z0-9-]{1,100}$/, 'must be a collection, `owner/slug`')

/** An identifier assigned by the registry. */
export const Id = z.uuid()
/** An instant in UTC: `2026-01-15T00:00:00.000Z`. */
export const Instant = z.string().meta({ format: 'date-time', examples: [exampleInstant] })
/** Version number with its leading `v`: `v1.2.3`. */
export const SemverText = z.string().meta({ examples: ['v1.2.3'] })
/** `private:` and 64 hex digits for members, `public:` for everyone else. content-model §7. */
export const DigestText = z.string().meta({ examples: [exampleDigest] })
/** SHA-256 of a record, schema or tree node as 64 lowercase hex digits. */
export const HashText = z.string().meta({ examples: [exampleRecord.hash] })
/** `sha256:` and 64 lowercase hex digits, the name of a file everywhere. */
export const FileHash = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be `sha256:` and 64 lowercase hex digits')
  .meta({ examples: [exampleFile.hash] })
/** A file in a request: some clients name it by its digits alone. */
export const RequestedFile = z
  .string()
  .regex(
    /^(?:sha256:)?[0-9a-f]{64}$/,
    'must be 64 lowercase hex digits, with or without `sha256:` before them',
  )
  .meta({ examples: [exampleFile.hash] })
/** A count or a number of bytes. */
export const Count = z.int().nonnegative()

/** Answer without content. */
export const Done = z
  .object({ ok: z.literal(true) })
  .meta({ id: 'Done', description: 'Success without further data.', examples: [{ ok: true }] })
export type Done = z.infer<typeof Done>

/** Powers of units of size: decimal as on disks, binary with an `i`. */
const unitBytes: Readonly<Record<string, number>> = {
  ...{ '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30, TIB: 2 ** 40 },
}

/** Bytes of `1048576`, `10GB`, `1.5 TiB`; NaN for any other text. */
export function bytesIn(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text) ?? []
  const bytes = digits === '' ? Number.NaN : Number(digits) * (unitBytes[unit.toUpperCase()] ?? Number.NaN)
  return unit === '' && digits.includes('.') ? Number.NaN : Math.round(bytes)
}
