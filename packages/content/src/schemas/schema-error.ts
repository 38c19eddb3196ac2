/** Error for a schema that is refused (content-model §4). The message is a sentence for its author. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  readonly code = 'invalid_schema'
  /** JSON pointer to the position in the schema, if there is one. */
  readonly path?: string

  constructor(message: string, path?: string) {
    super(message)
    if (path !== undefined) this.path = path
  }
}
