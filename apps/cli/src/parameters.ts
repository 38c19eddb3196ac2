/** Flags and arguments, in few words. */

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
