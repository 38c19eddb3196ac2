/** Readers of environment variables. Their errors name the valid values. */
import { resolve } from 'node:path'
import { hasPlainHost } from '@ulmus/registry'
import { bytesIn } from '@ulmus/wire'

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable has an invalid value. The message names the variable and its valid values. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** A variable as it was read, for `ulmus-server config`. */
export interface ReadVariable {
  readonly name: string
  /** Undefined or null: not set, and without a default. */
  readonly value: unknown
}

export type Variables = ReturnType<typeof variablesOf>

/** For messages about URLs whose password has ended the host. */
export const passwordEscapes = '# is %23, % is %25, / is %2F, ? is %3F, @ is %40'

/** Removes quotes. Docker's `--env-file` keeps quotes that other readers remove, and that a value with `#` needs in those. */
const unquoted = (value: string): string => /^"(.*)"$/s.exec(value)?.[1]?.trim() ?? value

/** The value of a variable without spaces and quotes around it; undefined if it is unset or empty. */
export const givenIn = (env: Environment, name: string): string | undefined =>
  unquoted(env[name]?.trim() ?? '') || undefined

/** True of ` # …` in a value: probably a comment, which systemd and Docker keep. A number may follow # in a name. */
export const hasComment = (value: string | undefined): boolean => /\s#(?!\d)/.test(value ?? '')

/** Completes an error about a value that has a comment at its end. @throws ConfigError as `read` does */
export function withCommentHint<T>(env: Environment, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { message } = error
    const name = Object.keys(env).find((one) => message.startsWith(one) && hasComment(env[one]))
    if (name === undefined) throw error
    throw new ConfigError(`${message} ${commentRule}`, { cause: error })
  }
}

export const commentRule =
  'A comment in a file of variables needs a line of its own: systemd and Docker take it for a part of the value.'

/** True of `https://a.example/;https://b.example`, which is a valid URL. A query may have another one, encoded or not. */
export const hasSecondUrl = (text: string): boolean => /^[^?]*[;,|]\s*[a-z]+:\/\//i.test(text)

interface Range<Usual> {
  readonly min: number
  readonly max: number
  /** Default. */
  readonly usual: Usual
}

/**
 * Readers for single variables. An empty variable counts as unset.
 * @param note receives each variable that is read, perhaps several times
 */
export function variablesOf(env: Environment, note: (read: ReadVariable) => void = () => undefined) {
  const given = (name: string): string | undefined => givenIn(env, name)
  const noted = <T>(name: string, value: T): T => {
    note({ name, value })
    return value
  }
  const url = (name: string): URL | undefined => {
    const text = noted(name, given(name))
    if (text === undefined) return undefined
    const parsed = URL.canParse(text) ? new URL(text) : undefined
    if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) {
      if (hasPlainHost(parsed) && !hasSecondUrl(text)) return parsed
      throw new ConfigError(
        `${name} must be one URL, with a host of letters, digits, dots and hyphens; it is "${text}".`,
      )
    }
    throw new ConfigError(`${name} must be a URL that begins with https:// or http://; it is "${text}".`)
  }
  const oneOf = <T extends string>(name: string, values: readonly T[], usual: T): T => {
    const text = noted(name, given(name) ?? usual)
    const value = values.find((one) => one === text)
    if (value !== undefined) return value
    throw new ConfigError(`${name} must be one of ${values.join(', ')}; it is "${text}".`)
  }
  const number = <Usual extends number | null>(
    name: string,
    { min, max, usual }: Range<Usual>,
    read: { parse: (text: string) => number; what: string; such: string },
  ): number | Usual => {
    const text = given(name)
    const value = text === undefined ? usual : read.parse(text)
    if (value === null || text === undefined) return noted(name, usual)
    if (value >= min && value <= max) return noted(name, value)
    throw new ConfigError(`${name} must be ${read.what} from ${min} to ${max}${read.such}; it is "${text}".`)
  }
  return {
    text: (name: string): string | undefined => noted(name, given(name)),
    textOr: (name: string, usual: string): string => noted(name, given(name) ?? usual),
    /** An absolute path. */
    path: (name: string): string | null => {
      const text = given(name)
      return noted(name, text === undefined ? null : resolve(text))
    },
    pathOr: (name: string, usual: string): string => noted(name, resolve(given(name) ?? usual)),
    url,
    integer: <Usual extends number | null>(name: string, range: Range<Usual>): number | Usual =>
      number(name, range, {
        parse: (text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN),
        ...{ what: 'an integer', such: '' },
      }),
    /** Bytes, as a number or with a unit. */
    bytes: <Usual extends number | null>(name: string, range: Range<Usual>): number | Usual =>
      number(name, range, {
        parse: bytesIn,
        ...{ what: 'a number of bytes', such: ', or a size such as 512MB, 10GB or 10GiB' },
      }),
    oneOf,
    isOn: (name: string) => oneOf(name, ['on', 'off'], 'on') === 'on',
    publicUrl(name: string): string | null {
      const parsed = url(name)
      if (parsed === undefined) return null
      if (parsed.pathname === '/' && parsed.search === '' && parsed.hash === '' && parsed.username === '')
        return parsed.origin
      throw new ConfigError(
        `${name} must be an origin without a path, such as https://registry.example; it is "${parsed.href}".`,
      )
    },
  }
}
