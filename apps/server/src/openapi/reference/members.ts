/** Members of a JSON Schema as Markdown tables, one row for each member, nested ones under their path: `latestVersion.counts[].type`. */
import type { Schema } from './description.ts'
import { tableOf } from './markdown.ts'

type Models = Readonly<Record<string, Schema>>

const modelOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

const resolve = (schema: Schema, models: Models): Schema => {
  const model = modelOf(schema)
  return model === undefined ? schema : { ...models[model], ...schema }
}

/** Tables of the members: one for each form that the value may have. Empty for a value without members. */
export function membersOf(schema: Schema, models: Models): string {
  const forms = schema.anyOf ?? resolve(schema, models).anyOf ?? [schema]
  const tables = forms.map((form) => tableOf(['Member', 'Type', 'Description'], rowsOf(form, models)))
  return tables.filter((table) => table !== '').join('\n\nOr:\n\n')
}

/** Rows of the members below a path. `within`: the models that contain this one; a model in itself is not repeated. */
function rowsOf(schema: Schema, models: Models, path = '', within: readonly string[] = []): string[][] {
  const model = modelOf(schema)
  if (model !== undefined && within.includes(model)) return []
  const inner = model === undefined ? within : [...within, model]
  const whole = resolve(schema, models)
  const { properties = {}, required = [], items, anyOf = [], additionalProperties: others } = whole
  const below = path === '' ? '' : `${path}.`
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [
      [
        `\`${below}${name}\`${required.includes(name) ? '' : ' (optional)'}`,
        typeOf(member, models),
        resolve(member, models).description ?? '',
      ],
      ...rowsOf(member, models, `${below}${name}`, inner),
    ]),
    ...(items === undefined ? [] : rowsOf(items, models, `${path}[]`, inner)),
    ...(typeof others === 'object' ? rowsOf(others, models, `${below}*`, inner) : []),
    ...anyOf.flatMap((form) => rowsOf(form, models, path, inner)),
  ]
}

/** The type of a value with its bounds: `string, at most 200 characters`. */
export function typeOf(schema: Schema, models: Models): string {
  const whole = resolve(schema, models)
  if (whole.anyOf !== undefined)
    return [...new Set(whole.anyOf.map((form) => typeOf(form, models)))].join(' or ')
  const bounds = boundsOf(whole)
  return [kindOf(whole, models), ...bounds].join(', ')
}

function kindOf(whole: Schema, models: Models): string {
  if (whole.const !== undefined) return code(whole.const)
  const types = [whole.type ?? []].flat()
  if (whole.enum !== undefined && !types.includes('boolean')) return whole.enum.map(code).join(' or ')
  if (types.length === 0) return 'any value'
  return types.map((type) => kindOfType(type, whole, models)).join(' or ')
}

function kindOfType(type: string, { items, additionalProperties, format }: Schema, models: Models): string {
  if (type === 'array' && items !== undefined) return `array of ${typeOf(items, models)}`
  if (type === 'object' && typeof additionalProperties === 'object')
    return `object of ${typeOf(additionalProperties, models)}`
  return type === 'string' && format !== undefined ? format : type
}

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``

function boundsOf({ minimum, maximum, minLength = 0, maxLength, maxItems, ...schema }: Schema): string[] {
  return [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minLength > 1 ? [`at least ${minLength} characters`] : minLength === 1 ? ['not empty'] : []),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(schema.pattern === undefined ? [] : [`\`${schema.pattern}\``]),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
  ]
}
