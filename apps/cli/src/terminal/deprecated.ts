import type { WithTerminal } from './terminal.ts'

/** Warns, also with `--quiet`, if a downloaded version is deprecated. */
export function warnIfDeprecated(
  { terminal }: WithTerminal,
  { semver, deprecated }: { semver: string; deprecated?: { message: string } | null },
): void {
  if (deprecated) terminal.say(`${semver} is deprecated: ${deprecated.message}`)
}
