/** Derives the schemas of the next version from a plan, with sentences about the changes for the user. */
import { changeSchema, type Plan, schemaOf } from '@ulmus/tabular'
import type { Schemas } from './latest.ts'

export interface SchemaChanges {
  /** All schemas of the next version. */
  readonly after: Schemas
  readonly isChanged: boolean
  /** Changes of the plan's type. */
  readonly sentences: readonly string[]
}

export function changesOf(plan: Plan, before: Schemas): SchemaChanges {
  const known = before[plan.type]
  if (known === undefined)
    return {
      after: { ...before, [plan.type]: schemaOf(plan) },
      isChanged: true,
      sentences: [`${plan.type} is a new type.`],
    }
  const { schema, changes } = changedSchema(known, plan)
  return {
    after: { ...before, [plan.type]: schema },
    isChanged: changes.length > 0,
    sentences: changes.map(({ sentence }) => sentence),
  }
}

function changedSchema(known: object, plan: Plan): ReturnType<typeof changeSchema> {
  const schema = known as Record<string, unknown>
  if (typeof schema['properties'] === 'object') return changeSchema(schema, plan)
  // The schema lists no fields and admits any, so list only the private ones.
  const hidden = plan.columns.filter(({ isPrivate }) => isPrivate).map(({ name, field = name }) => field)
  if (hidden.length === 0) return { schema, changes: [] }
  const properties = Object.fromEntries(hidden.map((field) => [field, { private: true }]))
  return {
    schema: { ...schema, properties },
    changes: hidden.map((field) => ({
      ...{ field, what: 'private' },
      sentence: `${field} becomes private. Earlier versions still show it.`,
    })),
  }
}
