/** Helpers with which commands declare flags and arguments, and flags that several commands share. */
import { allowedRemovals, type MaxRemoved } from '@ulmus/client'
import { usageError } from './terminal/failure.ts'

/** A boolean flag, without a `--no-` form. */
export const flag = (brief: string) =>
  ({ kind: 'boolean', brief, default: false, withNegated: false }) as const

/** An optional flag with a text value. */
export const text = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: String, optional: true, placeholder, brief }) as const

/** An optional flag with text values, one for each time that it is given. */
export const several = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: String, optional: true, variadic: true, placeholder, brief }) as const

/** An optional flag with an integer value. */
export const count = (placeholder: string, brief: string) =>
  ({
    kind: 'parsed',
    parse: (given: string) => {
      const number = Number(given)
      if (/^\d+$/.test(given) && Number.isSafeInteger(number)) return number
      throw usageError(`\`${given}\` is not a number of ${placeholder}. Use 0, 1, 2, …`)
    },
    optional: true,
    placeholder,
    brief,
  }) as const

/** An optional argument. */
export const optional = (placeholder: string, brief: string) =>
  ({ brief, placeholder, parse: String, optional: true }) as const

/** A required argument. */
export const required = (placeholder: string, brief: string) =>
  ({ brief, placeholder, parse: String }) as const

/** `--scope` of a new key. */
export const scope = {
  kind: 'enum',
  values: ['read', 'write', 'admin'],
  default: 'write',
  brief: 'What the key may do: read, publish (write), or manage and delete (admin)',
} as const

/** `--limit` */
export const limit = {
  kind: 'parsed',
  parse: (given: string) => {
    const count = Number(given)
    if (Number.isInteger(count) && count > 0) return count
    throw usageError(`\`${given}\` is not a valid limit. Use 1 or more.`)
  },
  optional: true,
  placeholder: 'count',
  brief: 'Maximum number of items to show (default: 50)',
} as const

/** `--max-removed` */
export const maxRemoved = {
  kind: 'parsed',
  parse: (given: string): MaxRemoved => {
    const max = /^\d+$/.test(given) ? Number(given) : (given as MaxRemoved)
    try {
      allowedRemovals(max, 0)
      return max
    } catch {
      throw usageError(`--max-removed ${given}: use a count such as 100, or a share such as 5%.`)
    }
  },
  optional: true,
  placeholder: 'count|share',
  brief: 'Refuse to remove more records of a type: 100 or 5% (default: 50%, or ask on a terminal)',
} as const

/** `--trusted` */
export const trusted = flag('Connect as a job of a trusted publisher, without a stored key')

/** `--policy` */
export const policy = text('file', 'Keys and witnesses that must have signed the log (tlog-policy of C2SP)')
