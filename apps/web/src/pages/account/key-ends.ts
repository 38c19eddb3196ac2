/** When a key is to end, as forms ask for it. */
export const keyEnds = {
  '7': '7 days',
  '30': '30 days',
  '90': '90 days',
  '365': 'a year',
  never: 'never',
} as const
export const usualKeyEnd = '90'

/** @param chosen of `keyEnds`; anything else is the usual end, so that no key lives on by mistake @returns null: never */
export function keyEndOf(chosen: string | undefined): Date | null {
  if (chosen === 'never') return null
  const days = Number(chosen !== undefined && Object.hasOwn(keyEnds, chosen) ? chosen : usualKeyEnd)
  return new Date(Date.now() + days * 86_400_000)
}
