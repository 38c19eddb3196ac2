/** Readers of environment variables. Their errors name the valid values. */

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable has an invalid value. The message names the variable and its valid values. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Variables = ReturnType<typeof variablesOf>

/** Removes quotes. Docker's `--env-file` keeps quotes that other readers remove, and that a value with `#` needs in those. */
const unquoted = (value: string): string => /^"(.*)"$/s.exec(value)?.[1]?.trim() ?? value

/** Readers for single variables. An empty variable counts as unset. */
export function variablesOf(env: Environment) {
  const text = (name: string): string | undefined => unquoted(env[name]?.trim() ?? '') || undefined
  const url = (name: string): URL | undefined => {
    const given = text(name)
    if (given === undefined) return undefined
    const parsed = URL.canParse(given) ? new URL(given) : undefined
    if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return parsed
    throw new ConfigError(`${name} must be a URL that begins with https:// or http://; it is "${given}".`)
  }
  const oneOf = <T extends string>(name: string, values: readonly T[], usual: T): T => {
    const given = text(name) ?? usual
    const value = values.find((one) => one === given)
    if (value !== undefined) return value
    throw new ConfigError(`${name} must be one of ${values.join(', ')}; it is "${given}".`)
  }
  return {
    text,
    url,
    integer<Usual extends number | null>(
      name: string,
      { min, max, usual }: { min: number; max: number; usual: Usual },
    ): number | Usual {
      const given = text(name)
      if (given === undefined) return usual
      const value = /^\d+$/.test(given) ? Number(given) : Number.NaN
      if (value >= min && value <= max) return value
      throw new ConfigError(`${name} must be an integer from ${min} to ${max}; it is "${given}".`)
    },
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
