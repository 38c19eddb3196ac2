/** Flags and arguments, in few words. */
import { usageError } from './terminal/failure.ts'

export const flag = (brief: string) =>
  ({ kind: 'boolean', brief, default: false, withNegated: false }) as const

/** A flag that takes a text and may be left out. */
export const text = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: String, optional: true, placeholder, brief }) as const

/** An argument that may be left out. */
export const optional = (placeholder: string, brief: string) =>
  ({ brief, placeholder, parse: String, optional: true }) as const

export const required = (placeholder: string, brief: string) =>
  ({ brief, placeholder, parse: String }) as const

export const scope = {
  kind: 'enum',
  values: ['read', 'write', 'admin'],
  default: 'write',
  brief: 'What the key may do',
} as const

/** Most items that are asked for, unless more are wanted. */
export const limit = {
  kind: 'parsed',
  parse: (given: string) => {
    const count = Number(given)
    if (Number.isInteger(count) && count > 0) return count
    throw usageError(`${given} is no number of items.`)
  },
  default: '50',
  placeholder: 'count',
  brief: 'At most so many',
} as const
