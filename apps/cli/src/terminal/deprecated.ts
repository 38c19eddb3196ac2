import type { Call } from '../context.ts'

/** Warns, also with `--quiet`, if a downloaded version is deprecated. */
export function warnIfDeprecated(
  call: Call,
  { semver, deprecated }: { semver: string; deprecated?: { message: string } | null },
): void {
  if (deprecated) call.warn(`${semver} is deprecated: ${deprecated.message}`)
}
