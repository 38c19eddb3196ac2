/** Converts the shapes of the wire package to TypeScript types without zod, so that users of the client need no package only for types. */

/** Used part of a zod schema. */
interface ZodSchema {
  readonly description?: string
  /** JSON Schema in addition to the description. */
  meta(): { readonly type?: unknown; readonly additionalProperties?: { readonly type?: unknown } } | undefined
  readonly _zod: {
    readonly def: Definition
    /** Schema that this one was copied from, with another description or check. */
    readonly parent?: ZodSchema
    readonly optout?: 'optional'
  }
}

interface Definition {
  readonly type: string
  readonly innerType?: ZodSchema
  readonly out?: ZodSchema
  readonly element?: ZodSchema
  readonly shape?: Readonly<Record<string, ZodSchema>>
  readonly catchall?: ZodSchema
  readonly options?: readonly ZodSchema[]
  readonly keyType?: ZodSchema
  readonly valueType?: ZodSchema
  readonly values?: readonly unknown[]
  readonly entries?: Readonly<Record<string, string>>
}

export interface PlainTypes {
  /** Text of a declaration file that exports the wanted types. */
  readonly text: string
  /** All exported names. */
  readonly names: readonly string[]
}

const isSchema = (value: unknown): value is ZodSchema =>
  typeof value === 'object' && value !== null && '_zod' in value

/** Shapes that zod only validates, by name in the wire package. Only the compiler knows their types. */
const checkedOnly: Readonly<Record<string, string>> = { AnyJson: 'Json', AnyObject: 'JsonObject' }

/** Types from JSON Schema where zod has none: results of parsed query parameters, and values of passed-on objects. */
const plain = { boolean: 'boolean', integer: 'number', number: 'number', string: 'string' } as const
const isPlain = (type: unknown): type is keyof typeof plain => Object.hasOwn(plain, String(type))

/**
 * Renders the wanted types.
 * @param wire the package's exports
 * @param declarations its declaration files, joined: they show which schemas have a type of the same name, and contain the types without a
 *   schema
 * @param wanted names of types
 * @throws Error for a type that cannot be rendered
 */
export function plainTypes(
  wire: Readonly<Record<string, unknown>>,
  declarations: string,
  wanted: Iterable<string>,
): PlainTypes {
  const aliases = new Map(
    Array.from(declarations.matchAll(/^export type (\w+) = ([^;]+);/gm), ([, name, is]) => [name!, is!]),
  )
  const named = new Map<ZodSchema, string>()
  const known = new Map<ZodSchema, string>()
  for (const [name, value] of Object.entries(wire)) {
    if (!isSchema(value)) continue
    if (aliases.has(name)) named.set(value, name)
    if (checkedOnly[name] !== undefined) known.set(value, checkedOnly[name])
  }
  const used = new Set<string>()
  const written = new Map<string, string>()
  const waiting = [...wanted]

  const contentName = (name: string): string => {
    used.add(name)
    return name
  }

  const print = (schema: ZodSchema, isDeclared = false): string => {
    for (let one: ZodSchema | undefined = schema; one !== undefined; one = one._zod.parent) {
      const content = known.get(one)
      if (content !== undefined) return contentName(content)
      const name = named.get(one)
      if (name !== undefined && !isDeclared) {
        waiting.push(name)
        return name
      }
    }
    const { def } = schema._zod
    const said = schema.meta() ?? {}
    if (def.type === 'default' && isPlain(said.type)) return plain[said.type]
    const values = said.additionalProperties?.type
    if (def.type === 'custom' && isPlain(values)) return `Record<string, ${plain[values]}>`
    const printer = printers[def.type]
    if (printer === undefined) throw new Error(`Teach release/plain-types.ts to write ${def.type}`)
    return printer(def, print)
  }

  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (written.has(name)) continue
    const alias = aliases.get(name)
    if (alias === undefined) throw new Error(`The wire package has no type ${name}.`)
    const schema = wire[name]
    if (isSchema(schema)) written.set(name, declared(name, schema, print(schema, true)))
    else {
      for (const [word] of alias.matchAll(/\bJson(?:Object)?\b/g)) contentName(word)
      written.set(name, `export type ${name} = ${alias};\n`)
    }
  }
  const names = [...written.keys()].sort()
  const contentNames = [...used].sort()
  const head = `/** The requests and the answers of the API, as its reference describes them. */\n`
  const imports =
    contentNames.length > 0 ? `import type { ${contentNames.join(', ')} } from '@ulmus/content';\n` : ''
  return { text: `${head}${imports}${names.map((name) => written.get(name)).join('')}`, names }
}

const declared = (name: string, { description, _zod }: ZodSchema, text: string): string =>
  text.startsWith('{') && _zod.def.type !== 'union'
    ? `${commentOf(description)}export interface ${name} ${text}\n`
    : `${commentOf(description)}export type ${name} = ${text};\n`

const commentOf = (description: string | undefined, indent = ''): string =>
  description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n`

type Print = (schema: ZodSchema) => string

const printers: Readonly<Record<string, (def: Definition, print: Print) => string>> = {
  string: () => 'string',
  number: () => 'number',
  int: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  unknown: () => 'unknown',
  literal: ({ values }) => values!.map((value) => JSON.stringify(value)).join(' | '),
  enum: ({ entries }) =>
    Object.values(entries!)
      .map((value) => JSON.stringify(value))
      .join(' | '),
  array: ({ element }, print) => `Array<${print(element!)}>`,
  record: ({ keyType, valueType }, print) => `Record<${print(keyType!)}, ${print(valueType!)}>`,
  union: ({ options }, print) => options!.map(print).join(' | '),
  nullable: ({ innerType }, print) => `${print(innerType!)} | null`,
  pipe: ({ out }, print) => print(out!),
  optional: ({ innerType }, print) => `${print(innerType!)} | undefined`,
  default: ({ innerType }, print) => print(innerType!),
  readonly: ({ innerType }, print) => `Readonly<${print(innerType!)}>`,
  object: ({ shape, catchall }, print) => {
    const members = Object.entries(shape!).map(([name, schema]) => {
      const sign = schema._zod.optout === 'optional' ? '?' : ''
      return `${commentOf(schema.description, '  ')}  ${JSON.stringify(name).replace(/^"([A-Za-z_]\w*)"$/, '$1')}${sign}: ${indented(print(schema))};\n`
    })
    const others =
      catchall === undefined || catchall._zod.def.type === 'never'
        ? ''
        : `  [name: string]: ${print(catchall)};\n`
    return `{\n${members.join('')}${others}}`
  },
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ')
