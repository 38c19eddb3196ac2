/** Options for the expiry of a key, by their values in the forms of `/settings/keys` and `/auth/device`: days, or `never`. */
export const keyEnds = {
  '7': '7 days',
  '30': '30 days',
  '90': '90 days',
  '365': 'a year',
  never: 'never',
} as const
/** The default. */
export const usualKeyEnd = '90'

/** @param chosen of `keyEnds`; any other value means the default, so that no key lasts longer by mistake @returns null: never */
export function keyEndOf(chosen: string | undefined): Date | null {
  if (chosen === 'never') return null
  const days = Number(chosen !== undefined && Object.hasOwn(keyEnds, chosen) ? chosen : usualKeyEnd)
  return new Date(Date.now() + days * 86_400_000)
}
