/** The parts of the API description (OpenAPI 3.1) that the pages of the API reference show. */

/** A JSON Schema. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
  /** Schema of each line of a text. */
  readonly contentSchema?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: { readonly usual: { readonly value: unknown } }
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>
  readonly content?: Content
  /** Codes of errors with this status. */
  readonly 'x-codes'?: readonly string[]
}

export interface DescribedCall {
  readonly tags: readonly [string]
  readonly summary: string
  readonly description: string
  readonly security: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

export interface ApiDescription {
  readonly info: { readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** By path and lowercase method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedCall>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    /** Error bodies by code. */
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: object }>>
  }
}
