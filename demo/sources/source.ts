/** A data source of the demo. */
import type { FileUpload } from '@ulmus/client'
import type { JsonObject } from '@ulmus/content'
import type { DeleteLine, RecordLine } from '@ulmus/wire'

export interface Source {
  readonly slug: string
  readonly name: string
  readonly public: boolean
  readonly schemas: Record<string, JsonObject>
  readonly metadata: JsonObject
  /** Records of the first version. */
  readonly records: () => Iterable<RecordLine>
  /** Changes of the next version, after `versions` versions (at least 1). */
  readonly changes: (versions: number) => Promise<Changes>
}

export interface Changes {
  readonly message: string
  readonly records: RecordLine[]
  readonly deletes?: DeleteLine[]
  readonly files?: FileUpload[]
}

/** A schema that admits exactly `properties` and requires those in `required`. */
export const objectOf = (properties: JsonObject, required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const text: JsonObject = { type: 'string', minLength: 1 }

/** Schema of a file reference in the content model. */
export const fileReference: JsonObject = objectOf(
  { $file: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } },
  ['$file'],
)

/** Converts typed objects of a source to JSON. */
export const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject
