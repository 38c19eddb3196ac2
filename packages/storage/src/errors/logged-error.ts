/**
 * Converts an error to a form that is safe to log: the failed operation and its place, without user data. The log of the server passes
 * every error through it.
 */
import { causes } from './causes.ts'

/** Members of errors that contain no user data: parts of the schema, of the network, of the program. */
const facts = [
  'query',
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'statusCode',
  'hash',
] as const

/** An error in the log. Further members are those of `facts`. */
export interface LoggedError {
  type: string
  message: string
  stack: string
  [fact: string]: unknown
}

/**
 * For the log's `err`. Errors of statements contain values in many places: in `params`, and PostgreSQL's errors in `detail`, `where`,
 * `hint` and, for invalid data (SQLSTATE class 22), in the message. Stacks begin with the message. All of these are left out;
 * the text of a statement is logged (`query`), since its values are parameters.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? 'no error' : error
  const values = valuesOf(error)
  const all = [...causes(error)].filter((one): one is Error => one instanceof Error)
  const [first, ...further] = all.map((one) => loggedAlone(one, values))
  return further.length === 0 ? first : { ...first, causes: further }
}

function loggedAlone(error: Error, values: readonly string[]): LoggedError {
  const logged: LoggedError = {
    type: error.name,
    message: messageOf(error, values),
    stack: framesOf(error),
  }
  for (const name of facts) {
    const fact = (error as unknown as Record<string, unknown>)[name]
    if (typeof fact === 'string' || typeof fact === 'number') logged[name] = fact
  }
  return logged
}

interface StatementError {
  params?: unknown
  code?: unknown
  severity?: unknown
}

function messageOf(error: Error, values: readonly string[]): string {
  const { code, severity } = error as Error & StatementError
  if (typeof severity === 'string' && typeof code === 'string') {
    if (code.startsWith('22')) return `The database did not take a value (SQLSTATE ${code}).`
  }
  return values.some((value) => error.message.includes(value)) ? 'not told: it holds a value' : error.message
}

/** Shorter values could be parts of ordinary words. */
const valueLengthMin = 4

/** Parameters of the statements in the chain of causes. */
function valuesOf(error: Error): string[] {
  const values: string[] = []
  for (const one of causes(error)) {
    const { params } = one as StatementError
    if (!Array.isArray(params)) continue
    for (const value of params)
      if (typeof value === 'string' && value.length >= valueLengthMin) values.push(value)
  }
  return values
}

/** The stack without the message at its beginning. */
function framesOf({ stack = '', message }: Error): string {
  const at = stack.indexOf(message)
  const rest = at < 0 ? stack : stack.slice(at + message.length)
  return rest
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}
