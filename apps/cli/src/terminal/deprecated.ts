import type { Call } from '../context.ts'

/** Says, with `--quiet` too, that a version which a command brings is deprecated, if it is. */
export function warnIfDeprecated(
  call: Call,
  { semver, deprecated }: { semver: string; deprecated?: { message: string } | null },
): void {
  if (deprecated) call.warn(`${semver} is deprecated: ${deprecated.message}`)
}
